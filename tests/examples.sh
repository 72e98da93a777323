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
check "fit" says "^expected=.* observed=3604 train_events=3604 width=.* weights_gap=.* seconds=" \
   $s fit examples/data/bei.csv --window 0,1000,0,500 --save "$m" --png "$out/trees.png"
check "fit --png" png "$out/trees.png"
check "fit --covariate" says "^expected=3604" $s fit examples/data/bei.csv --window 0,1000,0,500 --covariate elevation=examples/data/bei_elevation.asc \
   --covariate slope=examples/data/bei_gradient.asc --no-place --method convex --width 30 --save "$out/ground.model" --png "$out/ground.png"
check "fit --covariate --png" png "$out/ground.png"
check "fit --covariate, by default" says "^covariates multiply the exposure" $s fit examples/data/murchison_gold.csv --window 352.7829,682.5896,6699.742,7101.484 \
   --covariate greenstone=examples/data/murchison_greenstone.asc
check "fit --covariate --json" says '"tilt": 1, "covariates": .."name": "fault", "from": 0.25, "to": 129.*, "factor": ' $s fit examples/data/murchison_gold.csv \
   --window 352.7829,682.5896,6699.742,7101.484 --covariate fault=examples/data/murchison_fault_km.asc --no-place --json --save "$out/gold.model"
check "info tells what covariates do" says "covariate 1: from 0.25 to 129.* by a factor of" $s info "$out/gold.model"
check "info tells what covariates do not" sh -c "$s fit examples/data/bei.csv --window 0,1000,0,500 --covariate elevation=examples/data/bei_elevation.asc --width 100 --save $out/left.model &&
   $s info $out/left.model | grep -q 'covariate 1: left out'"
check "help tells where activations work" says "erf, phi and gelu for --no-place only" $s help fit
printf 'ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n7 7\n7 7\n' >"$out/seven.asc"
printf '1,1\n2,15\n17,3\n' >"$out/three.csv"
check "a covariate that is the same everywhere" says "covariate seven is 7 in all cells" $s fit "$out/three.csv" --window 0,20,0,20 --covariate "seven=$out/seven.asc"
check "raster" $s raster "$out/ground.model" "$out/ground.asc"
printf '0,0\n8,0\n8,4\n4,4\n4,8\n0,8\n' >"$out/hook.csv"
printf '1,1\n2,7\n7,3\n3,5\n6,1\n' >"$out/five.csv"
hook() { # 16 cells of a square of 8 x 8 are outside, and the sum over the others, of area 1, is what is expected
   $s fit "$out/five.csv" --polygon "$out/hook.csv" --save "$out/hook.model" && $s raster "$out/hook.model" "$out/hook.asc" --cells 8 &&
      awk 'NR <= 6 { next } { for (k = 1; k <= NF; k++) if ($k == -9999) none++; else sum += $k }
         END { exit !(none == 16 && sum > 4.999 && sum < 5.001) }' "$out/hook.asc"
}
check "raster of a polygon" hook
check "raster is a grid" says "^ncols 201$" head -n 1 "$out/ground.asc"
check "fit --exposure" says "^expected=3604" $s fit examples/data/bei.csv --window 0,1000,0,500 --exposure "$out/ground.asc" --method convex --width 20
printf 'ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 500\n-9999 1\n' >"$out/half.asc"
printf 'id,east,when\n1,3,2016-01-05\n2,4,2016-07-01\n3,11,2016-02-01\n' >"$out/named.csv"
named() { $s fit "$out/named.csv" --columns east --window 0,"$1" --time when --time-window 2016-01-01,"$2" --save "$out/named.model"; }
check "a column by its name" refuses "named.csv, line 4: outside the window: column east is 11, not in .0, 10." named 10 2017-01-01
printf 'when,east\n4201000,1\n1699999999.5,2\n' >"$out/near.csv"
check "a number just outside" refuses "near.csv, line 3: .*column when is 1699999999.5, not in .0, 1699999999." $s fit "$out/near.csv" --columns when --window 0,1699999999
check "a number just below" refuses "near.csv, line 2: .*column when is 4201000, not in .4201000.5, 1.7e+9." $s fit "$out/near.csv" --columns when --window 4201000.5,1700000000
check "bounds that nearly agree" refuses "window: 1700000001 is not below 1700000000$" $s fit "$out/near.csv" --columns when --window 1700000001,1700000000
check "a date by its day" refuses "named.csv, line 3: outside the window: column when is 2016-07-01, not in .2016-01-01, 2016-06-01." named 20 2016-06-01
check "numbers in a window of dates" refuses "column time is 1851.2, not in .-43464, -2558., the days from 1970-01-01" $s fit examples/data/coal.csv --window 1851-01-01,1962-12-31
printf '\037\213\010\000' >"$out/packed.csv"
check "a compressed file" refuses "packed.csv is compressed" $s fit "$out/packed.csv" --window 0,1
check "the unit of times" says "model: .*; its times are days since 1970-01-01: ask with --dates" named 20 2017-01-01
check "info of times" says "if these are days since 1970-01-01, 2016-01-01 to 2017-01-01: see --dates" $s info "$out/named.model"
check "an event on NODATA" refuses "line 3: outside the cells.*columns x, y are" $s fit examples/data/bei.csv --window 0,1000,0,500 --exposure "$out/half.asc"
printf 'ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 500\n1 x\n' >"$out/bad.asc"
check "a bad grid" refuses "line 6: this is not a number" $s fit examples/data/bei.csv --window 0,1000,0,500 --exposure "$out/bad.asc"
check "a grid too small" refuses "does not cover" $s fit examples/data/bei.csv --window 0,1000,0,501 --exposure "$out/half.asc"
check "a covariate without a file" refuses "NAME=FILE" $s fit examples/data/bei.csv --window 0,1000,0,500 --covariate elevation
check "count" says "^expected=[0-9.]+ interval90=[0-9]+,[0-9]+$" $s count "$m" --region box:600,700,50,150
check "count --level" says "^expected=[0-9.]+ lo=[0-9.]+ hi=[0-9.]+ count_lo=[0-9]+ count_hi=[0-9]+$" $s count "$m" --region box:600,700,50,150 --level 0.95
printf '# two\nbox:600,700,50,150\n\npolygon:%s\n' "$out/hectare.csv" >"$out/regions.txt"
check "count --regions" sh -c "$s count $m --regions $out/regions.txt --level 0.95 | uniq -c | grep -q '^ *2 expected='"
check "count --regions, plain" sh -c "$s count $m --regions $out/regions.txt | wc -l | grep -qx 2"
printf 'box:0,1,0,500\n\nbox:0,1,-9,501\n' >"$out/cut_regions.txt"
check "a region of a file beyond the window" sh -c "$s count $m --regions $out/cut_regions.txt --level 0.95 | uniq -c | grep -q '^ *2 expected='"
printf 'box:0,1,0,1\n\nbox:0,1,3,2\n' >"$out/bad_regions.txt"
check "a bad region of a file" refuses "bad_regions.txt, line 3: a side ends before it begins: box:0,1,3,2" $s count "$m" --regions "$out/bad_regions.txt" --level 0.95
check "region and regions" refuses "cannot both" $s count "$m" --regions "$out/regions.txt" --region box:0,1,0,1
check "no regions" refuses "no regions" $s count "$m" --regions /dev/null
printf '# four\nbox:0,5,0,5 7\nbox:5,10,0,5 0\nbox:0,5,5,10 2.5\nbox:4,10,5,10 3\n' >"$out/counts.txt"
check "fit --counts" says "expected=[0-9.]* observed=13 train_events=13 " $s fit --counts "$out/counts.txt" --window 0,10,0,10 --save "$out/counts.model"
check "fit --counts, convex" says "^4 regions, 13 events in a window of 100; method convex" $s fit --counts "$out/counts.txt" --window 0,10,0,10 --method convex --width 6
printf 'box:0,5,0,5 time:0,2 7\nbox:5,10,0,5 time:2,3 1\n' >"$out/counts_time.txt"
check "fit --counts with time" says "train_events=8 " $s fit --counts "$out/counts_time.txt" --window 0,10,0,10 --time-window 0,3 --method convex --width 6
check "intervals from counts" refuses "counts by region" $s count "$out/counts.model" --level 0.9
check "counts and events" refuses "not both" $s fit "$out/rows.csv" --counts "$out/counts.txt" --window 0,10,0,10
check "counts outside the window" refuses "counts.txt, line 3 reaches outside" $s fit --counts "$out/counts.txt" --window 0,9,0,10
printf 'box:0,5,0,5 7\nbox:5,10,0,5\n' >"$out/bad_counts.txt"
check "a region without its count" refuses "line 2: a region and the number" $s fit --counts "$out/bad_counts.txt" --window 0,10,0,10
printf 'box:0,5,0,5 -7\n' >"$out/bad_counts.txt"
check "a negative count" refuses "line 1: counts.0. = -7" $s fit --counts "$out/bad_counts.txt" --window 0,10,0,10
printf 'id,x,y\n1,1,2\n2,3,4\n3,5,9\n' >"$out/ids.csv"
printf 'name,a,b\n"p, q",1,2\nr,3,4\ns,5,9\n' >"$out/names.csv"
printf 'x,y\n1,2\n3,4\n5,9\n' >"$out/plain.csv"
for f in ids names plain; do $s fit "$out/$f.csv" --window 0,10,0,10 --save "$out/$f.model" >/dev/null 2>&1; done
check "columns by their names" cmp "$out/ids.model" "$out/plain.model"
check "text is passed over" cmp "$out/names.model" "$out/plain.model"
printf 'ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1 2\n3 4\n' >"$out/whole.asc"
printf 'ncols 1\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 5\n1\n3\n' >"$out/half.asc"
check "a second grid that does not cover the window" refuses "half.asc does not cover the window along x" \
   $s fit "$out/plain.csv" --window 0,10,0,10 --covariate "a=$out/whole.asc" --covariate "b=$out/half.asc" --method convex
