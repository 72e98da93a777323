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
refuses() { # pattern, command...: an error is one sentence that names the culprit, and exit code 2
   pattern=$1
   shift
   "$@" >"$out/stdout.txt" 2>"$out/stderr.txt"
   [ $? = 2 ] && [ "$(wc -l <"$out/stderr.txt")" = 1 ] && [ ! -s "$out/stdout.txt" ] && grep -q -- "$pattern" "$out/stderr.txt" && return
   cat "$out/stderr.txt"
   return 1
}
says() { # pattern, command...
   pattern=$1
   shift
   "$@" 2>&1 | tee "$out/says.txt" | grep -q -E "$pattern"
}

for program in "$@"; do
   name=$(basename "$program")
   [ "$name" = sneppp ] && continue
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
check "a count from events" says "^expected=" $s count examples/data/bei.csv --window 0,1000,0,500 --width 8 --region box:600,700,50,150
check "samples are events" sh -c "$s sample $out/earth.model -n 50 | $s fit - --sphere --time time --time-window 0,18993 --width 8"
check "points on the sphere are degrees" sh -c "$s sample $out/earth.model -n 3 | $s eval $out/earth.model - | grep -q ^lon,lat,time,intensity"
check "profile of a time" sh -c "$s profile $out/earth.model --region time:0,3650 --bins 5 | wc -l | grep -qx 6"
check "json" says '^."events": 191, .*"test_nll": null' $s fit examples/data/coal.csv --window 1851,1963 --json
for verb in fit eval count profile draw sample export info kernels help; do check "help $verb" says "^sneppp $verb" $s help $verb; done

# ---- the README: its commands run, its pictures are there and small
awk '/^```/ { on = 0 } on { print > f } /^```sh$/ { f = d "/readme" ++n ".sh"; on = 1 }' d="$out" README.md
for f in "$out"/readme*.sh; do check "README's commands $(basename "$f")" sh -e "$f"; done
small() { [ -s "$1" ] && [ "$(wc -c <"$1")" -lt 200000 ]; }
for f in $(sed -n 's/.*](\(examples[^)]*png\)).*/\1/p; s/.*](\(examples[^)]*png\)) |.*](.*/\1/p' README.md | sort -u); do check "README's $f" small "$f"; done
for f in $(grep -o '](\(examples\|LICENSE\|sneppp\)[^)]*)' README.md | tr -d '()]' | sort -u); do check "README's link $f" test -e "$f"; done

# ---- mistakes
fit="$s fit examples/data/bei.csv --width 8"
printf 'x,y\n1,2\nnan,3\n' >"$out/nan.csv"
printf 'x,y\n1,2\n3\n' >"$out/short.csv"
printf 'x,y\n0,0\n1,1\n1,0\n0,1\n' >"$out/cross.csv"
printf 'x,y\n0,0\n1,1\n' >"$out/two.csv"
printf 'x,y\n10,20\n-1,2\n' >"$out/outside.csv"
head -c 300 "$m" >"$out/cut.model"
{ head -c 200 "$m"; printf XXXX; tail -c +205 "$m"; } >"$out/damaged.model"
check "unknown command" refuses dance $s dance
check "help for nothing" refuses dance $s help dance
check "no file" refuses "Which file" $s fit
check "two files" refuses "one word too many: b" $s fit a b --window 0,1
check "unknown option" refuses "no option --colour" $fit --window 0,1000,0,500 --colour red
check "an option of another command" refuses "count has no option --bins" $s count "$m" --bins 4
check "an option without its value" refuses "missing after --window" $fit --window
check "missing file" refuses "nothing.csv cannot be opened" $s fit nothing.csv --window 0,1
check "NaN in the file" refuses "nan.csv, line 3: column 1" $s fit "$out/nan.csv" --window 0,9,0,9
check "a short line" refuses "short.csv, line 3 has 1 columns" $s fit "$out/short.csv" --window 0,9,0,9
check "no window" refuses "give one of --window, --polygon and --sphere" $fit
check "two windows" refuses "give one of --window, --polygon and --sphere" $fit --sphere --window 0,1000,0,500
check "half a window" refuses "pairs of numbers" $fit --window 0,1000,0
check "a window of words" refuses "pairs of numbers" $fit --window a,b
check "a window upside down" refuses "1000 is not below 0" $fit --window 1000,0,0,500
check "events outside" refuses "bei.csv, line 3: .*outside the window" $fit --window 0,10,0,10
check "test events outside" refuses "outside.csv, line 3: .*outside" $fit --window 0,1000,0,500 --test "$out/outside.csv"
check "a wrong column" refuses 'no column "z"' $fit --window 0,1000,0,500 --columns x,z
check "too few columns" refuses "has 1 columns" $s fit examples/data/coal.csv --window 0,1,0,1
check "metres for degrees" refuses "are not degrees" $fit --sphere
check "a negative width" refuses "--width takes a number" $fit --window 0,1000,0,500 --width -3
check "a broken width" refuses "--width takes a whole number" $fit --window 0,1000,0,500 --width 2.5
check "unknown method" refuses "not magic" $fit --window 0,1000,0,500 --method magic
check "time without its window" refuses "belong together" $fit --window 0,1000 --time y
check "a file that cannot be written" refuses "cannot be written" $fit --window 0,1000,0,500 --save "$out/no/such/place"
check "a polygon that crosses itself" refuses "cross.csv: .*meets edge 2" $fit --polygon "$out/cross.csv"
check "a polygon of two corners" refuses "at least three" $fit --polygon "$out/two.csv"
check "not a model" refuses "do not begin like a saved model" $s info examples/data/bei.csv
check "half a model" refuses "has 300 bytes" $s info "$out/cut.model"
check "a damaged model" refuses "checksum" $s info "$out/damaged.model"
check "region without time" refuses "knows no time" $s count "$m" --region time:0,1
check "region of another size" refuses "number of sides" $s count "$m" --region box:0,1
check "region of no kind" refuses "not circle:1,2" $s count "$m" --region circle:1,2
check "region outside" refuses "box:0,2000,0,1 reaches outside the window" $s count "$m" --region box:0,2000,0,1
check "two regions of one place" refuses "two regions" $s count "$m" --region box:0,1,0,1 --region box:0,2,0,2
check "a profile without time" refuses "knows no time" $s profile "$m"
check "too many samples" refuses "-n takes" $s sample "$m" -n 1e12
check "no name in C" refuses "no name in C" $s export "$m" "$out/9a-b.h"
check "two things from one pipe" refuses "cannot both" $s eval - -
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
