#!/bin/sh
# Runs the linters that are installed over the header and the programs given: sh tests/lint.sh FILE...
# Any finding fails; a linter that is not installed counts as skipped in the last line. There are no blanket suppressions: .clang-tidy gives a reason for every check it leaves out.
mkdir -p build/lint
ran=0
bad=0
skipped=0
run() { # name, command...
   name=$1
   shift
   if ! command -v "$1" >/dev/null 2>&1; then echo "lint: $name: not installed, skipped"; skipped=$((skipped + 1)); return; fi
   ran=$((ran + 1))
   start=$(date +%s)
   if "$@" >"build/lint/$name.txt" 2>&1 && ! grep -q 'warning:\|error:' "build/lint/$name.txt"; then
      echo "lint: $name: no findings, $(($(date +%s) - start)) s"
   else
      echo "lint: $name: findings:"
      grep 'warning:\|error:' "build/lint/$name.txt" | head -n 40
      echo "lint: details are in build/lint/$name.txt"
      bad=$((bad + 1))
   fi
}

# clang's path-sensitive checks stop at the border of an included file, and with the header as the main file they
# take minutes and object to loops over at least one dimension that they believe empty; following the paths through
# the implementation is left to gcc -fanalyzer. The other checks of clang-tidy do read it.
# The implementation is read once, in tests/lint.c; the other files see the declarations only, which keeps the time down.
check=--enable=warning,performance,portability
skip=-DSNEPPP_IMPLEMENTED
for how in SNEPPP_PTHREADS SNEPPP_REAL_FLOAT SNEPPP_INFERENCE_ONLY; do # named, or cppcheck takes the first dozen of all
   run "cppcheck-$how" cppcheck --std=c99 $check --error-exitcode=1 --quiet "-D$how" tests/lint.c
done
run clang-tidy clang-tidy --quiet tests/lint.c -- -std=c99
if gcc -fanalyzer -x c -c -o /dev/null /dev/null 2>/dev/null; then
   # It follows paths, and all floors at once have more than it can follow: once everything but intervals, once these alone.
   # Whatever a change of the header multiplies them to, it has ten minutes of the processor: then it is said, and skipped.
   analyze() { # name, switches...
      name=$1
      shift
      (ulimit -t 600 && gcc -std=c99 -fanalyzer -O1 "$@" -c -o "build/lint/$name.o" tests/lint.c) >"build/lint/$name.in" 2>&1
      if [ $? -ge 128 ] || grep -q 'Killed\|CPU time' "build/lint/$name.in"; then
         echo "lint: $name: not done in 600 s, skipped"
         skipped=$((skipped + 1))
      else
         run "$name" cat "build/lint/$name.in"
      fi
   }
   analyze gcc-fanalyzer -DSNEPPP_NO_SURE
   # Intervals behind all fits multiply to more paths than ten minutes see; a smaller share of them for each function ends.
   analyze gcc-fanalyzer-sure --param analyzer-bb-explosion-factor=1 -DSNEPPP_NO_AUTO -DSNEPPP_NO_SAMPLE -DSNEPPP_NO_IO -DSNEPPP_NO_INPUT
else
   echo "lint: gcc-fanalyzer: not installed, skipped"
   skipped=$((skipped + 1))
fi
if [ $# -gt 0 ]; then
   run cppcheck-programs cppcheck --std=c99 $check --error-exitcode=1 --quiet $skip "$@"
   run clang-tidy-programs clang-tidy --quiet "$@" -- -std=c99 $skip
fi
if [ $ran -eq 0 ]; then echo "lint: no linter is installed (cppcheck, clang-tidy, gcc)"; exit 1; fi
total="$((ran - bad)) passed, $bad failed"
[ $skipped -eq 0 ] || total="$total, $skipped skipped"
echo "$total"
exit $bad