check "counts have no columns" refuses "are for events" $s fit --counts "$out/counts.txt" --window 0,10,0,10 --columns x,y
check "a level of 95" refuses "number from 0 to 1" $s count "$m" --level 95
check "a level of 1" refuses "between 0 and 1" $s count "$m" --level 1
check "draw --error" $s draw "$m" "$out/error.png" --error
check "the errors" png "$out/error.png"
check "profile --level" sh -c "$s fit examples/data/coal.csv --window 1851.2026,1962.2204 --save $out/coal.model >/dev/null 2>&1 &&
   $s profile $out/coal.model --bins 7 --level 0.9 --png $out/band.png | grep -c '^1[89][0-9.]*,[0-9.]*,[0-9.]*,[0-9.]*,[0-9.]*,[0-9]*,[0-9]*$' | grep -qx 7"
check "the band" png "$out/band.png"
check "errors in time" refuses "profile --level" $s draw "$out/coal.model" "$out/error.png" --error
check "info" says "window: box, 2 coordinates" $s info "$m"
check "sample" sh -c "$s sample $m -n 100 --seed 3 | wc -l | grep -qx 101"
check "draw" $s draw "$m" "$out/drawn.png"
check "the drawing" png "$out/drawn.png"
check "eval from a pipe" sh -c "head -n 5 examples/data/bei.csv | $s eval $m - | grep -c , | grep -qx 4"
check "a model through a pipe" sh -c "$s fit examples/data/coal.csv --window 1851.2026,1962.2204 --save - 2>$out/log2.txt | $s profile - --bins 4 | wc -l | grep -qx 5"
check "the summary beside a piped model" grep -q "^expected=" "$out/log2.txt"
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
check "kernels" says '^\| box, intervals \| cos, sin, exp, one \| cos, sin, exp, one \|' $s kernels
check "the table of kernels has seven columns" sh -c "$s kernels | sed 's/[\\]|//g' | awk -F'|' 'NF != 9 { bad = 1 } END { exit bad || NR < 30 }'"
for verb in fit eval count profile draw sample check compare export info kernels help; do check "help $verb" says "^sneppp $verb" $s help $verb; done

# ---- the README: its commands run, its pictures are there and small
awk '/^```/ { on = 0 } on { print > f } /^```sh$/ { f = d "/readme" ++n ".sh"; on = 1 }' d="$out" README.md
for f in "$out"/readme*.sh; do check "README's commands $(basename "$f")" sh -e "$f"; done
small() { [ -s "$1" ] && [ "$(wc -c <"$1")" -lt 200000 ]; }
for f in $(sed -n 's/.*](\(examples[^)]*png\)).*/\1/p; s/.*](\(examples[^)]*png\)) |.*](.*/\1/p' README.md | sort -u); do check "README's $f" small "$f"; done
for f in $(grep -o '](\(examples\|bench\|LICENSE\|sneppp\)[^)]*)' README.md | tr -d '()]' | sort -u); do check "README's link $f" test -e "$f"; done

# ---- is it right?
head -n 300 examples/data/bei.csv >"$out/some.csv"
$s fit "$out/some.csv" --window 0,1000,0,500 --save "$out/some.model" >"$out/log2.txt" 2>&1
$s fit "$out/some.csv" --window 0,1000,0,500 --method convex --width 4 --save "$out/plain.model" >"$out/log2.txt" 2>&1
awk -F, 'NR == 1 || (NR > 300 && NR < 600)' examples/data/bei.csv >"$out/others.csv"
check "check" says "^events cluster more than .* at distances below [0-9.]+ .p < 0.01.$" $s check "$out/some.model" "$out/some.csv" --png "$out/check.png"
check "check ends with a line for programs" says "^p=0.00[0-9]+ pairs_p=0.00[0-9]+ dispersion=[0-9.]+ counts_p=[0-9.]+ events=298$" \
   $s check "$out/some.model" "$out/some.csv"
