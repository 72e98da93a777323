#!/bin/sh
# Models exported as C source, compiled and compared bit by bit: sh tests/export.sh build/check/export
# Also what SNEPPP_INFERENCE_ONLY promises. The last line of build/check/export.log is "N passed, M failed".
cc=${CC:-cc}
cxx=${CXX:-c++}
out=${1:-build/check/export}
rm -rf "$out"
mkdir -p "$out"
passed=0
failed=0
skipped=0
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
c99="$cc -std=c99 $warn -Wstrict-prototypes -Wvla -O2"
src=tests/export/export.c
exec 3>&1 >"$out.log" 2>&1

check() { # words, command...
   words=$1
   shift
   if "$@"; then passed=$((passed + 1)); echo "ok    $words"
   else failed=$((failed + 1)); echo "FAIL  $words"; echo "export: FAIL $words" >&3
   fi
}
fails() { ! "$@" >"$out/fails.txt" 2>&1; }
locale=$(locale -a 2>/dev/null | grep -i -m 1 '^\(de\|fr\|nl\|ru\)_')

for real in double float; do
   flag=
   [ $real = float ] && flag=-DSNEPPP_REAL_FLOAT
   h=$out/models_$real.h
   file="-DEXPORT_FILE=\"../../$h\""
   check "$real: the maker compiles" $c99 $flag -O1 -DEXPORT_MAKE -o "$out/make_$real" $src -lm
   check "$real: models are exported" sh -c "LC_ALL=${locale:-C} $out/make_$real $h >$out/$real.want"
   check "$real: every kind of model has points inside" sh -c "[ \$(grep -c 'points inside' $out/$real.want) = 16 ] && ! grep ' 0 of 200' $out/$real.want"
   check "$real: a tree was exported" grep -q '_tree0_node' "$h"
   for only in "" -DSNEPPP_INFERENCE_ONLY "-DSNEPPP_INFERENCE_ONLY -DSNEPPP_STATIC -DSNEPPP_MAX_DIM=3 -DSNEPPP_MAX_FACTORS=2 -DSNEPPP_MAX_WIDTH=81"; do
      check "$real: compiles $only" $c99 $flag $only "$file" -o "$out/use" $src -lm
      check "$real: equal bits $only" sh -c "$out/use >$out/$real.got && cmp $out/$real.want $out/$real.got"
   done
   if command -v "$cxx" >/dev/null; then
      # Unlike gcc -std=c99, g++ fuses products and sums in the functions for AVX2 unless it is told not to.
      check "$real: compiles as C++17" $cxx -x c++ -std=c++17 -ffp-contract=off $warn -O2 $flag -DSNEPPP_INFERENCE_ONLY "$file" -o "$out/usexx" $src -lm
      check "$real: equal bits in C++" sh -c "$out/usexx >$out/$real.got && cmp $out/$real.want $out/$real.got"
   else
      skipped=$((skipped + 2))
      echo "skipped, $cxx is not installed"
   fi
   # A wrong build stops with a sentence.
   other=-DSNEPPP_REAL_FLOAT
   [ $real = float ] && other=
   check "$real: the other precision is refused" fails $cc $other -fsyntax-only "$file" $src
   check "and says so" grep -q "exported in $real precision" "$out/fails.txt"
   for limit in MAX_DIM=2 MAX_FACTORS=1 MAX_WIDTH=8; do
      check "$real: $limit is refused" fails $cc $flag -DSNEPPP_$limit -DSNEPPP_INFERENCE_ONLY -fsyntax-only "$file" $src
      check "and says so" grep -q "needs SNEPPP_${limit%=*} to be at least" "$out/fails.txt"
   done
   printf '#define SNEPPP_IMPLEMENTATION\n#include "sneppp.h"\n' >"$out/only.c"
   for o in -O0 -O3 "-Os -DSNEPPP_NO_SIMD" "-O2 -DSNEPPP_WITH_SAMPLE"; do
      check "$real: inference only, $o" $c99 $flag $o -I. -DSNEPPP_INFERENCE_ONLY -c -o "$out/only.o" "$out/only.c"
      check "$real: no malloc, free, printf, fopen, assert or clock, $o" sh -c "! nm -u $out/only.o | grep -w -E '_?_?(malloc|calloc|realloc|free|[a-z]*printf|puts|fopen|fwrite|exit|abort|__assert_fail|clock|time|timespec_get)'"
   done
   # Frames on the deepest way of one intensity, without the features themselves.
   if $cc -fstack-usage -c -o "$out/lto.o" -x c /dev/null 2>/dev/null; then
      size=8 most=4096
      [ -n "$flag" ] && size=4
      check "$real: inference only, compiles with -fstack-usage" $c99 $flag -O2 -fstack-usage -I. -DSNEPPP_INFERENCE_ONLY -c -o "$out/only.o" "$out/only.c"
      check "$real: an intensity needs $most bytes of stack and its features" awk -F'\t' -v most=$most -v psi=$((2048 * size)) '
         /sneppp_intensity|sneppp__intensity|point_readout|point_features|plain_features|act_vectors/ { sum += $2 }
         END { print sum - psi, "bytes"; exit !(sum > psi && sum - psi <= most) }' "$out/only.su"
   fi
done
printf '#define SNEPPP_IMPLEMENTATION\n#include "sneppp.h"\n#include "models_float.h"\n' >"$out/no_double.c"
check "SNEPPP_NO_DOUBLE compiles, with models of every kind" $c99 -Wdouble-promotion -DSNEPPP_REAL_FLOAT -DSNEPPP_NO_DOUBLE -DSNEPPP_INFERENCE_ONLY -I. -I"$out" -c -o "$out/only.o" "$out/no_double.c"
check "SNEPPP_NO_DOUBLE is refused in the whole library" fails $cc -DSNEPPP_NO_DOUBLE -I. -fsyntax-only "$out/only.c"
# Points from an exported model: those of the whole library, in 24 kB at most (see tests/arm.sh for a Cortex-M4).
check "spawning: code" sh -c "$cc -std=c99 -Os -DSNEPPP_NO_SIMD -DSPAWN_NO_MAIN -fno-pic -c -o $out/spawn.o tests/arm/spawn.c && [ \$(size $out/spawn.o | awk 'NR == 2 { print \$1 }') -le 24576 ]"
check "spawning: points" sh -c "$cc -std=c99 -Os -o $out/spawn tests/arm/spawn.c -lm && $out/spawn >$out/spawn.got"
check "spawning: points of the whole library" sh -c "$cc -std=c99 -O1 -DSPAWN_WHOLE -o $out/whole tests/arm/spawn.c -lm && $out/whole | cmp - $out/spawn.got"
total="$passed passed, $failed failed"
[ $skipped -eq 0 ] || total="$total, $skipped skipped"
echo "$total"
printf '%-22s %s\n' export "$total" >&3
exit 0
