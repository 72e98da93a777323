#!/bin/sh
# Adds up logs whose last line is "N passed, M failed" or "N passed, M failed, K skipped", shows what failed, and says how
# it went: sh tests/total.sh LOG... ABSENT  names of configurations that this machine cannot build, in the environment,
# count as one skipped each: what did not run has not passed.
for f in "$@"; do
   case "$(tail -n 1 "$f")" in
   *" passed, 0 failed" | *" passed, 0 failed, "*" skipped") ;;
   *) echo "---- $f"; grep -n -A 4 '^FAIL\|error:\|ERROR:\|runtime error\|WARNING:' "$f" | head -n 25 ;;
   esac
done
for name in $ABSENT; do echo "skipped, not on this machine: $name"; done
for f in "$@"; do tail -n 1 "$f"; done | awk -v absent="$ABSENT" '
   { passed += $1; failed += $3; if ($6 == "skipped") skipped += $5 }
   END {
      skipped += split(absent, list, " ")
      print NR " configurations"
      printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
      exit failed > 0 || passed == 0
   }'