check "check --png" png "$out/check.png"
check "check in time" sh -c "$s fit examples/data/coal.csv --window 1851.2026,1962.2204 --save $out/coal.model && $s check $out/coal.model examples/data/coal.csv --simulations 39 --png $out/check1.png | grep -q '^rescaled times: .*Kolmogorov'"
check "the picture of a check in time" png "$out/check1.png"
check "draws of a model are fine" sh -c "$s sample $out/coal.model --seed 9 >$out/coal2.csv && $s check $out/coal.model $out/coal2.csv --kept-back | grep -q '^nothing speaks against'"
check "half of them are too few" sh -c "awk 'NR % 2' $out/coal2.csv >$out/coal3.csv && $s check $out/coal.model $out/coal3.csv --kept-back | grep -q 'stray'"
check "half of them are half as many" sh -c "$s check $out/coal.model $out/coal3.csv --kept-back --test-scale 0.5 | grep -q '^nothing speaks against'"
check "the same seed, the same check" sh -c "$s check $out/coal.model examples/data/coal.csv --simulations 19 --threads 2 >$out/a.txt && $s check $out/coal.model examples/data/coal.csv --simulations 19 | cmp - $out/a.txt"
check "check for machines" says '^."events": 191, "sentence": ".*", "p": [0-9.]+' $s check "$out/coal.model" examples/data/coal.csv --simulations 19 --json
awk 'BEGIN { srand(7); print "day"; for (i = 0; i < 300; i++) printf "2016-%02d-%02d\n", 1 + int(12 * rand()), 1 + int(28 * rand()) }' >"$out/bydays.csv"
check "check of days" sh -c "$s fit $out/bydays.csv --window 2016-01-01,2017-01-01 --save $out/bydays.model && $s check $out/bydays.model $out/bydays.csv --png $out/check2.png | grep '^day was recorded in steps of 1 day: '"
check "rounding is no order" says "^nothing speaks against" $s check "$out/bydays.model" "$out/bydays.csv"
check "check in a polygon" says "^counts in" sh -c "$s fit $out/some.csv --polygon $out/plot.csv --save $out/poly.model && $s check $out/poly.model $out/some.csv --simulations 19"
check "compare" says "^gain=-?[0-9.]+ error=[0-9.]+ events=299$" $s compare "$out/some.model" "$out/plain.model" "$out/others.csv"
check "compare by quarters" sh -c "$s compare $out/some.model $out/plain.model $out/others.csv | grep -c '^box:' | grep -qx 4"
check "compare in a region" says "^box:0,500,0,500: " $s compare "$out/some.model" "$out/plain.model" "$out/others.csv" --region box:0,500,0,500
check "a model beside itself" says "^gain=0.000000 error=0.000000" $s compare "$out/some.model" "$out/some.model" "$out/others.csv"
printf 'x,y\n' >"$out/none.csv"
awk 'NR == 9 { print "2000,3" } { print }' "$out/some.csv" >"$out/strange.csv"
check "check without events" refuses "at least 20 events" $s check "$out/some.model" "$out/none.csv"
check "check of events outside" refuses "strange.csv, line 9: .*outside" $s check "$out/some.model" "$out/strange.csv"
check "check of another dimension" refuses "1 column, but 2 coordinates" $s check "$out/some.model" examples/data/coal.csv
check "check of no model" refuses "do not begin like a saved model" $s check "$out/some.csv" "$out/some.csv"
check "check of a missing model" refuses "cannot be opened" $s check "$out/nothing.model" "$out/some.csv"
check "check over the events" refuses "which is needed" $s check "$out/some.model" "$out/some.csv" --png "$out/some.csv"
check "too few simulations" refuses "--simulations takes a number from 19" $s check "$out/some.model" "$out/some.csv" --simulations 5
check "check with one file" refuses "Which model, and which file" $s check "$out/some.model"
check "compare without events" refuses "holds no events" $s compare "$out/some.model" "$out/plain.model" "$out/none.csv"
check "compare of events outside" refuses "strange.csv, line 9: .*outside" $s compare "$out/some.model" "$out/plain.model" "$out/strange.csv"
check "compare different spaces" refuses "different coordinates" $s compare "$out/some.model" "$out/coal.model" "$out/some.csv"
check "compare different windows" refuses "different windows" sh -c "$s fit $out/some.csv --window 0,1000,0,600 --width 4 --save $out/wide.model >/dev/null 2>&1; $s compare $out/some.model $out/wide.model $out/some.csv"
check "compare with two files" refuses "Which two models" $s compare "$out/some.model" "$out/plain.model"

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
check "too few columns" refuses "has 1 column" $s fit examples/data/coal.csv --window 0,1,0,1
check "metres for degrees" refuses "are not degrees" $fit --sphere
check "a negative width" refuses "--width takes a number" $s fit examples/data/bei.csv --window 0,1000,0,500 --width -3
check "a broken width" refuses "--width takes a whole number" $s fit examples/data/bei.csv --window 0,1000,0,500 --width 2.5
check "unknown method" refuses "not magic" $fit --window 0,1000,0,500 --method magic
check "time without its window" refuses "belong together" $fit --window 0,1000 --time y
check "a file that cannot be written" refuses "cannot be written" $fit --window 0,1000,0,500 --save "$out/no/such/place"
check "a polygon that crosses itself" refuses "cross.csv: .*meets edge 2" $fit --polygon "$out/cross.csv"
check "a polygon of two corners" refuses "at least three" $fit --polygon "$out/two.csv"
check "not a model" refuses "do not begin like a saved model" $s info examples/data/bei.csv
check "half a model" refuses "has 300 bytes" $s info "$out/cut.model"
check "a damaged model" refuses "checksum" $s info "$out/damaged.model"
check "region without time" refuses "knows no time" $s count "$m" --region time:0,1
check "region of another size" refuses "the model has 2 coordinates: box:x0,x1,y0,y1, not box:0,1$" $s count "$m" --region box:0,1
check "region of no kind" refuses "not circle:1,2" $s count "$m" --region circle:1,2
check "region beyond the window" sh -c "[ \"\$($s count $m --region box:0,2000,0,1)\" = \"\$($s count $m --region box:0,1000,0,1)\" ]"
check "region outside" says "^expected=0 " $s count "$m" --region box:2000,2100,0,1
check "two regions of one place" refuses "two regions" $s count "$m" --region box:0,1,0,1 --region box:0,2,0,2
check "a profile without time" refuses "knows no time" $s profile "$m"
check "too many samples" refuses "-n takes" $s sample "$m" -n 1e12
check "no name in C" refuses "no name in C" $s export "$m" "$out/9a-b.h"
check "two things from one pipe" refuses "cannot both" $s eval - -

# ---- files as people have them: the same eight events in every form that a table may take
place="--window 0,10,0,10 --width 4"
printf '1,2\n2.5,3\n3,4.25\n5,5\n6,1\n7,7\n8,3\n9,9\n' >"$out/rows.csv"
events() { # file, options...: what the fit says, but for the time it took; equal coordinates give equal words
   f=$1
   shift
   $s fit "$f" $place "$@" 2>&1 | sed 's/ seconds=.*//'
}
plain=$(events "$out/rows.csv")
same() { # file, options...
   got=$(events "$@")
   [ "$got" = "$plain" ] && return
   echo "$got"
   return 1
}
rows() { cat "$out/rows.csv"; }
check "eight rows" says "train_events=8" $s fit "$out/rows.csv" $place
{ printf '\357\273\277'; rows; } >"$out/bom.csv"
{ printf '\357\273\277x,y\n'; rows; } >"$out/bom-header.csv"
rows | tr '\n' '\r' >"$out/cr.csv"
rows | sed 's/$/\r/' >"$out/crlf.csv"
rows | tr ',' '\t' >"$out/tabs.csv"
{ printf 'x;y\n'; rows | tr ',' ';'; } >"$out/semicolons.csv"
rows | tr "," " " >"$out/spaces.csv"
{ printf "x y\n"; rows | sed "s/,/   /; s/^/ /; s/$/ /"; } >"$out/spaces-header.csv"
rows | sed 's/$/,,/' >"$out/trailing.csv"
{ printf 'x,y\n'; rows | sed 's/$/,/'; printf ',,\n'; } >"$out/trailing-rows.csv"
rows | sed 's/,/ , /; s/^/  /' >"$out/blanks.csv"
rows | sed 's/^/+/; s/,/e0,0.1e+1/; s/,0.1e+1\(.*\)/,0\1e-0/' >"$out/exponents.csv"
rows | awk 'NR % 2 { print "# every second line"; print "" } { print }' >"$out/comments.csv"
rows | awk -F, 'BEGIN { print "\"the name\",\"x \"\"m\"\"\",y" } { printf "\"a, \"\"%d\"\"\nsecond; line\",\"%s\",%s\n", NR, $1, $2 }' >"$out/quotes.csv"
rows | awk -F, 'BEGIN { for (k = 1; k <= 68; k++) printf "c%d,", k; print "x,y" } { for (k = 1; k <= 68; k++) printf "word %d,", k; print }' >"$out/wide.csv"
rows | awk -F, '{ printf "%s,", $1; for (k = 0; k < 9000; k++) printf " "; print $2 }' >"$out/long.csv"
{ printf 'e1,Na\n'; rows; } >"$out/names.csv"
printf '%s' "$(rows)" >"$out/no-newline.csv"
for f in bom bom-header cr crlf tabs semicolons spaces spaces-header trailing trailing-rows blanks exponents comments names long no-newline; do check "events: $f" same "$out/$f.csv"; done
check "events: quotes and text" same "$out/quotes.csv" --columns 'x "m",y'
check "events: 70 columns" same "$out/wide.csv" --columns x,y
check "events: columns by number" same "$out/wide.csv" --columns 69,70
check "events from a pipe" sh -c "cat $out/bom.csv | $s fit - $place | grep -q train_events=8"

