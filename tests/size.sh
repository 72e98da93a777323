#!/bin/sh
# What examples/firmware.c takes: code and constants, data, and the deepest stack of one evaluation, for Cortex-M4 and
# Cortex-M7 where arm-none-eabi-gcc is installed, else for this machine. libm comes on top: sh tests/size.sh build/size
out=${1:-build/size}
mkdir -p "$out"
measure() { # words, size program, compiler and flags...
   words=$1 size=$2
   shift 2
   rm -f "$out/firmware.o" "$out/firmware.su"
   "$@" -std=c99 -Os -fno-pic -DNDEBUG -DSNEPPP_NO_SIMD -DFIRMWARE_NO_MAIN -fstack-usage -c -o "$out/firmware.o" examples/firmware.c || return 1
   # The calls are nested: the function of the example, the intensity, a layer, an activation. Their sum is a bound.
   stack=$(awk -F'\t' '{ if ($2 > 64) big += $2; else if ($2 > most) most = $2 } END { print big + 3 * most }' "$out/firmware.su")
   $size "$out/firmware.o" | awk -v w="$words" -v s="$stack" 'NR == 2 {
      printf "firmware, %-16s %6d bytes of code and constants (model included), %d of data, at most %d of stack\n", w, $1, $2 + $3, s }'
}
if command -v arm-none-eabi-gcc >/dev/null; then
   measure "Cortex-M4" arm-none-eabi-size arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16
   measure "Cortex-M7" arm-none-eabi-size arm-none-eabi-gcc -mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16
else
   echo "arm-none-eabi-gcc is not installed: sizes of this machine instead"
   measure "this machine" size "${CC:-cc}"
fi
