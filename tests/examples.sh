#!/bin/sh
# Runs every example and the command line program: sh tests/examples.sh PROGRAM... (from the project's folder)
# An example passes when its exit code is 0, because each judges its own answer, when it prints something, and when
# the picture that it names is a PNG, whole and readable. The last line is "N passed, M failed".
out=build/check/examples
mkdir -p "$out" build
passed=0
failed=0
check() { # words, command...
   words=$1
   shift
   if "$@" >"$out/log.txt" 2>&1; then passed=$((passed + 1)); else
      failed=$((failed + 1))
      echo "examples: FAIL $words"
      tail -n 5 "$out/log.txt"
   fi
}
png() { # every chunk and pixel, where there is an independent reader
   if command -v python3 >/dev/null 2>&1; then python3 tests/png.py "$1"; else [ -s "$1" ] && [ "$(head -c 4 "$1" | tail -c 3)" = PNG ]; fi
}
refuses() { # an error is one sentence and exit code 2
   "$@" >"$out/stdout.txt" 2>"$out/stderr.txt"
   [ $? = 2 ] && [ "$(wc -l <"$out/stderr.txt")" = 1 ] && [ ! -s "$out/stdout.txt" ]
}
says() { # pattern, command...
   pattern=$1
   shift
   "$@" 2>&1 | tee "$out/says.txt" | grep -q -E "$pattern"
}

for program in "$@"; do
   name=$(basename "$program")
   [ "$name" = sneppp ] && continue
   [ "$name" = oracle ] && continue
   check "$name" "$program"
   cp "$out/log.txt" "$out/$name.txt"
   check "$name prints" test -s "$out/$name.txt"
   picture=$(sed -n 's/^The picture is //p' "$out/$name.txt")
   [ -z "$picture" ] || check "$name draws" png "$picture"
done

s=build/sneppp
m=$out/trees.model
printf 'x,y\n0,0\n1000,0\n1000,500\n0,500\n' >"$out/plot.csv"
printf 'x,y,ring\n600,50,1\n700,50,1\n700,150,1\n600,150,1\n' >"$out/hectare.csv"
check "fit" says "^test_nll=.* expected=.* observed=3604 train_events=3604 width=.* gap=.* seconds=" \
   $s fit examples/data/bei.csv --window 0,1000,0,500 --save "$m" --png "$out/trees.png"
check "fit --png" png "$out/trees.png"
check "count" says "^expected=[0-9.]+ interval90=[0-9]+,[0-9]+$" $s count "$m" --region box:600,700,50,150
check "info" says "window: box, 2 coordinates" $s info "$m"
check "sample" sh -c "$s sample $m -n 100 --seed 3 | wc -l | grep -qx 101"
check "draw" $s draw "$m" "$out/drawn.png"
check "the drawing" png "$out/drawn.png"
check "eval from a pipe" sh -c "head -n 5 examples/data/bei.csv | $s eval $m - | grep -c , | grep -qx 4"
check "a model through a pipe" sh -c "$s fit examples/data/coal.csv --window 1851.2026,1962.2204 --save - 2>$out/log2.txt | $s profile - --bins 4 | wc -l | grep -qx 5"
check "the summary beside a piped model" grep -q "^test_nll=" "$out/log2.txt"
check "a polygon window" $s fit examples/data/bei.csv --polygon "$out/plot.csv" --save "$out/polygon.model"
check "a polygon region" says "^expected=" $s count "$out/polygon.model" --region "polygon:$out/hectare.csv"
check "export" $s export "$out/polygon.model" "$out/place.h"
check "the exported model" grep -q "sneppp_model place" "$out/place.h"
check "sphere and time" $s fit examples/data/earthquakes.csv --sphere --time time --time-window 0,18993 --save "$out/earth.model"
check "a time region" says "^expected=" $s count "$out/earth.model" --region time:0,3650
check "a map of some years" $s draw "$out/earth.model" "$out/earth.png" --region time:0,3650
for verb in fit eval count profile draw info kernels help; do check "help $verb" says "^sneppp $verb" $s help $verb; done
check "unknown command" refuses $s dance
check "unknown option" refuses $s fit examples/data/bei.csv --window 0,1000,0,500 --colour red
check "missing file" refuses $s fit nothing.csv --window 0,1
check "no window" refuses $s fit examples/data/bei.csv
check "events outside" refuses $s fit examples/data/bei.csv --window 0,10,0,10
check "not a model" refuses $s info examples/data/bei.csv
check "region without time" refuses $s count "$m" --region time:0,1
check "region of another size" refuses $s count "$m" --region box:0,1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
