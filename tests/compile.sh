#!/bin/sh
# What only a compiler, a linker or nm can tell about the header: sh tests/compile.sh build/check/compile
# Each check prints one line when it fails; the last line of build/check/compile.log is "N passed, M failed".
# What a missing tool leaves out counts as skipped.
cc=${CC:-cc}
cxx=${CXX:-c++}
out=${1:-build/check/compile}
rm -rf "$out"
mkdir -p "$out"
passed=0
failed=0
skipped=0
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
c99="$cc -std=c99 $warn -Wstrict-prototypes -Wvla"
exec 3>&1 >"$out.part" 2>&1 # a run that is cut short leaves no log

check() { # words, command...
   words=$1
   shift
   if "$@"; then
      passed=$((passed + 1))
      echo "ok    $words"
   else
      failed=$((failed + 1))
      echo "FAIL  $words"
      echo "compile: FAIL $words" >&3
   fi
}
have() { command -v "$1" >/dev/null 2>&1 || { skipped=$((skipped + 1)); echo "skipped, $1 is not installed"; return 1; }; }
is_empty() { [ -z "$1" ] || { echo "$1"; return 1; }; }
fails() { ! "$@" >"$out/fails.txt" 2>&1; }

# ---- the header by itself
for std in c99 c11 c2x gnu11; do
   check "declarations alone, $std" $cc -std=$std $warn -x c -fsyntax-only sneppp.h
done
have "$cxx" && for std in c++11 c++17 c++20; do
   check "declarations alone, $std" $cxx -std=$std $warn -x c++ -fsyntax-only sneppp.h
done
echo '#include "sneppp.h"' >"$out/alone.c"
check "an object with declarations only" $c99 -I. -c -o "$out/alone.o" "$out/alone.c"
printf '#define SNEPPP_IMPLEMENTATION\n#include "sneppp.h"\n' >"$out/sneppp.c"
# Its processor seconds double when other programs share the core, and are told only. What is judged is the code, which takes
# them: 560 kB by gcc 12 on x86-64.
seconds=$( ($c99 -I. -O2 -c -o "$out/sneppp.o" "$out/sneppp.c"; times) | awk 'NR == 2 { split($1, t, /[ms]/); print 60 * t[1] + t[2] }')
check "the two-line sneppp.c of the manual" test -f "$out/sneppp.o" # -Werror: a warning leaves none
echo "compile time of the header at -O2: $seconds s"
echo "compile time of the header at -O2: $seconds s" >&3
check "the header has less than 620 kB of code" awk "BEGIN { exit !($(size "$out/sneppp.o" | awk 'NR == 2 { print $1 }') < 620000) }"
check "half an allocator is refused" fails $c99 -I. -DSNEPPP_MALLOC=1 -c -o "$out/half.o" "$out/sneppp.c"
check "the refusal says what to do" grep -q "define both" "$out/fails.txt"
check "compiles with SNEPPP_MAX_DIM=3" $c99 -I. -O1 -DSNEPPP_MAX_DIM=3 -c -o "$out/option.o" "$out/sneppp.c"
for option in SNEPPP_NO_SIMD NDEBUG; do # the matrix has them at -O2
   check "compiles with $option" $c99 -I. -O0 -D$option -c -o "$out/option.o" "$out/sneppp.c"
done
for option in SNEPPP_INFERENCE_ONLY SNEPPP_NO_AUTO SNEPPP_NO_SURE SNEPPP_NO_SAMPLE SNEPPP_NO_IO SNEPPP_NO_INPUT; do
   check "compiles with $option" $c99 -I. -O0 -D$option -c -o "$out/option.o" "$out/sneppp.c"
   check "compiles with $option, float" $c99 -I. -O0 -D$option -DSNEPPP_REAL_FLOAT -c -o "$out/option.o" "$out/sneppp.c"
done
for option in SNEPPP_REAL_DOUBLE SNEPPP_REAL_FLOAT; do # the first is nobody's; its tests run clang at -O1 and above
   have clang && check "clang at -O0, $option" clang -std=c99 $warn -I. -O0 -D$option -c -o "$out/option.o" "$out/sneppp.c"
done
for real in double float; do
   [ $real = float ] && option=-DSNEPPP_REAL_FLOAT || option=
   check "without the optional floors, $real" sh -c "$c99 $option -O1 -o $out/left_out tests/compile/left_out.c -lm && $out/left_out"
