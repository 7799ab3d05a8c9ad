# The one menu. Every command installs what it needs, configures, builds, and then does its work.
# The build runs as many jobs as Ninja likes; CMAKE_BUILD_PARALLEL_LEVEL=1 holds it back.

ARGS   ?=
RUNS   ?= 1000000
SEED   ?= 0
PREFIX ?= /usr/local
MACHINE ?=
LABEL  ?=
SIZE   ?= 100x20
PHASES ?= deployments

.DEFAULT_GOAL := help
.PHONY: help run test faults bench bench-peer lint format asan tsan coverage fuzz setup build install
.PHONY: docs package try-package clean
.PHONY: setup-build setup-lint setup-docs setup-sanitizers

help: ## show this list
	@echo "make TARGET [VARIABLE=value]"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

run: build/release/build.ninja ## a cluster in a process, and a tour of what its controllers do; ARGS=--once ends with the tour
	@$(call build_preset,release,--target flyball) >&2
	@build/release/flyball/cli/flyball up --tour docs/examples/shop --kubeconfig build/kubeconfig $(ARGS)

test: build ## build everything and run the tests; LABEL=unit for some of them
	@$(call test_preset,release,$(LABEL))

asan: build/asan/build.ninja ## the tests under the address and undefined behaviour sanitizers
	@$(call build_preset,asan)
	@$(call test_preset,asan,$(LABEL))

tsan: build/tsan/build.ninja ## the unit tests under the thread sanitizer
	@$(call build_preset,tsan)
	@$(call test_preset,tsan,unit)

coverage: build/coverage/build.ninja ## line coverage of the files in which controllers decide; fails below 95 %
	@tools/coverage

fuzz: build/fuzz/build.ninja ## run every fuzz program, RUNS=1000000 inputs each, from a random SEED
	@$(call build_preset,fuzz)
	@tools/fuzz $(RUNS) $(SEED)

faults: build/release/build.ninja ## every write and watch event of the fault scenarios, with something going wrong there
	@$(call build_preset,release,--target faults_test)
	@build/release/tests/faults/faults_test

bench: build/release/build.ninja ## build and run the benchmarks
	@tools/bench

bench-peer: build/release/build.ninja ## upstream's manager and ours on the same work: SIZE=100x20, or PHASES="daemonsets jobs:50x4"
	@$(call build_preset,release,--target peer_bench)
	@benchmarks/managers/run build/release build/bench --size=$(SIZE) $(PHASES:%=--phases=%)

lint: build/release/build.ninja setup-lint ## check format, layering, banned calls; then clang, and clang-tidy over what ships
	@tools/lint

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
                 --no-tests=error --output-junit ctest.xml $(if $(2),-L '$(2)')

build/%/build.ninja: CMakePresets.json | setup-build
	@echo "==> configuring $*"
	@mkdir -p build/$* && log=build/$*/configure.log && \
	  { cmake --preset $* >"$$log" 2>&1 || { cat "$$log"; exit 1; }; }
	@touch $@

build/asan/build.ninja build/tsan/build.ninja build/fuzz/build.ninja: | setup-sanitizers

setup-build setup-lint setup-docs setup-sanitizers:
	@tools/setup $(subst setup-,,$@)
