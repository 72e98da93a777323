#!/bin/sh
# The floors of the header: a private function is defined before it is used and never declared on its own. Compilers
# refuse the use of an unknown function, so it is enough that there are no prototypes. Also: every public function, and
# every type that depends on the precision, is in the renaming tables of the float build, and these hold nothing else;
# the contents name every floor, and one condition leaves out what inference does not need.
# Prints what is wrong.
h=${1:-sneppp.h}
bad=0
complain() { # words, list
   [ -z "$2" ] && return
   echo "floors: $1:"
   echo "$2" | sed 's/^/   /'
   bad=1
}

# Comments and preprocessor lines go, strings are emptied, and everything becomes one line; then it is cut at the
# ends of statements and bodies. A piece that opens at brace depth 0, names sneppp__x( and ends in a semicolon is a
# prototype (a typedef of a function pointer is not).
prototypes=$(awk '
   { gsub(/"([^"\\]|\\.)*"/, "\"\""); gsub(/\047([^\047\\]|\\.)\047/, "0") }
   /^[ \t]*#/ || continued { continued = /\\$/; next }
   { print }' "$h" | tr '\n' ' ' | sed 's,/\*,\n/*,g; s,\*/,*/\n,g' | awk '!/^\/\*/' | tr '\n' ' ' |
   sed 's/extern "" {//g; s/[{};]/&\n/g' | awk '
   { piece = $0; open = /\{$/; close_ = /\}$/
     if (depth == 0 && piece ~ /;$/ && piece ~ /sneppp__[a-z0-9_]+ *\(/ && piece !~ /typedef|=/) print piece
     if (open) depth++
     if (close_ && depth > 0) depth-- }' | sed 's/^ *//')
complain "private functions with a prototype" "$prototypes"

declared=$(sed -n 's/^SNEPPP_DEF [^(]*[ *]\(sneppp_[a-z0-9_]*\)(.*/\1/p' "$h" | sort -u)
# A private function of either precision, with a line for _f64 as well, is no renaming.
renamed=$(sed -n 's/^ *# *define *\(sneppp_[a-z0-9_]*\) *\(sneppp_[a-z0-9_]*\)_\(f32\|f64\) *$/\1 \2 \3/p' "$h" |
   awk '$1 == $2 { if ($3 == "f64") both[$1]; else one[$1] } END { for (n in one) if (!(n in both)) print n }' | sort -u)
# Types that name sneppp_real, or a type that does, and so on.
types=$(awk '
   { gsub(/\/\*[^*]*\*\//, "") }
   /^typedef struct sneppp_[a-z0-9_]* \{/ { name = $3; text[name] = ""; kind[name] = 1 }
   name != "" { text[name] = text[name] " " $0 " " }
   name != "" && $0 ~ ("\\} " name ";") { name = "" }
   /^typedef .*\(\*sneppp_[a-z0-9_]*\)\(/ { f = $0; sub(/.*\(\*/, "", f); sub(/\).*/, "", f); text[f] = " " $0 " "; kind[f] = 1 }
   END {
      bad["sneppp_real"] = 1
      do {
         more = 0
         for (t in text) if (!(t in bad)) for (b in bad) if (b != t && text[t] ~ ("[^a-z0-9_]" b "[^a-z0-9_]")) { bad[t] = 1; more = 1; break }
      } while (more)
      for (b in bad) print b
   }
' "$h")
# Every floor is in the manual's contents, and all that SNEPPP_INFERENCE_ONLY leaves out is left out at once.
floors=$(sed -n '/^#define SNEPPP_IMPLEMENTED/,$s,^/\* >>\([a-z]*\) ===.*,\1,p' "$h")
complain "floors that the contents do not name" \
   "$(for f in $floors; do sed -n '/CONTENTS/,/^>>start/p' "$h" | grep -q ">>$f\b" || echo "$f"; done)"
complain "more than one part that SNEPPP_INFERENCE_ONLY leaves out" \
   "$(sed '1,/^#define SNEPPP_IMPLEMENTED/d' "$h" | grep -n '^#ifndef SNEPPP_INFERENCE_ONLY' | sed 1d)"
tmp=$(mktemp -d) || exit 1
printf '%s\n' "$declared" "$types" | sort -u >"$tmp/declared"
echo "$renamed" >"$tmp/renamed"
complain "public functions or types with reals that are missing from the renaming tables" "$(comm -23 "$tmp/declared" "$tmp/renamed")"
complain "names in the renaming tables that are neither" "$(comm -13 "$tmp/declared" "$tmp/renamed")"
rm -rf "$tmp"
exit $bad
