#!/bin/sh
# examples/mpi.c with 1 to 4 ranks of MPI on this machine, more than it has cores: the same bits, faults that end on every
# rank, and a rank that is killed. The last line is "N passed, M failed".
out=build/mpi
program=build/examples/mpi
rm -rf $out
mkdir -p $out
passed=0
failed=0
check() { # words, command...
   words=$1
   shift
   if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "mpi: failed: $words"; fi
}
OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid the other way
OMPI_MCA_btl_base_warn_component_unused=0
export OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_btl_base_warn_component_unused
root=
[ "$(id -u)" -ne 0 ] || root=--allow-run-as-root
ranks() { # number, arguments...
   n=$1
   shift
   timeout 300 mpirun $root --oversubscribe -n "$n" "$program" "$@"
}
says() { grep -q "$1" "$2"; }

# ---- the same bits: generated, from a binary file, from a file of lines
awk 'BEGIN { srand(3); print "lon,lat,years"
   for (i = 0; i < 3001; i++) printf "%.5f,%.5f,%.5f\n", 360 * rand() - 180, 60 * rand() - 20, 22 * rand() }' >$out/fires.csv
printf '#include <stdio.h>\n#include <math.h>\nint main(void) { for (int i = 0; i < 5003; i++) { double a = i * 0.7, z = cos(i * 0.3), x[4] = { sqrt(1 - z * z) * cos(a), sqrt(1 - z * z) * sin(a), z, fmod(i * 0.37, 22) }; fwrite(x, sizeof x, 1, stdout); } return 0; }\n' >$out/make.c
cc -std=c99 -o $out/make $out/make.c -lm && $out/make >$out/fires.bin
for what in 30011 $out/fires.csv $out/fires.bin; do
   name=$(basename "$what" | tr -d .)
   for n in 1 2 3 4; do
      check "$what on $n ranks" ranks $n "$what" 6 40 "$out/$name.$n" >"$out/$name.$n.txt" 2>&1
      check "$n ranks say so" says "on $n ranks" "$out/$name.$n.txt"
      check "each rank has its speed" says "^rank $((n - 1)): .* per second" "$out/$name.$n.txt"
      [ $n -eq 1 ] || check "$what: the bits of $n ranks" cmp "$out/$name.1" "$out/$name.$n"
   done
done

# ---- faults: every rank leaves, with the words of the one whose fault it is
awk 'NR == 2900 { sub(/[^,]*$/, "23.5") } { print }' $out/fires.csv >$out/bad.csv
ranks 3 $out/bad.csv 6 40 $out/bad.snp >$out/bad.txt 2>&1
check "an event outside is refused" [ $? -ne 0 ]
check "its rank is named" says "rank 2: event [0-9]* is outside" $out/bad.txt
check "no model is saved" [ ! -e $out/bad.snp ]
awk 'NR == 1500 { print "what is this" } { print }' $out/fires.csv >$out/words.csv
ranks 2 $out/words.csv 6 40 >$out/words.txt 2>&1
check "a line that is not numbers is refused" [ $? -ne 0 ]
check "the rank says so" says "rank 0: line [0-9]* of its part" $out/words.txt
ranks 2 $out/nowhere.csv 6 40 >$out/nowhere.txt 2>&1
check "a file that is not there is refused" [ $? -ne 0 ]

# ---- a checkpoint of 3 ranks goes on with 4; a rank is killed, and the job goes on with another number of them
whole="30011 100 40"
check "a whole run" ranks 2 $whole $out/whole.snp >$out/whole.txt 2>&1
(ranks 3 $whole $out/killed.snp $out/run.ckpt 5 >$out/killed.txt 2>&1; echo $? >$out/killed.code) &
job=$!
tries=0
while [ ! -e $out/run.ckpt ] && [ $tries -lt 600 ]; do sleep 0.02; tries=$((tries + 1)); done
victim=$(pgrep -f "^$program $whole $out/killed.snp" | tail -n 1)
check "there is a rank to kill" [ -n "$victim" ]
[ -z "$victim" ] || kill -9 "$victim"
wait $job
check "a job whose rank was killed fails" [ "$(cat $out/killed.code)" != 0 ]
check "it saved no model" [ ! -e $out/killed.snp ]
check "its checkpoint goes on with 4 ranks" ranks 4 $whole $out/resumed.snp $out/run.ckpt 5 >$out/resumed.txt 2>&1
check "not from the beginning" says "from step [1-9]" $out/resumed.txt
check "to the bits of the run that nobody killed" cmp $out/whole.snp $out/resumed.snp
printf 'x' | dd of=$out/run.ckpt bs=1 seek=100 conv=notrunc 2>/dev/null
ranks 2 $whole $out/damaged.snp $out/run.ckpt >$out/damaged.txt 2>&1
check "a damaged checkpoint is refused" [ $? -ne 0 ]
check "and why" says "checksum" $out/damaged.txt
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
