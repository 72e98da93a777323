#!/bin/sh
# The page in headless Chromium, driven by tests/web.mjs: sh tests/web.sh (after make web build/sneppp). What is missing is
# said and counted as skipped. The last line is "N passed, M failed".
skip() {
   echo "web-test: skipped, $1"
   echo "0 passed, 0 failed, 1 skipped"
   exit 0
}
out=build/web/test
mkdir -p "$out"
for tool in node npm; do command -v $tool >/dev/null 2>&1 || skip "needs $tool"; done
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)}
[ -n "$CHROMIUM" ] || skip "needs chromium"
[ -d "$out/node_modules/playwright-core" ] ||
   npm install --prefix "$out" --no-audit --no-fund --silent playwright-core@1 >"$out/npm.log" 2>&1 || skip "playwright-core cannot be had from npm"
cp tests/web.mjs "$out/web.mjs" # modules are looked for beside the file
CHROMIUM=$CHROMIUM exec node "$out/web.mjs"
