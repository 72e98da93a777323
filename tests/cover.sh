#!/bin/sh
# Line coverage of sneppp.h, in all and by floor, from the .gcov files given: sh tests/cover.sh FILE.gcov...
# A line counts as run if any of the builds ran it. Lists the lines that no test runs in build/cover/missed.txt. Code for a
# vector unit that this machine lacks cannot run here; it is left out, and said. The last number of a floor is its bar: fails
# below it.
grep -q avx512f /proc/cpuinfo 2>/dev/null && absent="^$" || absent="avx512|AVX512"
rm -f build/cover/missed.txt
awk -F: -v absent="$absent" '
   { count = $1; line = $2 + 0; gsub(/ /, "", count) }
   match($0, />>[a-z]+ ===/) { split(substr($0, RSTART + 2), w, " "); mark[line] = w[1] }
   count == "-" || line == 0 { next }
   count ~ /^[#=]+$/ && $0 ~ absent { left[line] = 1; next }
   { known[line] = 1; if (count !~ /^[#=]+$/) hit[line] = 1; else text[line] = $0; if (line > last) last = line }
   END {
      for (i = 1; i <= last; i++) {
         if (i in mark) { floor = mark[i]; if (!(floor in seen)) { seen[floor] = ++floors; name[floors] = floor } }
         if (!(i in known)) continue
         all++; size[floor]++
         if (i in hit) { run++; done[floor]++ } else print text[i] > "build/cover/missed.txt"
      }
      for (i = 1; i <= floors; i++) if (size[name[i]]) {
         least = name[i] ~ /^(base|machine|special|mem|threads|rng|linalg|integrals|io|input)$/ ? 100 : 98
         share = 100 * done[name[i]] / size[name[i]]
         if (share < least) bad = 1
         printf "   %-10s %6.2f %% of %4d lines, %3d missed%s\n", name[i], share, size[name[i]], size[name[i]] - done[name[i]],
            share < least ? ", below " least " %" : ""
      }
      printf "sneppp.h: %.2f %% of %d lines covered\n", 100 * run / all, all
      for (i in left) others++
      if (others) print others " lines for a vector unit that this machine lacks are not counted"
      exit bad
   }' "$@"
