#!/bin/sh
# Writes suites.h for the tests: for main.c the suite files given as arguments, for runner.c the name of every
# SUITE(...) in them.
echo '#ifndef SNEPPP_TEST_RUNNER'
for f in "$@"; do echo "#include \"$(basename "$f")\""; done
echo '#else'
sed -n 's/^SUITE(\([A-Za-z0-9_]*\)).*/SUITE_EXTERN(\1);/p' "$@"
printf '#define SNEPPP_TEST_RUN'
sed -n 's/^SUITE(\([A-Za-z0-9_]*\)).*/ RUN_SUITE(\1);/p' "$@" | tr -d '\n'
echo
echo '#endif'
