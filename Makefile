# The one menu. Every command installs what it needs, configures, builds, and then does its work.
# The build runs as many jobs as Ninja likes; CMAKE_BUILD_PARALLEL_LEVEL=1 holds it back.

ARGS   ?=
RUNS   ?= 1000000
SEED   ?= 0
PREFIX ?= /usr/local
MACHINE ?=
LABEL  ?=
STRIDE ?=
SCENARIO ?=
SIZE   ?= 100x20
PHASES ?= deployments
WORD   ?=

.DEFAULT_GOAL := help
.PHONY: help run test test-all faults mutants bench bench-peer lint words format asan tsan coverage fuzz setup build install
.PHONY: parity-records docs package try-package clean
.PHONY: setup-build setup-lint setup-docs setup-sanitizers

help: ## show this list
	@echo "make TARGET [VARIABLE=value]"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

run: build/release/build.ninja ## a cluster in a process, and a tour of what its controllers do; ARGS=--once ends with the tour
	@$(call build_preset,release,--target flyball) >&2
	@build/release/flyball/cli/flyball up --tour docs/examples/shop --kubeconfig build/kubeconfig $(ARGS)

test: build ## build everything and run the tests, but for those that take long; LABEL=unit for some of them
	@$(call test_preset,release,$(if $(LABEL),-L '$(LABEL)') -LE '^(long|timed)$$')

test-all: build ## every test, those on whole clusters, of whole fault sweeps and in seconds too: hours
	@$(call test_preset,release)
	@$(MAKE) --no-print-directory faults

asan: build/asan/build.ninja ## the tests under the address and undefined behaviour sanitizers
	@$(call build_preset,asan)
	@$(call sanitized_test,asan,$(if $(LABEL),-L '$(LABEL)') -LE '^(long|timed)$$')

tsan: build/tsan/build.ninja ## the tests of what has threads under the thread sanitizer
	@$(call build_preset,tsan)
	@$(call sanitized_test,tsan,-L '^(unit|threads)$$' -LE '^(long|timed)$$')

coverage: build/coverage/build.ninja ## line coverage of the files in which controllers decide; fails below 95 %
	@tools/coverage

fuzz: build/asan/build.ninja ## run every fuzz program, RUNS=1000000 inputs each, from a random SEED
	@$(call build_preset,asan,--target fuzz_programs)
	@tools/fuzz $(RUNS) $(SEED)

faults: build/release/build.ninja ## every write and watch event of the fault scenarios, with something going wrong there, and 10,000 random schedules; STRIDE=29 for one in so many
	@$(call build_preset,release,--target faults_test)
	@FLYBALL_FAULTS_STRIDE=$(STRIDE) build/release/tests/faults/faults_test

mutants: setup-build ## put small faults into the tree, one at a time: the tests have to notice each
	@tools/mutants

parity-records: build/release/build.ninja ## play scenarios without a record under upstream's manager, and keep it; SCENARIO=name for one
	@$(call build_preset,release,--target parity_test)
	@cd build/release && ctest -R '^cluster.build$$' --output-on-failure
	@tests/parity/record $(SCENARIO)

bench: build/release/build.ninja ## build and run the benchmarks
	@tools/bench

bench-peer: build/release/build.ninja ## upstream's manager and ours on the same work: SIZE=100x20, or PHASES="daemonsets jobs:50x4"
	@$(call build_preset,release,--target peer_bench)
	@benchmarks/managers/run build/release build/bench --size=$(SIZE) $(PHASES:%=--phases=%)

lint: build/release/build.ninja setup-lint ## check format, layering, banned calls; then clang, and clang-tidy over what ships
	@tools/lint

words: ## a table of all flags and metrics with their help, tab-separated; WORD="gc queue" for some of them
	@tools/words $(WORD)

docs: setup-docs ## the library's classes, a page each, from their comments: build/docs/html
	@tools/docs

format: setup-lint ## bring every source file into format
	@git ls-files -co --exclude-standard -- '*.h' '*.cc' | xargs -r clang-format-19 -i

setup: ## install the Debian packages that are missing, for every target
	@tools/setup

build: build/release/build.ninja ## build everything, optimised, into build/release
	@$(call build_preset,release)

install: build ## install into PREFIX=/usr/local
	@cmake --install build/release --prefix "$(PREFIX)"

package: build ## Debian packages in build/release/packages: the library, the manager, the command
	@cd build/release && cpack

try-package: package ## install the packages on a Debian 12 with nothing on it, and build on them; takes root
	@tests/install/clean_machine build/release/packages $(MACHINE)

clean: ## remove everything that was built
	rm -rf build

build_preset = echo "==> building $(1)" && cmake --build --preset $(1) $(2)
test_preset  = echo "==> testing $(1)" && ctest --test-dir build/$(1) -j2 --output-on-failure \
                 --no-tests=error --output-junit ctest.xml $(2)
# What a sanitizer reports of any process, one that a test started and did not look at too, is in
# build/PRESET/reports afterwards, and fails.
sanitized_test = rm -rf build/$(1)/reports && mkdir -p build/$(1)/reports && status=0 && \
  export ASAN_OPTIONS=log_path=$(CURDIR)/build/$(1)/reports/asan \
         UBSAN_OPTIONS=print_stacktrace=1:log_path=$(CURDIR)/build/$(1)/reports/ubsan \
         TSAN_OPTIONS=log_path=$(CURDIR)/build/$(1)/reports/tsan && \
  for tool in ASAN UBSAN TSAN; do export $${tool}_SYMBOLIZER_PATH="$$(command -v addr2line)"; done && \
  { { $(call test_preset,$(1),$(2)); } || status=$$?; } && \
  for report in build/$(1)/reports/*; do [ ! -e "$$report" ] || { cat "$$report"; status=1; }; done && \
  exit $$status

build/%/build.ninja: CMakePresets.json | setup-build
	@echo "==> configuring $*"
	@mkdir -p build/$* && log=build/$*/configure.log && \
	  { cmake --preset $* >"$$log" 2>&1 || { cat "$$log"; exit 1; }; }
	@touch $@

build/asan/build.ninja build/tsan/build.ninja: | setup-sanitizers

setup-build setup-lint setup-docs setup-sanitizers:
	@tools/setup $(subst setup-,,$@)