done
# Inline functions are never reported as unused, unless they are no longer inline. The vector operations come in both
# precisions, of which only the float build uses both, and on other machines not all.
uncalled() { # option
   $cc -std=c99 -I. -DSNEPPP_REAL_FLOAT $1 -E "$out/sneppp.c" | sed 's/__attribute__((\(unused\|always_inline\)))//g; s/static inline/static/' >"$out/uncalled.i"
   $cc -std=c99 -Wunused-function -Werror -O0 -c -o "$out/uncalled.o" "$out/uncalled.i"
}
check "every private function has a caller, without vectors" uncalled -DSNEPPP_NO_SIMD
case $(uname -m) in x86_64) check "every private function has a caller" uncalled ;; esac
check "a model of 150 coordinates" sh -c "$c99 -O1 -o $out/many tests/compile/many_coordinates.c -lm && $out/many"
for option in SNEPPP_PTHREADS SNEPPP_REAL_FLOAT SNEPPP_INFERENCE_ONLY SNEPPP_NO_SIMD; do
   check "compiles after the macros of windows.h, $option" $c99 -I. -D_POSIX_C_SOURCE=200809L -D$option -fsyntax-only \
      -include tests/compile/windows_macros.h "$out/sneppp.c"
done
have "$cxx" && check "compiles as C++ after the macros of windows.h" $cxx -std=c++17 $warn -I. -x c++ -fsyntax-only \
   -include tests/compile/windows_macros.h "$out/sneppp.c"

# ---- both precisions, two C files and one C++ file in one program
flags="-O1 -c"
check "double library, included four times" $c99 $flags -o "$out/double.o" tests/compile/double.c
check "float library" $c99 $flags -o "$out/float.o" tests/compile/float.c
for f in use_double use_float main_double main_float; do
   check "$f.c" $c99 $flags -o "$out/$f.o" tests/compile/$f.c
done
check "double program links and runs" sh -c "$cc -o $out/d $out/main_double.o $out/double.o -lm && $out/d"
check "float program links and runs" sh -c "$cc -o $out/f $out/main_float.o $out/float.o -lm && $out/f"
check "double program, float library: a link error" fails $cc -o "$out/x" "$out/main_double.o" "$out/float.o" -lm
check "float program, double library: a link error" fails $cc -o "$out/x" "$out/main_float.o" "$out/double.o" -lm
check "the link error names a float function" grep -q "sneppp_version_f32" "$out/fails.txt"
if have "$cxx"; then
   check "main.cpp" $cxx -std=c++17 $warn $flags -o "$out/main.o" tests/compile/main.cpp
   check "C, C++ and both precisions in one program" sh -c "$cxx -o $out/both $out/main.o $out/use_double.o $out/use_float.o $out/double.o $out/float.o -lm && $out/both"
   echo 'int main() { return 0; }' >"$out/lto.cpp"
   if $cxx -flto -Wodr -Werror -o "$out/lto" "$out/lto.cpp" 2>/dev/null; then
      check "odr.cpp, double" $cxx -std=c++17 -O0 -flto -Wodr -c -o "$out/odr_double.o" tests/compile/odr.cpp
      check "odr.cpp, float" $cxx -std=c++17 -O0 -flto -Wodr -DSNEPPP_REAL_FLOAT -c -o "$out/odr_float.o" tests/compile/odr.cpp
      check "no type has one name and two definitions" sh -c "$cxx -O0 -flto -Wodr -o $out/odr $out/odr_double.o $out/odr_float.o -lm -pthread >$out/odr.txt 2>&1 && ! grep Wodr $out/odr.txt && $out/odr"
   else skipped=$((skipped + 1)); echo "skip  $cxx has no -flto with -Wodr"
   fi
fi