printf 'nan,3\n1,2\n' >"$out/nan1.csv"
printf '1.2.3,3\n1,2\n' >"$out/typo1.csv"
printf '1.2.3\n1\n' >"$out/typo2.csv"
printf '0x1F\n1\n' >"$out/hex.csv"
printf 'x,y\n1,2\ninf,3\n' >"$out/inf.csv"
printf 'x,y\n1,2\n1e999,3\n' >"$out/large.csv"
printf 'x,y\n1,2\n3,\n' >"$out/empty.csv"
printf '1,5;2,5\n1,5;2,5\n' >"$out/ambiguous.csv"
printf 'x;y\n1,5;2,5\n' >"$out/comma.csv"
printf 'x,y\n1,2\n"3,4\n5,6\n' >"$out/open.csv"
printf '1,2\n3,\0004\n' >"$out/nul.csv"
printf '\377\376x\000,\000y\000\n\000' >"$out/utf16.csv"
printf 'x,x\n1,2\n' >"$out/twice.csv"
check "nan in the first row" refuses 'nan1.csv, line 1: column 1 is "nan"' $s fit "$out/nan1.csv" $place
check "a typing error in the first row" refuses 'typo1.csv, line 1: column 1 is "1.2.3"' $s fit "$out/typo1.csv" $place
check "a typing error alone in the first row" refuses 'typo2.csv, line 1: column 1 is "1.2.3"' $s fit "$out/typo2.csv" --window 0,10
check "hexadecimal digits" refuses 'hex.csv, line 1: column 1 is "0x1F"' $s fit "$out/hex.csv" --window 0,10
check "infinity" refuses 'inf.csv, line 3: column 1 (x) is "inf"' $s fit "$out/inf.csv" $place
check "a number too large" refuses 'large.csv, line 3: column 1 (x) is "1e999"' $s fit "$out/large.csv" $place
check "an empty field" refuses 'empty.csv, line 3: column 2 (y) is empty' $s fit "$out/empty.csv" $place
check "decimal commas or columns" refuses 'ambiguous.csv, line 1 has several kinds of separators' $s fit "$out/ambiguous.csv" $place
check "decimal commas" refuses 'comma.csv, line 2: column 1 (x) is "1,5", .*decimal point' $s fit "$out/comma.csv" $place
check "an open quote" refuses 'open.csv, line 3: a quote' $s fit "$out/open.csv" $place
check "a byte of zero" refuses 'nul.csv, line 2 holds a byte of value 0' $s fit "$out/nul.csv" $place
check "UTF-16" refuses 'utf16.csv is text in UTF-16' $s fit "$out/utf16.csv" $place
check "two columns of one name" refuses 'two columns "x"' $s fit "$out/twice.csv" $place --columns x,2
check "one column for two coordinates" refuses 'cannot serve twice' $s fit "$out/rows.csv" $place --columns 1,1
check "a folder" refuses "$out cannot be read" $s fit "$out" $place
check "a folder as a model" refuses "$out cannot be read" $s info "$out"
: >"$out/nothing.csv"
printf 'x,y\n' >"$out/header.csv"
check "no bytes, no events" says "expected=0.000 observed=0" $s fit "$out/nothing.csv" $place
check "a header, no events" says "expected=0.000 observed=0" $s fit "$out/header.csv" $place
check "a wrong column of a header" refuses 'no column "z"' $s fit "$out/header.csv" $place --columns x,z
printf '5,5\n' >"$out/one.csv"
check "one event" says "expected=1.000 observed=1" $s fit "$out/one.csv" $place

# ---- times: dates are days since 1970, and the column of times may be anywhere
awk 'BEGIN { print "when,x,y"; for (k = 0; k < 40; k++) printf "2016-03-%02dT%02d:30:00%s,%g,%g\n", 1 + k % 28, k % 24, k % 2 ? "Z" : "+00:00", k % 10, k * 7 % 10 }' >"$out/dates.csv"
awk 'BEGIN { print "x,y,when"; for (k = 0; k < 40; k++) printf "%g,%g,%.17g\n", k % 10, k * 7 % 10, 16861 + k % 28 + (k % 24 + 0.5) / 24 }' >"$out/days.csv"
dated() { $s fit "$1" --window 0,10,0,10 --width 4 --time "$2" --time-window "$3" 2>&1 | sed 's/ seconds=.*//'; }
alike() {
   a=$(dated "$out/dates.csv" when 2016-03-01,2016-04-01T00:00Z)
   b=$(dated "$out/days.csv" when 16861,16892)
   echo "$a"
   echo "$b"
   [ "$a" = "$b" ] && echo "$a" | grep -q train_events=40
}
check "dates, and a time that comes first" alike
check "a time that comes first, by number" says "train_events=40" $s fit "$out/dates.csv" --window 0,10,0,10 --width 4 --time 1 --time-window 2016-03-01,2016-04-01
$s fit "$out/dates.csv" --window 0,10,0,10 --width 4 --time when --time-window 2016-03-01,2016-04-01 --save "$out/dates.model" >"$out/log2.txt" 2>&1
printf 'x,x,y\n1,2,3\n' >"$out/thrice.csv"
check "two columns x that nobody chose" refuses 'two columns "x"' $s fit "$out/thrice.csv" $place
check "dates as a coordinate" refuses "none unless --columns names them, such as --columns x,y,when" $s fit "$out/dates.csv" --window 0,10,0,10,2016-03-01,2016-04-01
check "test events that are none" sh -c "$s fit $out/dates.csv --columns x,y --window 0,10,0,10 --width 4 --test $out/none.csv 2>&1 | grep -q 'none.csv holds no events, so that nothing is tested'"
check "a region between dates" says "^expected=" $s count "$out/dates.model" --region time:2016-03-01,2016-03-08
check "points with the time first" sh -c "$s eval $out/dates.model $out/days.csv --time when | cut -d, -f1-3 | tail -n 1 | grep -q '^9,3,16872.6'"
check "dates come out as dates" sh -c "$s eval $out/dates.model $out/dates.csv --time when | tail -n 1 | grep -q '^9,3,2016-03-12T15:30:00Z,'"
check "days as dates, if asked" sh -c "$s eval $out/dates.model $out/days.csv --time when --dates | tail -n 1 | grep -q '^9,3,2016-03-12T15:30:00Z,'"
check "samples with dates are events" sh -c "$s sample $out/dates.model -n 30 --dates | $s fit - --window 0,10,0,10 --width 4 --time time --time-window 2016-03-01,2016-04-01 | grep -q train_events=30"
check "samples between dates" sh -c "$s sample $out/dates.model -n 9 --region time:2016-03-01,2016-03-02 | grep -c ',2016-03-01T[0-9:.]*Z$' | grep -qx 9"
check "a profile between dates" says "^2016-03-01,2016-03-02T12:00:00Z,[0-9.]+,[0-9]+,[0-9]+$" $s profile "$out/dates.model" --region time:2016-03-01,2016-03-04 --bins 2
check "a profile of events with dates" says "^2016-03-01,2016-03-16T12:00:00Z," $s profile "$out/dates.csv" --window 0,10,0,10 --width 4 --time when --time-window 16861,16892 --bins 2
check "a span of time that ends before it begins" refuses "2016-06-01 is not before 2016-01-01" $s fit "$out/dates.csv" $place --time when --time-window 2016-06-01,2016-01-01
$s fit "$out/bydays.csv" --window 2016-01-01,2017-01-01 --save "$out/year.model" --png "$out/span.png" >"$out/log2.txt" 2>&1
check "dates below the events" png "$out/span.png"
for option in "" --dates; do $s draw "$out/year.model" "$out/year$option.png" $option; done
check "dates below a picture" sh -c "! cmp -s $out/year.png $out/year--dates.png"
check "dates below a picture are drawn" png "$out/year--dates.png"
for span in 2016-03-01,2016-03-02 2016-03-01,2016-03-21 2016-01-01,2016-06-01 1969-12-31,2017-01-01T06:00Z; do
   check "a profile of $span" $s profile "$out/year.model" --region "time:$span" --png "$out/span.png"
   check "its picture" png "$out/span.png"
