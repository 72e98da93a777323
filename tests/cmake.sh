#!/bin/sh
# The project of examples/cmake, configured, built and run: sh tests/cmake.sh. The last line is "N passed, M failed".
if ! command -v cmake >/dev/null 2>&1; then
   echo "cmake-test: skipped, needs cmake"
   echo "0 passed, 0 failed, 1 skipped"
   exit 0
fi
out=build/check/cmake
rm -rf "$out"
if cmake -S examples/cmake -B "$out" -DCMAKE_BUILD_TYPE=Release >"$out.log" 2>&1 && cmake --build "$out" >>"$out.log" 2>&1 && "$out/hello" >"$out.txt" &&
   grep -q "trees in 50 hectares" "$out.txt"; then
   cat "$out.txt"
   echo "1 passed, 0 failed"
else
   tail -n 30 "$out.log"
   echo "0 passed, 1 failed"
   exit 1
fi
