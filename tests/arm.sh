#!/bin/sh
# The exported model on a Cortex-M4 and a Cortex-M7: sh tests/arm.sh size | check
#   size    code, constants, data and stack of examples/firmware.c; of this machine if arm-none-eabi-gcc is missing
#   check   the example and one model of every kind run under qemu-system-arm and print what they print here;
#           leaves build/check/arm.log (after tests/export.sh, which makes the models), whose last line is "N passed, M failed";
#           what is not installed leaves it out, and that counts as skipped
# What they need: apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm
out=build/check/arm
mkdir -p "$out"
flags="-std=c99 -Os -DNDEBUG -DSNEPPP_NO_SIMD"
m4="-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"
m7="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16"
have() { command -v "$1" >/dev/null 2>&1; }

build() { # program, flags and files...: for QEMU's MPS2 boards; newlib's printf reaches the host by semihosting
   program=$1
   shift
   arm-none-eabi-gcc $flags --specs=rdimon.specs -T tests/arm/mps2.ld -o "$program" tests/arm/start.c "$@" -lm
}
emulate() { # board, program
   timeout 120 qemu-system-arm -M "$1" -nographic -semihosting-config enable=on,target=native -kernel "$2" </dev/null
}

size_of() { # words, size program, board, compiler and flags...
   words=$1 size=$2 board=$3
   shift 3
   "$@" $flags -fno-pic -DFIRMWARE_NO_MAIN -c -o "$out/firmware.o" examples/firmware.c || return 1
   stack="stack unknown without qemu-system-arm"
   if [ -n "$board" ] && have qemu-system-arm; then
      shift
      build "$out/bits.elf" "$@" tests/arm/bits.c && emulate "$board" "$out/bits.elf" >/dev/null 2>"$out/stack.txt" &&
         stack="$(cat "$out/stack.txt") of stack, libm's included"
   fi
   $size "$out/firmware.o" | awk -v w="$words" -v s="$stack" 'NR == 2 {
      printf "firmware, %-13s %5d bytes of code and constants (model included, libm not), %d of data, %s\n", w, $1, $2 + $3, s }'
}
if [ "$1" = size ]; then
   if have arm-none-eabi-gcc; then
      size_of Cortex-M4 arm-none-eabi-size mps2-an386 arm-none-eabi-gcc $m4
      size_of Cortex-M7 arm-none-eabi-size mps2-an500 arm-none-eabi-gcc $m7
   else
      echo "arm-none-eabi-gcc is not installed: the sizes on this machine instead"
      size_of "this machine" size "" "${CC:-cc}"
   fi
   exit
fi

passed=0
failed=0
exec 3>&1 >"$out.part" 2>&1
check() { # words, command...
   words=$1
   shift
   if "$@"; then passed=$((passed + 1)); echo "ok    $words"
   else failed=$((failed + 1)); echo "FAIL  $words"; echo "arm: FAIL $words" >&3
   fi
}
to_file() { # file, command...
   file=$1
   shift
   "$@" >"$file"
}
finish() {
   echo "$passed passed, $failed failed$1"
   mv "$out.part" "$out.log"
   printf '%-22s %s\n' arm "$passed passed, $failed failed$1" >&3
   exit 0
}
have arm-none-eabi-gcc && have qemu-system-arm || {
   echo "arm: arm-none-eabi-gcc or qemu-system-arm is not installed" >&3
   finish ", 1 skipped"
}

# What this machine prints but for the first line, which tells the size of a struct with pointers: the same sources, without SIMD like a Cortex-M, and in the order of operations as written.
here="${CC:-cc} $flags -ffp-contract=off"
check "the comparison compiles" "${CC:-cc}" -std=c99 -o "$out/ulp" tests/arm/ulp.c
check "the example here" sh -c "$here -o $out/example examples/firmware.c -lm && $out/example | sed 1d >$out/example.txt"
check "its bits here" sh -c "$here -o $out/bits tests/arm/bits.c -lm && $out/bits >$out/bits.txt"
check "points of the whole library" sh -c "$here -DSPAWN_WHOLE -o $out/whole tests/arm/spawn.c -lm && $out/whole >$out/spawn.txt"
spawn_bytes() { # most, size program, compiler and flags...: code and constants that spawn points, without the model
   most=$1 size=$2
   shift 2
   "$@" $flags -fno-pic -DSPAWN_NO_MAIN -c -o "$out/spawn.o" tests/arm/spawn.c &&
      "$@" $flags -fno-pic -DSPAWN_NO_MAIN -DSPAWN_NOTHING -c -o "$out/nothing.o" tests/arm/spawn.c &&
      bytes=$(($($size "$out/spawn.o" | awk 'NR == 2 { print $1 }') - $($size "$out/nothing.o" | awk 'NR == 2 { print $1 }'))) &&
      echo "$bytes bytes" && [ $bytes -le "$most" ]
}
check "spawning takes 24 kB at most here" spawn_bytes 24576 size "${CC:-cc}"
check "spawning takes 12 kB at most on a Cortex-M4" spawn_bytes 12288 arm-none-eabi-size arm-none-eabi-gcc $m4
for real in double float; do
   flag="-DSNEPPP_INFERENCE_ONLY"
   [ $real = float ] && flag="$flag -DSNEPPP_REAL_FLOAT"
   check "bits of models of every kind here, $real" sh -c "$here $flag '-DEXPORT_FILE=\"../../build/check/export/models_$real.h\"' -o $out/use tests/export/export.c -lm && $out/use >$out/$real.txt"