done
check "a window between dates" says "\[2016-03-01, 2016-04-01\]" $s info "$out/dates.model" --dates

# ---- GeoJSON, in and out
cat >"$out/points.geojson" <<'END'
{"type": "FeatureCollection", "features": [
 {"type": "Feature", "properties": {"when": "2016-03-01T12:00:00Z", "mag": 5.5}, "geometry": {"coordinates": [10.5, 20, -3], "type": "Point"}},
 {"type": "Feature", "properties": {"mag": 6 , "when": "2016-03-02"}, "geometry": {"type": "MultiPoint", "coordinates": [[1, 2], [30, 40], [50, 60]]}},
 {"type": "Feature", "properties": null, "geometry": null}]}
END
printf 'lon,lat,when\n10.5,20,16861.5\n1,2,16862\n30,40,16862\n50,60,16862\n' >"$out/points.csv"
printf '{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[0,0],[10,0],[10,10],[0,10],[0,0]],\n[[4,6],[6,6],[6,8],[4,8],[4,6]]]}}' >"$out/rings.geojson"
printf '{"type": "LineString", "coordinates": [[0, 0], [1, 1]]}' >"$out/line.geojson"
printf '{"type": "Point", "coordinates": [0, "one"]}' >"$out/one.geojson"
printf '{"type": "Point",\n "coordinates": [0, 1' >"$out/open.geojson"
where="--sphere --time when --time-window 2016-03-01,2016-03-05"
check "GeoJSON is CSV" sh -c "$s fit $out/points.geojson $where --save $out/g1.model >/dev/null && $s fit $out/points.csv $where --save $out/g2.model >/dev/null && cmp $out/g1.model $out/g2.model"
check "a polygon of GeoJSON" says "in a window of 96" $s fit "$out/rows.csv" --polygon "$out/rings.geojson" --width 4
check "polygons for points" refuses "holds polygons, where points" $s fit "$out/rings.geojson" --sphere
check "points for polygons" refuses "holds points, where a polygon" $s fit "$out/rows.csv" --polygon "$out/points.geojson"
check "lines of GeoJSON" refuses "line.geojson, line 1: GeoJSON of points or polygons is wanted, not LineString" $s fit "$out/line.geojson" --sphere
check "a place that is none" refuses "two numbers, longitude and latitude" $s fit "$out/one.geojson" --sphere
check "GeoJSON that does not end" refuses "open.geojson, line 2 is no JSON" $s fit "$out/open.geojson" --sphere
check "cells" $s draw "$m" "$out/cells.geojson" --geojson --cells 20
check "cells of a sphere" $s draw "$out/g1.model" "$out/cells2.geojson" --geojson --cells 36
if command -v python3 >/dev/null 2>&1; then
   cells() { python3 -c "import json, sys; f = json.load(open(sys.argv[1]))['features']; assert len(f) == int(sys.argv[2]), len(f); assert not sys.argv[3:] or abs(sum(c['properties']['expected'] for c in f) - float(sys.argv[3])) < 1e-3" "$@"; }
   check "cells add up" cells "$out/cells.geojson" 200 3604
   check "cells of all the world" cells "$out/cells2.geojson" 648
fi
check "cells of a line" refuses "only the plane and the sphere" $s draw "$out/coal.model" "$out/a.geojson" --geojson
check "contours" sh -c "$s draw $m $out/lines.geojson --geojson --contours 4 && grep -c MultiLineString $out/lines.geojson | grep -qx 4"
check "contours of a polygon" $s draw "$out/polygon.model" "$out/lines2.geojson" --geojson --contours 3 --cells 50
check "contours without GeoJSON" refuses "contours is for --geojson" $s draw "$m" "$out/a.png" --contours 9
check "a box across a wall" says "^expected=" $s count "$out/polygon.model" --region box:-50,2000,-50,120
check "a box beyond the walls" says "^expected=0 " $s count "$out/polygon.model" --region box:-50,-40,-50,-40
check "cells without GeoJSON" refuses "cells is for --geojson" $s draw "$m" "$out/a.png" --cells 9

# ---- places on the sphere
check "a rectangle of the sphere" says "^expected=0[.]13[0-9]* interval90=0,1 error=[0-9.e-]+$" $s count "$out/g1.model" --region lonlat:0,20,0,30
printf 'lon,lat\n0,0\n20,0\n20,30\n0,30\n' >"$out/corners.csv"
check "a polygon of the sphere" sh -c "{ $s count $out/g1.model --region polygon:$out/corners.csv; $s count $out/g1.model --region lonlat:0,20,0,30; } |
   awk -F'[= ]' '{ n[NR] = \$2 } END { exit !(NR == 2 && n[1] > n[2] && n[1] < 1.02 * n[2]) }'" # an arc lies north of its parallel
check "a polygon of the sphere in time" says "^expected=[0-9.]+ lo=" $s count "$out/g1.model" --region "polygon:$out/corners.csv" --region time:2016-03-01,2016-03-02 --level 0.9
check "two places of the sphere" refuses "two regions for the same" $s count "$out/g1.model" --region "polygon:$out/corners.csv" --region cap:0,0,5
check "a cap of the sphere" says "^expected=0[.]23[0-9]* interval90=0,1 error=" $s count "$out/g1.model" --region cap:10,20,30 --region time:2016-03-01,2016-03-02
printf 'lonlat:0,20,0,30\ntime:2016-03-01,2016-03-02\ncap:1,2,5 time:2016-03-01,2016-03-02\n' >"$out/places.txt"
check "places in a file" sh -c "$s count $out/g1.model --regions $out/places.txt | tee $out/places.out | grep -c error= | grep -qx 2 && wc -l <$out/places.out | grep -qx 3"
check "halves of the sphere" sh -c "{ $s count $out/g1.model --region lonlat:-180,180,0,90; $s count $out/g1.model --region lonlat:-180,180,-90,0; } | awk -F'[= ]' '{ sum += \$2 } END { exit !(sum > 3.9999 && sum < 4.0001) }'"
check "a profile of a cap" says "^2016-03-01,2016-03-03,0[.]40[0-9]*," $s profile "$out/g1.model" --region cap:10,20,30 --bins 2 --dates
check "a latitude of 95" refuses "latitude 95" $s count "$out/g1.model" --region lonlat:0,10,80,95
check "a cap with two numbers" refuses "cap:lon,lat,degrees" $s count "$out/g1.model" --region cap:0,10
check "a box on the sphere" refuses "say lonlat:" $s count "$out/g1.model" --region box:0,1,0,1
check "a cap of a plane" refuses "the model knows none" $s count "$m" --region cap:0,10,5
check "samples in a cap" refuses "only count and profile" $s sample "$out/g1.model" --region cap:0,10,5
check "a level of a cap" says "^expected=0[.]0[0-9]* lo=[0-9.e-]+ hi=[0-9.]+ count_lo=0 count_hi=[0-9]+$" $s count "$out/g1.model" --region cap:0,10,5 --level 0.9
check "levels of places in a file" sh -c "$s count $out/g1.model --regions $out/places.txt --level 0.9 | grep -c count_hi= | grep -qx 3"
check "a band of a cap" says "^2016-03-01,2016-03-03,0[.]40[0-9]*,[0-9.]+,[0-9.]+,0,[0-9]+$" $s profile "$out/g1.model" --region cap:10,20,30 --bins 2 --dates --level 0.9 --png "$out/band.png"
printf 'x,time\n1,2016-02-30\n' >"$out/feb.csv"
printf 'x,time\n1,2016-02-03\n1,16861\n' >"$out/mixed.csv"
check "a day that is none" refuses 'feb.csv, line 2: column 2 (time) is "2016-02-30"' $s fit "$out/feb.csv" --window 0,10 --time time --time-window 2016-01-01,2017-01-01
check "dates and numbers in one column" refuses 'mixed.csv, line 3: column 2 (time) is "16861", not a date' $s fit "$out/mixed.csv" --window 0,10 --time time --time-window 2016-01-01,2017-01-01
check "time and place in one column" refuses 'cannot serve twice' $s fit "$out/days.csv" --window 0,10,0,10 --columns x,when --time when --time-window 16861,16892

