#!/bin/sh
# One configuration of the build matrix: sh tests/config.sh build/check/NAME COMPILER FLAGS... -- LIBRARIES...
# Compiles the test program with the flags, runs it, and leaves build/check/NAME.log, whose last line is
# "N passed, M failed", with ", K skipped" if tests left themselves out. A program that does not compile, or dies,
# counts as one failure. Always exits 0, so that the rest of the matrix still runs; tests/total.sh gives the verdict.
# With RUN="qemu-aarch64" in the environment, the program is run by that; suites that are left out are named in LEFT, and
# count as one skipped each.
out=$1
shift
mkdir -p "$(dirname "$out")"
compiler=$1
flags= libs= seen=
shift
for a in "$@"; do
   if [ "$a" = -- ]; then seen=1
   elif [ -n "$seen" ]; then libs="$libs $a"
   else flags="$flags $a"
   fi
done
plain=$(echo "$flags" | sed 's/-Werror//g; s/-Wconversion//g; s/-Wpedantic//g; s/-Wshadow//g') # for greatest's own code

run() {
   echo "$compiler$flags"
   $compiler $plain -c -o "$out.runner.o" tests/runner.c && $compiler $flags -c -o "$out.main.o" tests/main.c &&
      $compiler $(echo "$flags" | sed 's/-x c++//') -o "$out" "$out.main.o" "$out.runner.o" $libs || return 1
   if [ -f "$out.exe" ]; then $RUN "$out.exe" # what MinGW makes of -o NAME; wine does not guess
   else $RUN "$out" # RUN: an emulator and its options, or nothing
   fi
}
start=$(date +%s)
run >"$out.part" 2>&1
code=$?
last=$(tail -n 1 "$out.part" | tr -d '\r') # Windows ends its lines with one
case "$last" in
*" passed, 0 failed" | *" passed, 0 failed, "*" skipped") [ $code -eq 0 ] || last="0 passed, 1 failed (exit code $code)" ;;
*" passed, "*" failed" | *" passed, "*" failed, "*" skipped") ;;
*) last="0 passed, 1 failed (it did not compile or did not finish, exit code $code; see $out.log)" ;;
esac
if [ -n "$LEFT" ]; then
   echo "left out here: the suites $LEFT" >>"$out.part"
   last=$(echo "$last" | awk -v left="$LEFT" '{ n = split(left, list, " "); if ($6 == "skipped") n += $5; print $1, $2, $3, "failed, " n " skipped" }')
fi
echo "$last" >>"$out.part"
mv "$out.part" "$out.log"
rm -f "$out.main.o" "$out.runner.o"
printf '%-22s %s, %s s\n' "$(basename "$out")" "$last" $(($(date +%s) - start))
exit 0
