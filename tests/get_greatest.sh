#!/bin/sh
# Puts greatest.h, the test framework, into a directory: sh tests/get_greatest.sh build/greatest
#
# It is one header that we do not ship. Looked for, in this order:
#   1. the directory in GREATEST_DIR, if that is set; then the include path of the compiler (CC);
#   2. the upstream release v1.5.0, by curl or wget, if the network answers within seconds;
#   3. Debian's source package fzy, which carries version 1.3.1, through apt. The machine's own package sources
#      stay as they are: apt is given a temporary list, made from them, with lists and cache in a temporary place.
# What is downloaded must have the known sha256. What lies on the user's own path is the user's choice.
set -u

out=${1:-build/greatest}
cc=${CC:-cc}
url=https://raw.githubusercontent.com/silentbicycle/greatest/v1.5.0/greatest.h
sha_1_5_0=1292593d95c35eeccc89ffa1c91d6fe53b49f81cbf2c2b7758842b7f3186fcc2
sha_1_3_1=4ecd1c1c1b1d2cd7f0c8b0c9d87f92030b9ef7910da3a8197076b17d13076940

say() { echo "get_greatest: $*" >&2; }

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

install_from() { # file, words on where it came from
   mkdir -p "$out" && cp "$1" "$out/greatest.h.new$$" && mv "$out/greatest.h.new$$" "$out/greatest.h" || exit 1
   say "greatest.h is in $out, from $2"
   exit 0
}

hash_of() {
   if command -v sha256sum >/dev/null; then sha256sum <"$1"
   elif command -v shasum >/dev/null; then shasum -a 256 <"$1"
   elif command -v openssl >/dev/null; then openssl dgst -sha256 -r <"$1"
   else echo none
   fi | cut -d' ' -f1
}

check_hash() { # file, expected hash, words on where it came from
   is=$(hash_of "$1")
   [ "$is" = "$2" ] && return 0
   say "what came from $3 has sha256 $is, expected $2: not used"
   return 1
}

# 1. The user's own copy.
if [ -n "${GREATEST_DIR:-}" ]; then
   if [ -f "$GREATEST_DIR/greatest.h" ]; then install_from "$GREATEST_DIR/greatest.h" "GREATEST_DIR=$GREATEST_DIR"; fi
   say "GREATEST_DIR is $GREATEST_DIR, but there is no greatest.h in it"
   exit 1
fi
found=$(echo '#include <greatest.h>' | $cc -E -x c - 2>/dev/null | sed -n 's/^# 1 "\(.*greatest\.h\)".*/\1/p' | head -n 1)
if [ -n "$found" ] && [ -f "$found" ]; then install_from "$found" "the include path of $cc ($found)"; fi

# 2. Upstream. Short time limits: a machine without network must not wait.
got=$tmp/greatest.h
if command -v curl >/dev/null; then
   say "trying the upstream release v1.5.0"
   curl -fsSL --connect-timeout 4 --max-time 20 -o "$got" "$url" 2>/dev/null || rm -f "$got"
elif command -v wget >/dev/null; then
   say "trying the upstream release v1.5.0"
   wget -q -T 4 -t 1 -O "$got" "$url" 2>/dev/null || rm -f "$got"
fi
if [ -s "$got" ] && check_hash "$got" $sha_1_5_0 upstream; then install_from "$got" "the upstream release v1.5.0"; fi

# 3. Debian's fzy. Both styles of source lists are turned into source-package entries of a private list.
if command -v apt-get >/dev/null; then
   say "trying Debian's source package fzy (a temporary source list; the machine's own stays as it is)"
   mkdir -p "$tmp/parts" "$tmp/lists/partial" "$tmp/cache/archives/partial"
   n=0
   for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
      [ -f "$f" ] || continue
      n=$((n + 1))
      sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$f" >"$tmp/parts/$n.list"
   done
   for f in /etc/apt/sources.list.d/*.sources; do
      [ -f "$f" ] || continue
      n=$((n + 1))
      sed 's/^Types:.*/Types: deb-src/' "$f" >"$tmp/parts/$n.sources"
   done
   apt() {
      (cd "$tmp" && apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$tmp/parts" \
         -o Dir::State::lists="$tmp/lists" -o Dir::Cache="$tmp/cache" -o APT::Sandbox::User="$(id -un)" \
         -o Acquire::Retries=1 "$@") >"$tmp/log" 2>&1
   }
   if apt update && apt source --download-only fzy && (cd "$tmp" && tar xf fzy_*.orig.tar.*) >>"$tmp/log" 2>&1; then
      for f in "$tmp"/fzy-*/deps/greatest/greatest.h; do
         if [ -f "$f" ] && check_hash "$f" $sha_1_3_1 "the package fzy"; then
            install_from "$f" "Debian's source package fzy (greatest 1.3.1)"
         fi
      done
   else
      sed 's/^/get_greatest:    /' "$tmp/log" | tail -n 3 >&2
   fi
fi

say "could not get greatest.h. Please download version 1.5.0 from $url"
say "and run: make test GREATEST_DIR=the/directory/it/is/in"
exit 1