# ---- what the object contains. Compilers may add local symbols for profiling or sanitizers; ours all have a prefix.
writable() { nm "$1" | awk '$(NF - 1) ~ /^[DdBbCSsGg]$/ && $NF !~ /^(__|\.)/'; }
globals() { nm -g "$1" | awk '$(NF - 1) != "U" && $(NF - 1) != "w" { print $NF }' | sed 's/^_\(sneppp\)/\1/'; }
if have nm; then
   # Without -fno-pic, constant tables of pointers would look like data, because the loader relocates them. Symbols are the
   # same at -O0, but for those that nobody calls any more after inlining.
   c99="$c99 -fno-pic -I. -O0"
   check "compiles for nm" $c99 -c -o "$out/plain.o" "$out/sneppp.c"
   check "compiles for nm, float" $c99 -DSNEPPP_REAL_FLOAT -c -o "$out/plain_f32.o" "$out/sneppp.c"
   check "compiles for nm, static" $c99 -DSNEPPP_STATIC -c -o "$out/static.o" "$out/sneppp.c"
   check "compiles for nm, with hooks" $c99 -DNDEBUG -DSNEPPP_NO_STDIO '-DSNEPPP_MALLOC(c,n)=my_malloc(c,n)' '-DSNEPPP_FREE(c,p)=my_free(c,p)' \
      -include tests/compile/hooks.h -c -o "$out/hooks.o" "$out/sneppp.c"
   for o in plain plain_f32 static hooks; do
      check "$o.o has no writable statics" is_empty "$(writable "$out/$o.o")"
      check "$o.o has sections .data and .bss empty" is_empty "$(size -A "$out/$o.o" | awk '$1 ~ /^\.(data|bss|tdata|tbss)$/ && $2 > 0')"
   done
   check "public names begin with sneppp_" is_empty "$(globals "$out/plain.o" | grep -v '^sneppp_[a-z]')"
   check "float names end in _f32" is_empty "$(globals "$out/plain_f32.o" | grep -v '^sneppp_[a-z].*_f32$')"
   check "the static build exports nothing" is_empty "$(globals "$out/static.o")"
   check "with hooks: no malloc, stdio, exit, assert, rand or signgam" is_empty \
      "$(nm -u "$out/hooks.o" | grep -w -E '_?_?(malloc|calloc|realloc|free|aligned_alloc|[a-z]*printf|puts|fopen|exit|abort|__assert_fail|s?rand|signgam|lgamma|lgammaf|setlocale|strtok)')"
   check "compiles for nm, with threads" $c99 -DSNEPPP_PTHREADS -c -o "$out/threads.o" "$out/sneppp.c"
   globals "$out/threads.o" | sort -u >"$out/defined.txt"
   sed -n '/^#endif \/\* SNEPPP_H/q; s/^SNEPPP_DEF [^(]*[ *]\(sneppp_[a-z0-9_]*\)(.*/\1/p' sneppp.h | sort -u >"$out/declared.txt"
   check "every declared function is defined" is_empty "$(comm -13 "$out/defined.txt" "$out/declared.txt")"
   check "every defined function is declared" is_empty "$(comm -23 "$out/defined.txt" "$out/declared.txt")"
fi

# ---- text
check "floors: no prototypes of private functions, the renaming table is complete" sh tests/floors.sh
check "first line and macros give the same version" grep -q "^/\* sneppp.h - v$(awk '$2 ~ /^SNEPPP_VERSION_(MAJOR|MINOR|PATCH)$/ { printf "%s%s", d, $3; d = "." }' sneppp.h) - " sneppp.h
sed -n '/^\/\* >>licence/,$p' sneppp.h | sed '1d;$d' >"$out/licence.txt"
check "LICENSE is the end of the header" cmp "$out/licence.txt" LICENSE
awk '/^```/ { on = 0 } on { print > f } /^```c$/ { f = d "/readme" ++n ".c"; on = 1 } /^```text$/ { f = d "/readme" n ".txt"; on = 1 }' \
   d="$out" README.md
library= # the first creates the library as the README says, the next is linked with the one from above, the last has its own
for f in "$out"/readme*.c; do
   [ -f "$f" ] || continue
   p=${f%.c}
   grep -q SNEPPP_REAL_FLOAT "$f" && library=
   check "README's program $(basename "$p") compiles" $cc -std=c99 -Wall -Wextra -Werror -I. -O2 ${library:+-DSNEPPP_IMPLEMENTED} -o "$p" "$f" $library -lm
   library=$out/sneppp.o
   check "and prints what the README says" sh -c "$p >$p.out && diff $p.txt $p.out"
done

{
   printf '#include "sneppp.h"\n#include <stdio.h>\nint start(const double *xy, size_t n);\nint start(const double *xy, size_t n)\n{\n'
   sed -n '/^         double        lo\[2\]/,/^         sneppp_free/p' sneppp.h | grep -v '^ *\.\.\.'
   printf 'return !(count > 0);\n}\nint main(void)\n{\n   const double xy[4] = {10, 10, 700, 300};\n   return start(xy, 2);\n}\n'
} >"$out/start.c"
check "the manual's first program compiles" $cc -std=c99 -Wall -Wextra -Werror -I. -O1 -o "$out/start" "$out/start.c" "$out/sneppp.o" -lm
check "and runs" "$out/start"

total="$passed passed, $failed failed"
[ $skipped -eq 0 ] || total="$total, $skipped skipped"
echo "$total"
printf '%-22s %s\n' compile "$total" >&3
mv "$out.part" "$out.log"
exit 0
