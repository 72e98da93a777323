#!/bin/sh
# Line coverage of sneppp.h, in all and by floor, from the .gcov files given: sh tests/cover.sh FILE.gcov...
# A line counts as run if any of the builds ran it. Lists the lines that no test runs in build/cover/missed.txt.
awk -F: '
   { count = $1; line = $2 + 0; gsub(/ /, "", count) }
   match($0, />>[a-z]+ ===/) { split(substr($0, RSTART + 2), w, " "); mark[line] = w[1] }
   count == "-" || line == 0 { next }
   { known[line] = 1; if (count !~ /^[#=]+$/) hit[line] = 1; else text[line] = $0; if (line > last) last = line }
   END {
      for (i = 1; i <= last; i++) {
         if (i in mark) { floor = mark[i]; if (!(floor in seen)) { seen[floor] = ++floors; name[floors] = floor } }
         if (!(i in known)) continue
         all++; size[floor]++
         if (i in hit) { run++; done[floor]++ } else print text[i] > "build/cover/missed.txt"
      }
      for (i = 1; i <= floors; i++) if (size[name[i]])
         printf "   %-10s %5.1f %% of %d lines\n", name[i], 100 * done[name[i]] / size[name[i]], size[name[i]]
      printf "sneppp.h: %.1f %% of %d lines covered\n", 100 * run / all, all
   }' "$@"
