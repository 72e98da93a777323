# Plain make, nothing to configure. `make help` lists the targets. All products go under build/.
# CC, CXX and CFLAGS can be overridden: make test CC=clang CFLAGS="-O3 -march=native"
CC     ?= cc
CXX    ?= c++
CFLAGS ?= -O2

comma   := ,
WARN     = -Wall -Wextra -Wpedantic -Wconversion -Wshadow
WARN_C   = $(WARN) -Wstrict-prototypes -Wvla
TEST_INC = -Ibuild/gen -Itests -isystem build/greatest
TEST_LIB = -lm -pthread

SUITE_FILES := $(sort $(wildcard tests/test_*.c))
TEST_FILES  := tests/main.c tests/runner.c $(SUITE_FILES) $(wildcard tests/*.h tests/*/*.h)
TEST_DEPS   := $(TEST_FILES) sneppp.h build/gen/suites.h build/greatest/greatest.h

# ---- programs: each file of examples/ that has a main function, and those that users and checks call by name
EXAMPLES := $(patsubst examples/%.c,build/examples/%,$(filter-out examples/mpi.c,$(shell grep -l 'int main' examples/*.c 2>/dev/null)))
EXAMPLES += $(if $(shell command -v $(CXX)),$(patsubst examples/%.cpp,build/examples/%,$(wildcard examples/*.cpp)))
JUDGES   := build/bench/truth build/bench/future build/bench/check build/bench/cover
BENCHES  := $(filter-out $(JUDGES) build/bench/ranks,$(patsubst bench/%.c,build/bench/%,$(sort $(wildcard bench/*.c))))
PROGRAMS := build/sneppp $(filter-out build/examples/sneppp,$(EXAMPLES))

.PHONY: all help demo examples test check check-quick check-list check-compile mutate sanitize lint cover size format clean FORCE
all: $(PROGRAMS) ## build every program: the examples and tools (default; needs only a C compiler)

help: ## this list
	@sed -n 's/^\([a-z][a-z0-9-]*\):[^#]*## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | awk -F@ '{ printf "%-20s %s\n", $$1, $$2 }'
	@echo "  make suite-NAME    build and run only tests/test_NAME.c"

# Every program is a single file that creates the library by itself, as the cc line in its first comment says. Here the
# library is compiled once instead: where SNEPPP_IMPLEMENTED is defined, the header makes no code, and the program is
# linked with the object. Those that need a library of their own compile it: hooks, floats, constants of another size, and
# what looks at private functions (the oracle and the benchmarks).
OWN_LIBRARY := build/examples/blas build/examples/stream build/examples/firmware build/oracle $(BENCHES) build/bench/ranks
LIBRARY      = $(if $(filter $@,$(OWN_LIBRARY)),,build/obj/sneppp.o)
BUILD_C      = $(CC) -std=c99 $(WARN_C) $(CFLAGS)
BUILD_PROGRAM = @mkdir -p $(@D) && echo "cc $@" && \
                $(BUILD_C) $(if $(LIBRARY),-DSNEPPP_IMPLEMENTED) -o $@ $< $(LIBRARY) -lm -pthread $(EXTRA)

build/obj/sneppp.o: sneppp.h
	@mkdir -p $(@D) && echo "cc $@" && printf '#define SNEPPP_IMPLEMENTATION\n#include "sneppp.h"\n' | \
	   $(BUILD_C) -I. -DSNEPPP_PTHREADS -x c -c -o $@ -
$(filter-out $(OWN_LIBRARY),$(PROGRAMS)): build/obj/sneppp.o
build/examples/blas: EXTRA = -O1 # it shows that hooks are called, not how fast
build/examples/%: examples/%.c $(wildcard examples/*.h) sneppp.h
	$(BUILD_PROGRAM)
build/examples/%: examples/%.cpp sneppp.h
	@mkdir -p $(@D) && echo "c++ $@" && \
	   $(CXX) -std=c++17 $(WARN) $(CFLAGS) -DSNEPPP_IMPLEMENTED -o $@ $< $(LIBRARY) -lm -pthread
build/sneppp: examples/sneppp.c $(wildcard examples/*.h) sneppp.h
	$(BUILD_PROGRAM)
build/oracle: tests/oracle.c tests/oracle_core.h sneppp.h
	$(BUILD_PROGRAM)

examples: $(PROGRAMS) ## run every example and the program, and check what they print and draw
	@sh tests/examples.sh $(sort $(PROGRAMS))

# The programs draw what they always draw, only elsewhere.
PICTURES := trees coal sure districts covariates gold exposure earth game custom wildfire check
.PHONY: pictures
pictures: $(PICTURES:%=build/examples/%) ## draw the pictures of the README again
	@for p in $(PICTURES); do build/examples/$$p > /dev/null && cp build/$$p.png examples/pictures/$$p.png || exit 1; done
	@ls -l examples/pictures

demo: build/examples/trees ## build and run the main job on shipped data; no packages, no network
	build/examples/trees

# ---- other languages: one shared library, whose name carries the version (below 1.0, a minor version may change structs),
# the binding for Python, the page for browsers, and a project of CMake that consumes the header.
PYTHON  ?= /usr/bin/python3
VERSION := $(shell awk '$$2 ~ /^SNEPPP_VERSION_(MAJOR|MINOR|PATCH)$$/ { printf "%s%s", dot, $$3; dot = "." }' sneppp.h)
SONAME  := libsneppp.so.$(basename $(VERSION))
.PHONY: shared python-test cmake-test
shared: build/libsneppp.so ## one shared library with public symbols only, for other languages
build/libsneppp.so: examples/python/library.c examples/export.h sneppp.h
	@mkdir -p $(@D) && echo "cc build/libsneppp.so.$(VERSION)" && \
	   $(BUILD_C) -fPIC -shared -Wl,-soname,$(SONAME) -o build/libsneppp.so.$(VERSION) $< -lm -pthread && \
	   ln -sf libsneppp.so.$(VERSION) build/$(SONAME) && ln -sf libsneppp.so.$(VERSION) $@ && touch -h $@
python-test: build/libsneppp.so build/sneppp ## the binding for Python against the bits of the program
	@if command -v $(PYTHON) > /dev/null; then $(PYTHON) tests/python.py; else echo "python-test: skipped, needs python3"; fi
cmake-test: build/sneppp ## a project of CMake that consumes the header
	@sh tests/cmake.sh

# More than one machine: mpi.c is built where there is MPI, and is no part of `make`.
.PHONY: mpi-test
build/examples/mpi: examples/mpi.c sneppp.h
	@mkdir -p $(@D) && echo "mpicc $@" && mpicc -std=c99 $(WARN_C) $(CFLAGS) -o $@ $< -lm
mpi-test: ## the same bits for 1 to 4 ranks of MPI, and a killed rank (needs openmpi-bin, libopenmpi-dev)
	@if command -v mpicc mpirun > /dev/null; then $(MAKE) -s build/examples/mpi && sh tests/mpi.sh; \
	   else echo "mpi-test: skipped, needs mpicc and mpirun"; fi

# The page: the module is compiled and linked by Emscripten without its JavaScript, and put into one file with the page.
WEB_FLAGS = -std=c99 $(WARN_C) -O2 -msimd128
WEB_LINK  = -O2 -s STANDALONE_WASM=1 --no-entry -s ALLOW_MEMORY_GROWTH=1 -s MAXIMUM_MEMORY=2GB -s TOTAL_STACK=1MB \
            -s ERROR_ON_UNDEFINED_SYMBOLS=0 -s WARN_ON_UNDEFINED_SYMBOLS=0
.PHONY: web web-test
web: build/web/index.html ## the page for browsers, build/web/index.html, one file that works offline (needs emscripten)
build/web/sneppp.wasm: examples/web/web.c examples/export.h sneppp.h
	@mkdir -p $(@D) && echo "emcc $@" && emcc $(WEB_FLAGS) -c -o build/web/web.o $< && emcc $(WEB_LINK) -o $@ build/web/web.o
build/web/index.html: build/web/sneppp.wasm examples/web/build.py examples/web/index.html examples/web/page.css examples/web/page.js examples/web/worker.js
	@python3 examples/web/build.py $< $@ && ls -l $@
web-test: build/web/index.html build/sneppp build/libsneppp.so ## the page in headless Chromium beside the program (needs emscripten, node, npm, chromium)
	@sh tests/web.sh

# ---- tests
test: build/test/tests ## build and run the tests (fetches greatest.h first, see tests/get_greatest.sh)
	build/test/tests

# $(call BUILD_TESTS,program,flags)
BUILD_TESTS = $(CC) $(TEST_INC) $(2) -c -o $(1).runner.o tests/runner.c && \
   $(CC) -std=c99 $(WARN_C) $(CFLAGS) $(TEST_INC) $(2) -o $(1) tests/main.c $(1).runner.o $(TEST_LIB)
build/test/tests: $(TEST_DEPS)
	@mkdir -p $(@D)
	$(call BUILD_TESTS,$@)

# A suite of a low floor takes the header only up to that floor, and is there in a second or two: the header ends before
# the floor that is named here, where three conditions are open.
BEFORES := base:mem mem:threads threads:optim rng:linalg linalg:integrals special:space vector:loss space:loss \
           kernel:optim kernel_gauss:loss kernel_shape:optim optim:radial
BEFORE   = $(patsubst $*:%,%,$(filter $*:%,$(BEFORES)))

suite-%: build/greatest/greatest.h FORCE
	@mkdir -p build/test build/gen
	@sh tests/suites.sh tests/test_$*.c > build/gen/suite_$*.h
	@awk 'NR == 1 { print "#line 1 \"sneppp.h\"" } /^\/\* >>$(BEFORE) ===/ { print "#endif\n#endif\n#endif"; exit } { print }' \
	   sneppp.h > build/gen/upto_$*.h
	$(call BUILD_TESTS,build/test/$@,-DSNEPPP_TEST_SUITES='"suite_$*.h"' -Wno-unused-function $(if $(BEFORE),-DSNEPPP_TEST_HEADER='"upto_$*.h"'))
	$(RUN) build/test/$@

build/greatest/greatest.h:
	@CC="$(CC)" sh tests/get_greatest.sh build/greatest

# Always made, but replaced only when it changes, so that a suite that was added or removed is noticed.
build/gen/suites.h: FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; sh tests/suites.sh $(SUITE_FILES) > $$new; if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi
FORCE:

# ---- the build matrix: $(call CONFIG,name,compiler,flags,libraries,short,left) adds one configuration of the test program.
# Each is compiled and run by tests/config.sh, which leaves a log whose last line is "N passed, M failed". Where the numbers
# are those of another build but for rounding, it is short: without the long tests that judge fits (RUN_TEST_LONG). These, and
# suites that are left out, are named in that log, and counted as skipped.
# Suites that fit and draw, and take two thirds of the time: FIT_SUITES are left out where what a build has of its own is
# in the others, SLOW_SUITES where another build of the same compiler has them.
SLOW_SUITES := auto ranks level
FIT_SUITES  := $(SLOW_SUITES) raster sample sure check
STRICT_C   = -std=c99 $(WARN_C) -Werror
STRICT_CXX = -x c++ -std=c++17 $(WARN) -Werror
define CONFIG
CHECKS += $(1)
build/check/$(1).log: tests/config.sh $$(TEST_DEPS)
	@sh tests/suites.sh $$(filter-out $(6:%=tests/test_%.c),$$(SUITE_FILES)) > build/gen/suites_$(1).h
	@$(if $(5),SNEPPP_TEST_SHORT=1) LEFT="$(6)" sh tests/config.sh build/check/$(1) $(2) $(3) $(if $(6),-Wno-unused-function) '-DSNEPPP_TEST_SUITES="suites_$(1).h"' $$(TEST_INC) -- $(4) $$(TEST_LIB)
endef

have    = $(shell command -v $(1) 2>/dev/null)
HAVE_BLAS := $(wildcard /usr/include/*/openblas_config.h /usr/include/openblas_config.h)
# The kernel's headers are the same for 32 bits, but Debian has a path to them only with gcc-multilib, which cross compilers
# do not bear.
FLAGS_32 := -m32 -msse2 -mfpmath=sse -idirafter /usr/include/x86_64-linux-gnu
HAVE_32  := $(shell echo 'int main(void) { return 0; }' | gcc $(FLAGS_32) -include math.h -include errno.h -x c -o /dev/null - 2>/dev/null && echo yes)

ifneq ($(call have,gcc),)
$(eval $(call CONFIG,gcc-double,gcc,$(STRICT_C) -O2))
$(eval $(call CONFIG,gcc-float,gcc,$(STRICT_C) -O2 -DSNEPPP_REAL_FLOAT))
$(eval $(call CONFIG,gcc-O3-fast-math,gcc,$(STRICT_C) -O3 -ffast-math,,short))
$(eval $(call CONFIG,gcc-no-simd,gcc,$(STRICT_C) -O2 -DSNEPPP_NO_SIMD,,short,$(FIT_SUITES)))
$(eval $(call CONFIG,gcc-native-ndebug,gcc,$(STRICT_C) -O2 -march=native -DNDEBUG,,short))
ifneq ($(HAVE_32),)
$(eval $(call CONFIG,gcc-32-bit,gcc,$(STRICT_C) -O2 $(FLAGS_32),,short))
endif
endif
ifneq ($(call have,g++),)
$(eval $(call CONFIG,g++-cxx17,g++,$(STRICT_CXX) -O2,,short,$(SLOW_SUITES)))
endif
ifneq ($(call have,clang),)
$(eval $(call CONFIG,clang-double,clang,$(STRICT_C) -O2,,short))
$(eval $(call CONFIG,clang-float,clang,$(STRICT_C) -O1 -DSNEPPP_REAL_FLOAT,,short))
$(eval $(call CONFIG,clang-O3-fast-math,clang,$(STRICT_C) -O3 -ffast-math,,short,$(SLOW_SUITES)))
endif
ifneq ($(call have,clang++),)
# The tests count with constants of enumerations, which C++ dislikes in sums of doubles and C has no better word for.
$(eval $(call CONFIG,clang++-cxx17-float,clang++,$(STRICT_CXX) -Wno-enum-float-conversion -O1 -DSNEPPP_REAL_FLOAT,,short,$(SLOW_SUITES)))
endif
ifeq ($(CHECKS),)
$(eval $(call CONFIG,cc-double,$(CC),$(STRICT_C) -O2))
$(eval $(call CONFIG,cc-float,$(CC),$(STRICT_C) -O2 -DSNEPPP_REAL_FLOAT))
endif
ifneq ($(HAVE_BLAS),)
$(eval $(call CONFIG,openblas-hooks,$(CC),$(STRICT_C) -O2 -include tests/blas_hooks.h,-lopenblas,short,level check sample kernel kernel_gauss kernel_shape)) # which call no hook but in fits
endif

# Without optimisation most of the time is that of these suites, which run at -O1 under the sanitizers as well.
ifneq ($(call have,gcc),)
$(eval $(call CONFIG,gcc-O0-static,gcc,$(STRICT_C) -O0 -DSNEPPP_STATIC,,short,$(FIT_SUITES)))
endif

# $(call MATRIX,compiler or yes,names) says that these need it; what a machine cannot build is named and counted as skipped.
MATRIX   = $(if $(1),,$(eval ABSENT += $(2)))
$(call MATRIX,$(call have,gcc),gcc-double gcc-float gcc-O0-static gcc-O3-fast-math gcc-no-simd gcc-native-ndebug)
$(call MATRIX,$(HAVE_32),gcc-32-bit)
$(call MATRIX,$(call have,g++),g++-cxx17)
$(call MATRIX,$(call have,clang),clang-double clang-float clang-O3-fast-math)
$(call MATRIX,$(call have,clang++),clang++-cxx17-float)
$(call MATRIX,$(HAVE_BLAS),openblas-hooks)

# RAN names what has run already by another name, as make test is gcc-double where cc is gcc: .ci/run does it once.
RAN ?=
check: $(patsubst %,build/check/%.log,$(filter-out $(RAN),$(CHECKS)) compile export arm) ## the tests in every configuration, and the compile and link tests (try -j2)
	@ABSENT="$(ABSENT)" sh tests/total.sh $^

# The configurations that differ most from make test, the most telling first.
QUICK := $(foreach c,gcc-float gcc-O3-fast-math g++-cxx17 gcc-O0-static gcc-no-simd clang-double cc-float,$(filter $(c),$(CHECKS)))
check-quick: $(QUICK:%=build/check/%.log) build/check/compile.log ## the part of it that differs most from make test
	@sh tests/total.sh $^
check-list: # for .ci/run, which runs them beside other work
	@echo $(filter-out $(RAN),$(CHECKS))

check-compile: build/check/compile.log ## what only a compiler, a linker or nm can tell about the header
	@sh tests/total.sh $^

build/check/compile.log: $(TEST_DEPS) $(wildcard tests/compile/* tests/*.sh) README.md LICENSE
	@CC="$(CC)" CXX="$(CXX)" sh tests/compile.sh build/check/compile

build/check/export.log: sneppp.h tests/export.sh tests/export/export.c
	@CC="$(CC)" CXX="$(CXX)" sh tests/export.sh build/check/export

build/check/arm.log: build/check/export.log tests/arm.sh $(wildcard tests/arm/*) examples/firmware.c examples/firmware_model.h
	@CC="$(CC)" sh tests/arm.sh check

sanitize: ## the tests under the address, undefined and thread sanitizers
	@$(MAKE) --no-print-directory build/check/sanitize-address.log build/check/sanitize-thread.log
	@sh tests/total.sh build/check/sanitize-address.log build/check/sanitize-thread.log

CHECKS_SAVED := $(CHECKS)
$(eval $(call CONFIG,sanitize-address,$(CC),$(STRICT_C) -O1 -g -fsanitize=address$(comma)undefined -fno-sanitize-recover=all))
$(eval $(call CONFIG,sanitize-thread,$(CC),$(STRICT_C) -O1 -g -fsanitize=thread,,short))
CHECKS := $(CHECKS_SAVED)

# ---- other machines: $(call MACHINE,name,compiler,packages,runner,flags,suites) makes build/check/NAME.log as above; no
# suites means all of them (with a few, some helpers that the suites share have no caller). Without its compiler or its runner a machine is skipped, which is said and is no failure.
WINE64 := $(firstword $(wildcard /usr/lib/wine/wine64 /usr/lib/x86_64-linux-gnu/wine/wine64) wine64)
define MACHINE
build/check/$(1).log: tests/config.sh $$(TEST_DEPS)
	@mkdir -p build/check && sh tests/suites.sh $(if $(6),$(patsubst %,tests/test_%.c,$(6)),$$(SUITE_FILES)) > build/gen/suites_$(1).h
	@if command -v $(2) > /dev/null && { [ -z "$(4)" ] || command -v $(firstword $(4) true) > /dev/null; }; then \
	   SNEPPP_TEST_SHORT=1 RUN="$(4)" WINEDEBUG=-all sh tests/config.sh build/check/$(1) $(2) $$(STRICT_C) $(if $(6),-Wno-unused-function) $(5) '-DSNEPPP_TEST_SUITES="suites_$(1).h"' $$(TEST_INC) -- $$(TEST_LIB); \
	else echo "$(1): skipped, needs $(3)" | tee $$@; fi
endef
# Under qemu stacks take as long as three of these suites, and models on s390x, where only the order of bytes is another, as
# long as all others together: both are measured where machines run at their own speed.
VECTOR_SUITES := vector linalg loss model fit
FLOAT_SUITES  := vector loss
PLAIN_SUITES  := base mem rng special space io
$(eval $(call MACHINE,mingw,x86_64-w64-mingw32-gcc,gcc-mingw-w64-x86-64 and wine64,$(WINE64),-O2 -static))
$(eval $(call MACHINE,musl,musl-gcc,musl-tools,,-O2 -static))
$(eval $(call MACHINE,aarch64,aarch64-linux-gnu-gcc,gcc-aarch64-linux-gnu and qemu-user,qemu-aarch64,-O2 -static,$(VECTOR_SUITES)))
$(eval $(call MACHINE,aarch64-float,aarch64-linux-gnu-gcc,gcc-aarch64-linux-gnu and qemu-user,qemu-aarch64,-O2 -static -DSNEPPP_REAL_FLOAT,$(FLOAT_SUITES)))
$(eval $(call MACHINE,s390x,s390x-linux-gnu-gcc,gcc-s390x-linux-gnu and qemu-user,qemu-s390x,-O2 -static,$(PLAIN_SUITES)))

.PHONY: mingw musl aarch64 s390x neon
MACHINE_TOTAL = @if grep -q 'skipped, needs' $^; then cat $^; else sh tests/total.sh $^; fi
mingw: build/check/mingw.log ## the tests for Windows, by MinGW, under wine
	$(MACHINE_TOTAL)
musl: build/check/musl.log ## the tests with musl, whose threads have little stack
	$(MACHINE_TOTAL)
aarch64: build/check/aarch64.log build/check/aarch64-float.log ## the suites that lean on vectors, for AArch64, under qemu, in double and float
	$(MACHINE_TOTAL)
s390x: build/check/s390x.log ## the suites that lean on the order of bytes, for a big-endian machine, under qemu
	$(MACHINE_TOTAL)
neon: aarch64

lint: ## cppcheck, clang-tidy and gcc -fanalyzer, where installed; any finding fails
	@sh tests/lint.sh $(sort $(filter-out examples/mpi.c,$(wildcard examples/*.c)))

# Four builds: double, and float and plain C without vectors, in the suites that have other code for them. -O1 takes a third of
# the time of -O0; lines that it merges with others count with these. Long tests run no line of their own and are left out.
COVER = cd build/cover/$(1) && (cd ../../.. && sh tests/suites.sh $(3)) > suites.h && gcc -w $(COVER_INC) -c -o runner.o ../../../tests/runner.c && \
   gcc -std=c99 -w -O1 --coverage $(2) $(COVER_INC) -c -o main.o ../../../tests/main.c && gcc --coverage -o tests main.o runner.o $(TEST_LIB) && \
   (cd ../../.. && SNEPPP_TEST_SHORT=1 build/cover/$(1)/tests) > log.txt && tail -n 1 log.txt && gcov main.o > /dev/null
COVER_INC  = -I. -I../../../tests -isystem ../../greatest
cover_some = $(patsubst %,tests/test_%.c,$(1))
cover: $(TEST_DEPS) ## line coverage of sneppp.h by the tests (needs gcc and gcov)
	@rm -rf build/cover && mkdir -p build/cover/double build/cover/float build/cover/plain build/cover/plain_float
	@$(call COVER,double,,$(SUITE_FILES))
	@$(call COVER,float,-DSNEPPP_REAL_FLOAT,$(call cover_some,vector linalg radial model loss fit convex io export_c))
	@$(call COVER,plain,-DSNEPPP_NO_SIMD,$(call cover_some,vector linalg kernel radial model loss))
	@$(call COVER,plain_float,-DSNEPPP_NO_SIMD -DSNEPPP_REAL_FLOAT,$(call cover_some,vector linalg radial model))
	@sh tests/cover.sh build/cover/*/sneppp.h.gcov

# Changes one operator, constant or condition of the header at a time: which go unnoticed? MUTATE_SEED=1 MUTATE_COUNT=200
# MUTATE_FLOOR=name of one floor only. tests/mutate.py says how; tests/mutants.txt lists what survives and why.
mutate: build/greatest/greatest.h ## do the tests notice 200 random changes of the header? (needs python3 and gcc)
	@python3 tests/mutate.py

size: ## code size and time to compile; code, constants and stack of the exported model on a Cortex-M (or here)
	@mkdir -p build/size
	@for flags in -Os -O2 "-O2 -DSNEPPP_REAL_FLOAT"; do \
	   start=$$(date +%s%N); $(CC) -std=c99 $$flags -c -o build/size/sneppp.o tests/lint.c && end=$$(date +%s%N) && \
	   size build/size/sneppp.o | awk -v f="$$flags" -v t=$$(( (end - start) / 1000000 )) 'NR == 2 { \
	      printf "%-25s %7d bytes of code and constants, %d of data, compiled in %.2f s\n", f, $$1, $$2 + $$3, t / 1000 }'; done
	@CC="$(CC)" sh tests/arm.sh size

# ---- benchmarks: each program of bench/ checks itself against the plain reference first, then prints its lines, name
# value unit. The peers in Python run beside the programs that they are compared with.
build/bench/%: bench/%.c bench/bench.h sneppp.h
	$(BUILD_PROGRAM)
$(JUDGES): bench/rivals.h bench/truths.h bench/ground.h build/obj/sneppp.o
build/bench/check: examples/check.h
build/bench/train_f32: bench/train.c
build/bench/linalg_f32: bench/linalg.c
ifneq ($(wildcard /usr/include/*/openblas_config.h /usr/include/openblas_config.h),)
build/bench/linalg build/bench/linalg_f32: EXTRA = -DBENCH_BLAS -lopenblas
endif

.PHONY: bench bench-report bench-truth bench-check bench-cover bench-ranks
bench: $(BENCHES) ## build and run the benchmarks: lines of name, value, unit
	@for b in $(BENCHES); do OPENBLAS_NUM_THREADS=1 $$b || exit 1; done
	@if $(PYTHON) -c "import torch" 2>/dev/null; then $(PYTHON) bench/peers/train.py build/bench; \
	   else echo "bench: python3-torch is not installed, so nothing is compared with PyTorch" >&2; fi

bench-report: $(BENCHES) ## run them and write their table into bench/README.md (needs python3; uses python3-torch and OpenBLAS)
	@$(MAKE) -s --no-print-directory bench > build/bench/lines.txt
	@$(PYTHON) bench/report.py build/bench/lines.txt bench/README.md

bench-ranks: build/bench/ranks ## one step on 1 and 2 ranks, and what 1024 would make of it: the picture and lines of bench/README.md
	@build/bench/ranks && cp build/ranks.png examples/pictures/ranks.png

COVER_PATTERNS ?= 100,100,100
COVER_CONVEX   ?= flat,smooth,step,ridge,clusters,letter,line 60,300,3000
# The judges need no clock: fits beside known intensities, and beside what happened later. They link the library.
bench-cover: build/bench/cover ## do intervals hold what they promise? The tables of bench/README.md (an hour; COVER_PATTERNS=20,20,5 for less)
	@build/bench/cover $(COVER_PATTERNS) --table > build/bench/cover.md && echo >> build/bench/cover.md && \
	   build/bench/cover $(COVER_PATTERNS) $(COVER_CONVEX) --method convex --table >> build/bench/cover.md && \
	   awk '$$0 == "<!-- bench-cover -->" { print; while ((getline row < "build/bench/cover.md") > 0) print row; old = 1 } \
	      $$0 == "<!-- /bench-cover -->" { old = 0 } !old' bench/README.md > build/bench/README.md && cp build/bench/README.md bench/README.md

bench-truth: $(JUDGES) ## known intensities and the future: both tables into bench/README.md (5 minutes; reads ../shared/data)
	@for b in truth future; do build/bench/$$b --table > build/bench/$$b.md && \
	   awk -v name="$$b" '$$0 == "<!-- bench-" name " -->" { print; while ((getline row < ("build/bench/" name ".md")) > 0) print row; old = 1 } \
	      $$0 == "<!-- /bench-" name " -->" { old = 0 } !old' bench/README.md > build/bench/README.md && cp build/bench/README.md bench/README.md || exit 1; done

bench-check: build/bench/check ## how often `check` rejects Poisson patterns and others: its table into bench/README.md (half an hour)
	@build/bench/check --table > build/bench/check.md && \
	   awk '$$0 == "<!-- bench-check -->" { print; while ((getline row < "build/bench/check.md") > 0) print row; old = 1 } \
	      $$0 == "<!-- /bench-check -->" { old = 0 } !old' bench/README.md > build/bench/README.md && cp build/bench/README.md bench/README.md

# ---- the paper, table by table: PAPER=full for 100 splits, 2 of what takes longest (hours; an interrupted run goes on where it was), PAPER_DATA=folder
PAPER      ?= quick
PAPER_DATA ?= ../shared/data
PAPER_RUN   = build/bench/paper/paper
build/bench/paper/permanental.o: bench/paper/permanental.c bench/paper/permanental.h sneppp.h
	@mkdir -p $(@D) && echo "cc $@" && $(BUILD_C) -c -o $@ $<
$(PAPER_RUN): bench/paper/paper.c $(wildcard bench/paper/*.h bench/*.h examples/*.h) build/bench/paper/permanental.o build/obj/sneppp.o
	@mkdir -p $(@D) && echo "cc $@" && $(BUILD_C) -DSNEPPP_IMPLEMENTED -o $@ $< build/bench/paper/permanental.o build/obj/sneppp.o -lm -pthread
.PHONY: paper
paper: $(PAPER_RUN) ## every table and figure of the paper, rivals and all, into bench/paper.md: 5 splits, or PAPER=full (hours; resumes)
	$(PAPER_RUN) table $(if $(filter full,$(PAPER)),100 2,5 1) --data $(PAPER_DATA)
	$(PAPER_RUN) truth --data $(PAPER_DATA) && $(PAPER_RUN) convergence --data $(PAPER_DATA) && $(PAPER_RUN) scaling
	$(PAPER_RUN) future --data $(PAPER_DATA) && $(PAPER_RUN) copper --data $(PAPER_DATA) && $(PAPER_RUN) products --data $(PAPER_DATA)
	for part in globe fires; do gzip -dc $(PAPER_DATA)/wildfires_modis_2019.csv.gz | $(PAPER_RUN) $$part || exit 1; done
	$(PAPER_RUN) errata --data $(PAPER_DATA) && $(PAPER_RUN) write

# ---- the loader against hostile bytes: libFuzzer where clang has it, otherwise a program with mutations of its own
FUZZ_SECONDS ?= 20
FUZZ_INPUTS  ?= 0
.PHONY: fuzz
fuzz: ## damaged and hostile saved models under the sanitizers, for FUZZ_SECONDS=20 or FUZZ_INPUTS=n
	@mkdir -p build/fuzz/new
	@if clang -std=c99 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -DFUZZ_LIBFUZZER -o build/fuzz/libfuzzer tests/fuzz_load.c -lm 2>/dev/null; then \
	   echo "libFuzzer" && build/fuzz/libfuzzer -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -artifact_prefix=build/fuzz/ -print_final_stats=1 build/fuzz/new tests/corpus 2>build/fuzz/log.txt || \
	      { tail -n 40 build/fuzz/log.txt; exit 1; }; grep -a 'number_of_executed_units\|cov:' build/fuzz/log.txt | tail -n 2; \
	else echo "libFuzzer: skipped, needs clang and its runtime (libclang-rt)"; fi
	@$(CC) -std=c99 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -o build/fuzz/plain tests/fuzz_load.c -lm
	@build/fuzz/plain $(FUZZ_SECONDS) $(FUZZ_INPUTS) tests/corpus/*.snp

# ---- the hunter: random programs of the public interface under the sanitizers, each checked by what must always hold.
# HUNT_REAL=float hunts the float library; HUNT_FLAGS goes to the program: --seed 17 --print
HUNT_SECONDS ?= 120
HUNT_SEED    ?= 1
HUNT_REAL    ?= double
HUNT_FLAGS   ?=
HUNT_CFLAGS   = -std=c99 $(WARN_C) -O1 -g -fsanitize=address$(comma)undefined -fno-sanitize-recover=all
HUNT_FLOAT    = $(if $(filter float,$(HUNT_REAL)),-DSNEPPP_REAL_FLOAT)
build/hunt/library_%.o: tests/hunt/library.c tests/alloc.h sneppp.h
	@mkdir -p $(@D) && echo "cc $@" && $(CC) $(HUNT_CFLAGS) $(if $(filter float,$*),-DSNEPPP_REAL_FLOAT) -c -o $@ $<
build/hunt/$(HUNT_REAL)/hunt: tests/hunt.c tests/hunt/twin.c $(wildcard tests/hunt/*.h) build/hunt/library_double.o build/hunt/library_float.o
	@mkdir -p $(@D) && echo "cc $@" && $(CC) $(HUNT_CFLAGS) $(HUNT_FLOAT) -o $@ $(filter %.c %.o,$^) -lm -pthread
.PHONY: hunt
hunt: build/hunt/$(HUNT_REAL)/hunt ## random programs under the sanitizers, for HUNT_SECONDS=120 from HUNT_SEED=1, HUNT_REAL=float
	@build/hunt/$(HUNT_REAL)/hunt --seconds $(HUNT_SECONDS) --seed $(HUNT_SEED) --out build/hunt/$(HUNT_REAL) $(HUNT_FLAGS)

format: ## lay out the tests, examples and benchmarks with clang-format; name the header's long lines
	clang-format -i $(wildcard tests/*.c tests/*.h tests/compile/* examples/*.c bench/*.c)
	@awk 'length($$0) > 120 { print "sneppp.h:" FNR ": " length($$0) " columns" }' sneppp.h

clean: ## remove everything that was built
	rm -rf build