# ---- the sphere: what the whole file looks like
awk 'BEGIN { print "lon,lat"; for (k = 0; k < 40; k++) printf "%.12g,%.12g\n", (k * 37 % 360 - 180), (k * 23 % 180 - 90) }' >"$out/globe.csv"
awk -F, 'NR == 1 { print "lat,lon"; next } { print $2 "," $1 }' "$out/globe.csv" >"$out/swapped.csv"
awk -F, 'NR == 1 { print "a,b"; next } { p = atan2(0, -1) / 180; printf "%.17g,%.17g\n", $1 * p, $2 * p }' "$out/globe.csv" >"$out/radians.csv"
awk -F, 'NR > 1 { p = atan2(0, -1) / 180; printf "%.17g,%.17g,%.17g\n", cos($2 * p) * cos($1 * p), cos($2 * p) * sin($1 * p), sin($2 * p) }' "$out/globe.csv" >"$out/vectors.csv"
{ echo 0.6,0.8,0; awk -F, 'NR > 1 { print $0 ",5" }' "$out/globe.csv"; } >"$out/almost.csv"
globe() { $s fit "$@" --sphere --width 4 2>&1 | sed -n 's/ [a-z_]*gap=.*//; /train_events/p'; }
earth=$(globe "$out/globe.csv")
matches() { [ "$(globe "$@")" = "$earth" ] || { globe "$@"; return 1; }; }
check "degrees" says "train_events=40" $s fit "$out/globe.csv" --sphere --width 4
check "unit vectors" matches "$out/vectors.csv"
check "radians that are said" matches "$out/radians.csv" --coordinates radians
awk -F, 'NR == 1 { print "id,LAT,lat_error,Longitude"; next } { print NR ",\"" $2 "\",1,"  $1 }' "$out/globe.csv" >"$out/named.csv"
check "places by the names of their columns" matches "$out/named.csv"
check "latitude first, by its name" matches "$out/swapped.csv"
check "a first row that looks like a unit vector" says "train_events=41" $s fit "$out/almost.csv" --sphere --width 4
check "radians" refuses "radians.csv: .*seem to be radians: say --coordinates radians, or" $s fit "$out/radians.csv" --sphere --width 4
check "degrees that look like radians" says "train_events=40" $s fit "$out/radians.csv" --sphere --width 4 --coordinates degrees
check "latitude first" refuses "longitude comes first" $s fit "$out/swapped.csv" --sphere --columns lat,lon
awk -F, '{ print $0 "," $2 }' "$out/swapped.csv" >"$out/thrice.csv"
check "latitude first, and two longitudes" refuses "longitude comes first.*thrice" $s fit "$out/thrice.csv" --sphere
check "unknown coordinates" refuses "degrees, radians or vectors" $s fit "$out/globe.csv" --sphere --coordinates metres
check "coordinates of a plane" refuses "for places on the sphere" $s fit "$out/rows.csv" $place --coordinates degrees

# ---- rings that are closed, by their first corner once more
printf '0,0\n10,0\n10,10\n0,10\n0,0\n' >"$out/ring.csv"
printf 'x,y,ring\n0,0,1\n10,0,1\n10,10,1\n0,10,1\n0,0,1\n4,6,2\n6,6,2\n6,8,2\n4,8,2\n4,6,2\n' >"$out/rings.csv"
check "a closed ring" says "in a window of 100" $s fit "$out/rows.csv" --polygon "$out/ring.csv" --width 4
check "closed rings, one a hole" says "in a window of 96" $s fit "$out/rows.csv" --polygon "$out/rings.csv" --width 4
check "events and polygon from one pipe" refuses "cannot both" $s fit - --polygon -

# ---- a file that was read twice
cat "$out/rows.csv" "$out/rows.csv" >"$out/doubled.csv"
check "a file read twice" says "^sneppp: 8 of 16 events are exact copies of earlier ones: was the file read twice" $s fit "$out/doubled.csv" $place
check "copies for machines" says '"copies": 8' $s fit "$out/doubled.csv" $place --json
check "steps that did not suffice" says "^sneppp: the fit has not converged after 20000 steps: up to 0[.]" $s fit "$out/rows.csv" $place --method pgd --eps1 0.001
check "steps that did" sh -c "! $s fit $out/rows.csv $place --method convex 2>&1 | grep -q converged"
check "no copies" sh -c "! $s fit $out/rows.csv $place 2>&1 | grep -q copies"

# ---- what is written arrives, and nothing that is read is written over
full() { # command...: one sentence and exit code 2 when the disk is full
   "$@" >/dev/full 2>"$out/stderr.txt"
   [ $? = 2 ] && grep -q "cannot be written" "$out/stderr.txt" && [ "$(grep -c '^sneppp:' "$out/stderr.txt")" = 1 ] && return
   cat "$out/stderr.txt"
   return 1
}
if [ -c /dev/full ]; then
   check "full: fit" full $s fit "$out/rows.csv" $place
   check "full: fit --save -" full $s fit "$out/rows.csv" $place --save -
   check "full: fit --png -" full $s fit "$out/rows.csv" $place --png -
   check "full: --save" refuses "/dev/full cannot be written" $s fit "$out/rows.csv" $place --save /dev/full
   check "full: --png" refuses "/dev/full cannot be written" $s fit "$out/rows.csv" $place --png /dev/full
   check "full: eval" full $s eval "$out/dates.model" "$out/dates.csv" --time when
   check "full: count" full $s count "$out/dates.model"
   check "full: profile" full $s profile "$out/dates.model"
   check "full: draw" full $s draw "$out/dates.model" -
   check "full: sample" full $s sample "$out/dates.model"
   check "full: check" full $s check "$out/coal.model" examples/data/coal.csv --simulations 19
   check "full: check --png" full $s check "$out/coal.model" examples/data/coal.csv --simulations 19 --png -
   check "full: compare" full $s compare "$out/some.model" "$out/plain.model" "$out/others.csv"
   check "full: export" full $s export "$out/dates.model" -
   check "full: info" full $s info "$out/dates.model"
   check "full: kernels" full $s kernels
   check "full: help" full $s help
   check "full: fit --help" full $s fit --help
fi
cp "$out/rows.csv" "$out/precious.csv"
ln -f "$out/precious.csv" "$out/linked.csv"
check "--save over the events" refuses "precious.csv, which is needed" $s fit "$out/precious.csv" $place --save "$out/precious.csv"
check "--save over the events by another way" refuses "precious.csv, which is needed" $s fit "$out/precious.csv" $place --save "$out/../examples/linked.csv"
check "--png over the polygon" refuses "ring.csv, which is needed" $s fit "$out/rows.csv" --polygon "$out/ring.csv" --png "$out/ring.csv"
check "--png over the model" refuses "which is needed" $s fit "$out/rows.csv" $place --save "$out/a.model" --png "$out/a.model"
check "draw over the model" refuses "which is needed" $s draw "$out/dates.model" "$out/dates.model"
check "nothing was written" cmp "$out/precious.csv" "$out/rows.csv"
for name in int class template 9lives a-b _Bool sneppp_fit; do check "export $name" refuses "\"$name\"" $s export "$out/dates.model" "$out/$name.h"; done
check "nothing was exported" sh -c "! ls $out/int.h $out/class.h $out/9lives.h"

