# make help lists the targets. Everything that is built goes under build/.
CC     ?= cc
CXX    ?= c++
CFLAGS ?= -O2 -g

WARN_C = -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wvla
SUITE_FILES := $(sort $(wildcard tests/test_*.c))
TEST_INC = -Ibuild/gen -Itests -isystem build/greatest

.PHONY: test clean
test: build/test/tests
	$<

build/test/tests: tests/main.c tests/runner.c sneppp.h build/gen/suites.h build/greatest/greatest.h $(SUITE_FILES)
	@mkdir -p $(@D)
	$(CC) $(TEST_INC) -c -o $@.runner.o tests/runner.c
	$(CC) -std=c99 $(WARN_C) $(CFLAGS) $(TEST_INC) -o $@ tests/main.c $@.runner.o -lm

build/greatest/greatest.h:
	@CC="$(CC)" sh tests/get_greatest.sh build/greatest

# Always made, but replaced only when it changes, so that a file that was added or removed is noticed.
build/gen/suites.h: FORCE
	@mkdir -p $(@D)
	@sh tests/suites.sh $(SUITE_FILES) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
FORCE:

suite-%: build/greatest/greatest.h
	@mkdir -p build/test build/gen
	@sh tests/suites.sh tests/test_$*.c > build/gen/suite_$*.h
	$(CC) $(TEST_INC) -DSNEPPP_TEST_SUITES='"suite_$*.h"' -c -o build/test/$@.runner.o tests/runner.c
	$(CC) -std=c99 $(WARN_C) $(CFLAGS) $(TEST_INC) -DSNEPPP_TEST_SUITES='"suite_$*.h"' -o build/test/$@ tests/main.c build/test/$@.runner.o -lm
	build/test/$@

clean:
	rm -rf build