done

# The Cortex-M7 computes doubles in hardware and gives the same bits in float. Newlib's expf of the Cortex-M4, whose
# unit has no doubles, is another one with errors up to an ulp, and its exp and sin differ from those of other
# libraries in the last place too, which sums of features that nearly cancel magnify; hence a few ulp.
# Two expf that are each off by an ulp, 2^-23 of a number just above a power of two, are 2 x 2^-23 apart, which is four
# ulps of a sum just below one.
for cpu in m4 m7; do
   if [ $cpu = m4 ]; then arch=$m4 board=mps2-an386 most=4; else arch=$m7 board=mps2-an500 most=0; fi
   check "$cpu: the example compiles" build "$out/$cpu.elf" $arch -Wall -Wextra -Werror examples/firmware.c
   check "$cpu: the example runs" to_file "$out/$cpu.txt" emulate $board "$out/$cpu.elf"
   check "$cpu: and prints what it prints here" sh -c "sed 1d $out/$cpu.txt | cmp - $out/example.txt"
   check "$cpu: only mathematical functions are asked of libraries" sh -c "arm-none-eabi-gcc $arch $flags -DFIRMWARE_NO_MAIN -c -o $out/only.o examples/firmware.c &&
      ! arm-none-eabi-nm -u $out/only.o | grep -v -w -E 'U ((sin|cos|exp|log|erf|erfc|expm1|log1p|sqrt|floor|tanh|pow)f?|mem(cpy|set|move)|__aeabi_[a-z0-9]*)'"
   check "$cpu: SNEPPP_NO_DOUBLE asks for no double arithmetic, and no warning is given" sh -c "arm-none-eabi-gcc $arch $flags -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Werror -DSNEPPP_NO_DOUBLE -DFIRMWARE_NO_MAIN -c -o $out/single.o examples/firmware.c &&
      ! arm-none-eabi-nm -u $out/single.o | grep -E '__aeabi_([df]2[df]|d[a-z]|[a-z0-9]*2d)' && ! arm-none-eabi-objdump -d $out/single.o | grep -E '\.f64'"
   build "$out/single.elf" $arch -DSNEPPP_NO_DOUBLE examples/firmware.c && emulate $board "$out/single.elf" >"$out/single_$cpu.txt"
   check "$cpu: and prints what it prints with it" sh -c "sed 1d $out/single_$cpu.txt | cmp - $out/example.txt"
   build "$out/spawn.elf" $arch tests/arm/spawn.c && emulate $board "$out/spawn.elf" >"$out/spawn_$cpu.txt"
   check "$cpu: points are those of the whole library" cmp "$out/spawn_$cpu.txt" "$out/spawn.txt"
   check "$cpu: no data that can be written" sh -c "[ \$(arm-none-eabi-size $out/only.o | awk 'NR == 2 { print \$2 + \$3 }') = 0 ]"
   build "$out/bits.elf" $arch tests/arm/bits.c && emulate $board "$out/bits.elf" >"$out/bits_$cpu.txt" 2>"$out/stack.txt"
   check "$cpu: bits of the example's model" "$out/ulp" "$out/bits.txt" "$out/bits_$cpu.txt" float $most
   check "$cpu: less than 2 kB of stack" sh -c "cat $out/stack.txt && [ \$(cat $out/stack.txt) -lt 2048 ]"
   for real in double float; do
      flag="-DSNEPPP_INFERENCE_ONLY"
      [ $real = float ] && flag="$flag -DSNEPPP_REAL_FLOAT"
      most=16
      [ $cpu$real = m7float ] && most=0
      build "$out/use.elf" $arch $flag "-DEXPORT_FILE=\"../../build/check/export/models_$real.h\"" tests/export/export.c && emulate $board "$out/use.elf" >"$out/use_$cpu.txt"
      check "$cpu: bits of models of every kind, $real" "$out/ulp" "$out/$real.txt" "$out/use_$cpu.txt" $real $most
   done
done
finish ""
