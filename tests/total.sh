#!/bin/sh
# Adds up logs whose last line is "N passed, M failed", shows what failed, and says how it went.
for f in "$@"; do
   case "$(tail -n 1 "$f")" in
   *" passed, 0 failed") ;;
   *) echo "---- $f"; grep -n -A 4 '^FAIL\|error:\|ERROR:\|runtime error\|WARNING:' "$f" | head -n 25 ;;
   esac
done
for f in "$@"; do tail -n 1 "$f"; done | awk '
   { passed += $1; failed += $3 }
   END { print NR " configurations"; print passed " passed, " failed " failed"; exit failed > 0 || passed == 0 }'