# ---- options
check "a width beyond the largest matrix" says "train_events=8 width=" $s fit "$out/rows.csv" --window 0,10,0,10 --width 3000
check "a width that convex fits do not reach" refuses "--width is at most 2048" $s fit "$out/rows.csv" --window 0,10,0,10 --width 3000 --method convex
check "settings of convex" says "width=6 " $s fit "$out/rows.csv" --window 0,10,0,10 --width 6 --method convex --steps 50 --floor 0.1 --eps1 0.01 --eps2 0.01 --trace 0.01
check "settings of adam" says "expected=8.000 " $s fit "$out/rows.csv" --window 0,10,0,10 --width 6 --method adam --steps 30 --rate 0.05 --schedule cosine --tune no
check "an activation" says "gap=" $s fit "$out/rows.csv" --window 0,10,0,10 --width 6 --method convex --activation rbf
check "a setting of another method" refuses "^sneppp: --rate is for --method pgd or adam$" $s fit "$out/rows.csv" --window 0,10,0,10 --method convex --rate 0.1
check "a penalty that adam has not" refuses "^sneppp: --trace is for --method convex or pgd$" $s fit "$out/rows.csv" --window 0,10,0,10 --method adam --trace 0.1 --tune no
check "nothing to tune" refuses "fit.tune finds nothing to choose" $s fit "$out/rows.csv" --window 0,10,0,10 --width 6 --method adam --activation relu --tune yes
check "an activation for auto" refuses "auto makes features of its own" $s fit "$out/rows.csv" $place --activation cos
check "a schedule that is none" refuses "constant, cosine or linear" $s fit "$out/rows.csv" --window 0,10,0,10 --method adam --schedule up
check "an activation that is none" refuses "cos, sin, exp" $s fit "$out/rows.csv" --window 0,10,0,10 --method adam --activation tan
check "tuned frequencies" says "width=16 " $s fit examples/data/coal.csv --window 1851,1963 --width 16 --method convex
check "an option twice" refuses "given twice: --width" $s fit "$out/rows.csv" $place --width 5
check "an option for a value" refuses "missing after --save" $s fit "$out/rows.csv" $place --save --png "$out/a.png"
check "options of a fit without events" refuses "--width is for events" $s count "$out/dates.model" --width 4
check "--test-scale without --test" refuses "needs --test" $s fit "$out/rows.csv" $place --test-scale 2
check "a time that the model has not" refuses "knows no time" $s eval "$m" examples/data/bei.csv --time y
check "a word too many for help" refuses "one word too many: eval" $s help fit eval
check "--option=value" says "train_events=8" $s fit "$out/rows.csv" --window=0,10,0,10 --width=4
check "a value that does not belong" refuses "no value belongs to --json" $s fit "$out/rows.csv" $place --json=1
check "no name" refuses "a file without a name" $s fit "" $place
$s fit "$out/rows.csv" --window 0,10 --width 4 --time 2 --time-window 0,5,6,10 --save "$out/gap.model" >"$out/log2.txt" 2>&1
check "a profile with a gap" sh -c "$s profile $out/gap.model --bins 20 | awk -F, 'NR > 1 { sum += \$3; none += \$3 == 0 } END { exit !(NR == 21 && none == 2 && sum > 7.99 && sum < 8.01) }'"
check "a profile is cut to the window" sh -c "$s profile $out/gap.model --region time:-100,1000 --bins 3 >$out/a.txt && $s profile $out/gap.model --bins 3 | cmp - $out/a.txt"
check "a profile beside the window" refuses "time lies outside the window" $s profile "$out/gap.model" --region time:2000,3000
check "a region and a model from one pipe" refuses "cannot both" $s count - --region polygon:- <"$out/dates.model"
check "--help" says "^sneppp fit" $s fit --help
check "samples come back as they were" sh -c "$s sample $out/dates.model --seed 4 >$out/drawn.csv && $s eval $out/dates.model $out/drawn.csv | cut -d, -f1-3 | cmp - $out/drawn.csv"
check "a picture that cannot be" refuses "are drawn" $s fit "$out/vectors.csv" --window -1,1,-1,1,-1,1 --png "$out/a.png"
printf 'lon,lat,day\n10,20,2019-08-20\n10,20,2019-08-x\n' >"$out/fire1.csv"
printf 'lon,lat,day\n10,20,2019-08-20\n10,95,2019-08-21\n' >"$out/fire2.csv"
fire() { # pattern, file: the example with a file of one's own
   build/examples/wildfire "$2" >"$out/stdout.txt" 2>"$out/stderr.txt"
   [ $? = 1 ] && [ ! -s "$out/stdout.txt" ] && grep -q "$1" "$out/stderr.txt"
}
if [ -x build/examples/wildfire ]; then
   check "fires on a day that is none" fire "fire1.csv, line 3: column 3 (day)" "$out/fire1.csv"
   check "fires beyond the pole" fire "fire2.csv, line 3: latitude 95" "$out/fire2.csv"
fi
check "another locale" sh -c "LC_ALL=de_DE.UTF-8 $s sample $out/dates.model --seed 4 | cmp - $out/drawn.csv"

# ---- columns that were not named: dates are no coordinates, and what was taken is said
awk 'BEGIN { srand(2); for (k = 1; k <= 60; k++) printf "%d,2016-03-%02d,%.3f,%.3f\n", k, 1 + k % 28, 10 * rand(), 10 * rand() }' >"$out/sixty.csv"
awk -F, 'BEGIN { print "name,when,x,y" } { print "\"a, " $1 "\"," $2 "," $3 "," $4 }' "$out/sixty.csv" >"$out/ev.csv"
awk -F, 'BEGIN { print "date,easting,northing,note" } { print $2 "," $3 "," $4 ",wet" }' "$out/sixty.csv" >"$out/e2.csv"
awk -F, 'BEGIN { print "id,easting,northing" } { print $1 "," $3 "," $4 }' "$out/sixty.csv" >"$out/e3.csv"
awk -F, 'BEGIN { print "x,y" } { print $3 + 50 "," $4 }' "$out/sixty.csv" >"$out/away.csv"
square="--window 0,10,0,10"
check "dates are no coordinates" says "^columns: easting, northing; others are not used, see --columns$" $s fit "$out/e2.csv" $square --save "$out/e2.model"
check "points beside dates" sh -c "$s eval $out/e2.model $out/e2.csv | awk -F, 'NR > 1 && \$3 > 0 { n++ } END { exit n != 60 }'"
check "the columns that were taken" says "^columns: id, easting; others" $s fit "$out/e3.csv" --window 0,60,0,10
check "an event outside of a window of other columns" refuses "; the columns are id, easting, see --columns" $s fit "$out/e3.csv" $square
check "columns that were named are not told" sh -c "! $s fit $out/e3.csv $square --columns 2,3 | grep ^columns"
check "columns without others are not told" sh -c "! $s fit $out/ev.csv $square --time when --time-window 2016-03-01,2016-04-01 --save $out/ev.model | grep ^columns"
check "dates alone" refuses "2 columns, but 2 coordinates are needed, and dates are none" sh -c "cut -d, -f1,2 $out/e2.csv | $s fit - $square"
check "dates of a line" says "train_events=60" $s fit "$out/e2.csv" --window 2016-03-01,2016-04-01
check "all points outside" says "^sneppp: all 60 points are outside the window: are these the right columns[?] see --columns$" $s eval "$out/e2.model" "$out/away.csv"
check "some points outside" sh -c "! $s eval $out/e2.model $out/e3.csv 2>&1 | grep outside"
check "all events outside" refuses "line 2: .*outside.*; all 60 are: are these the right columns" $s fit "$out/away.csv" $square
check "a time that has dates" says "^[0-9.]*,[0-9.]*,2016-03-02,[0-9.]*$" $s eval "$out/ev.model" "$out/e2.csv"
check "a time that is missing" refuses "the model has a time: give --time COLUMN" sh -c "cut -d, -f2,3 $out/e2.csv | $s eval $out/ev.model -"

# ---- what compare says
check "no difference" says "^no difference$" $s compare "$out/e2.model" "$out/e2.model" "$out/e2.csv"
check "one event tells nothing" says "^these events do not tell" sh -c "$s fit $out/e2.csv $square --method convex --width 4 --save $out/e4.model; head -n 2 $out/e2.csv | $s compare $out/e2.model $out/e4.model -"

# ---- the ending of a picture's name
json() { [ "$(head -c 27 "$1")" = '{"type": "FeatureCollection' ]; }
check "GeoJSON by its name" sh -c "$s draw $out/e2.model $out/d.geojson && $s draw $out/e2.model $out/d.JSON --contours 3"
check "the GeoJSON" json "$out/d.geojson"
check "the contours" json "$out/d.JSON"
check "a picture that is no JPEG" refuses "d.jpg should end in .png" $s draw "$out/e2.model" "$out/d.jpg"
check "--png that is no PNG" refuses "d.gif should end in .png" $s fit "$out/e2.csv" $square --png "$out/d.gif"
check "no picture was written" sh -c "! ls $out/d.jpg $out/d.gif"

# ---- regions where nobody looked
printf 'x,y\n0,0\n10,0\n10,1\n1,1\n1,10\n0,10\n' >"$out/ell.csv"
printf '0.5,0.5\n8,0.5\n0.5,3\n' | $s fit - --polygon "$out/ell.csv" --save "$out/ell.model" >"$out/log2.txt" 2>&1
check "a region outside" says "^sneppp: the region lies outside the window: box:20,30,0,1$" $s count "$out/e2.model" --region box:20,30,0,1
check "a region in a notch" says "^sneppp: the region lies outside the window" $s count "$out/ell.model" --region box:5,6,5,6
check "a region across a wall" sh -c "! $s count $out/ell.model --region box:0,6,5,6 2>&1 | grep outside"
check "a time outside" says "^sneppp: the region lies outside the window: time:0,1$" $s count "$out/ev.model" --region time:0,1 --level 0.9
printf 'box:0,1,0,1\nbox:10,11,0,1\n' >"$out/notes.txt"
check "a time outside, and a place" says "outside the window: time:0,1$" $s count "$out/ev.model" --region box:0,1,0,1 --region time:0,1
check "a line outside" says "^sneppp: .*notes.txt, line 2: the region lies outside the window$" $s count "$out/e2.model" --regions "$out/notes.txt"
check "a comparison outside" says "^sneppp: the region lies outside" $s compare "$out/e2.model" "$out/e4.model" "$out/e2.csv" --region box:20,30,0,1

# ---- what was not tested is not in the line for programs
check "no nan" sh -c "{ $s fit $out/rows.csv $place; $s fit $out/rows.csv $place --method adam --steps 5 --tune no; $s check $out/e2.model $out/e2.csv --simulations 19; } >$out/lines.txt && ! grep -i nan $out/lines.txt"
check "the line without a test" says "^expected=8.000 observed=8 train_events=8 width=[0-9]+ weights_gap=[0-9.e-]+ seconds=" $s fit "$out/rows.csv" $place
check "the line with a test" says "^test_nll=[0-9.-]+ expected=" $s fit "$out/rows.csv" $place --test "$out/rows.csv"
check "one feature" says "^1 feature, " $s fit "$out/rows.csv" --window 0,10,0,10 --method convex --width 1

# ---- sentences that say what to do
check "steps of auto" refuses "^sneppp: --steps is for --method convex, pgd or adam$" $s fit "$out/rows.csv" $square --steps 50
printf 'box:0,1,0,1\n# none\nbox:0,1\n' >"$out/notes.txt"
check "a line with too few sides" refuses "notes.txt, line 3: the model has 2 coordinates: box:x0,x1,y0,y1, not box:0,1$" $s count "$out/e2.model" --regions "$out/notes.txt"
check "a time with too many sides" refuses "a region of time is time:a,b, not time:0,1,2,3" $s count "$out/ev.model" --region time:0,1,2,3
check "a region without its option" refuses "one word too many: box:0,1,0,1; did you mean --region box:0,1,0,1?" $s count "$out/e2.model" box:0,1,0,1
check "why a file cannot be opened" refuses "nothing.csv cannot be opened: No such file" $s eval "$out/e2.model" nothing.csv
check "why a model cannot be opened" refuses "nothing.model cannot be opened: No such file" $s info nothing.model
check "why a file cannot be written" refuses "no/a.model cannot be written: No such file" $s fit "$out/rows.csv" $square --save "$out/no/a.model"
check "why a picture cannot be written" refuses "no/a.png cannot be written: No such file" $s draw "$out/e2.model" "$out/no/a.png"
version=$(awk '/^#define SNEPPP_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", n++ ? "." : "", $3 }' sneppp.h)
check "--version" says "^sneppp $version$" $s --version

# ---- maps: what nobody has seen is grey, flat ones have room for their labels, and levels without lines are left out
awk 'BEGIN { srand(3); print "x,y"; for (k = 0; k < 80; k++) { a = 10 * rand(); b = rand(); print k % 2 ? a "," b : b "," a } }' >"$out/ell-events.csv"
check "a map with walls" $s fit "$out/ell-events.csv" --polygon "$out/ell.csv" --save "$out/ell.model" --png "$out/ell.png"
check "errors within walls" $s draw "$out/ell.model" "$out/ell-error.png" --error
check "a check within walls" $s check "$out/ell.model" "$out/ell-events.csv" --simulations 19 --png "$out/ell-check.png"
check "a map without walls" $s draw "$out/e2.model" "$out/e2.png"
check "a flat map" sh -c "printf '100,5\n120,3\n' | $s fit - --window 0,300,0,10 --png $out/flat.png"
if command -v python3 >/dev/null 2>&1; then
   grey() { # file, at least, at most: how many pixels have the colour of what is outside
      python3 -c "
import struct, sys, zlib
data, at, part = open(sys.argv[1], 'rb').read(), 8, {}
while at < len(data):
   size, name = struct.unpack('>I4s', data[at:at + 8])
   part[name] = data[at + 8:at + 8 + size]
   at += 12 + size
colour = [part[b'PLTE'][3 * k:3 * k + 3] for k in range(len(part[b'PLTE']) // 3)]
n = sum(colour[k] == bytes([0xe4] * 3) for k in zlib.decompress(part[b'IDAT'])[1:])
print(n, 'pixels,', struct.unpack('>II', part[b'IHDR'][:8]))
assert int(sys.argv[2]) <= n <= int(sys.argv[3])
" "$@"
   }
   check "outside of the walls" grey "$out/ell.png" 175000 182000
   check "outside of the walls, errors" grey "$out/ell-error.png" 175000 182000
   check "outside of the walls, residuals" grey "$out/ell-check.png" 20000 1000000
   check "nothing is outside of a box" grey "$out/e2.png" 0 500
   tall() { python3 -c "import struct, sys; h = struct.unpack('>I', open(sys.argv[1], 'rb').read()[20:24])[0]; print(h); assert h >= 215" "$1"; }
   check "the height of a flat map" tall "$out/flat.png"
   lines() { python3 -c "import json, sys; f = json.load(open(sys.argv[1]))['features']; print(len(f)); assert len(f) == 8 and all(c['geometry']['coordinates'] for c in f)" "$1"; }
   check "eight levels" $s draw "$out/e2.model" "$out/levels.geojson" --contours 8
   check "levels that the map has" lines "$out/levels.geojson"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
