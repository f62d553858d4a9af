# The front door. Every target does its own set-up; `make` alone lists them.
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 600
MUTANTS ?= 150
SEED ?= 1
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build demo test cluster python wheel bench slow lint format asan tsan fuzz coverage mutants page page-test fresh clean setup

# $(call make_preset,PRESET[,TARGET[,OPTIONS]]): configure and build one of CMakePresets.json.
make_preset = cmake --preset $(1) $(3) --log-level=WARNING && cmake --build --preset $(1) -j $(JOBS) $(if $(2),--target $(2))

# The Python package in an environment of its own, linked with the release build's library, and its tests.
test_python = scripts/setup build python && scripts/python-env build/python-env build && \
  COVARY_COMMAND=$(CURDIR)/build/covary build/python-env/bin/pytest -q python/tests

# The versions of web/package-lock.json; npm 11's ci refuses a registry that has no packages for other machines.
npm_packages = { npm ci --silent 2>/dev/null || npm install --silent --no-save --no-audit --no-fund; }

help:  ## This list
	@echo "Covary: Gaussian processes. make TARGET, where TARGET is one of:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:
	@scripts/setup build

build: setup  ## The command, at build/covary
	@$(call make_preset,release,covary)

demo: build  ## Build, then show an answer on built-in data
	@build/covary demo

test: setup  ## Everything but the slow tests, in under 15 minutes on two cores; make asan takes about twice as long
	@$(call make_preset,release)
	ctest --preset release
	@$(test_python)

cluster:  ## The command covary-mpi for clusters, and its tests on 1, 2, 3 and 4 ranks of this machine
	@scripts/setup build cluster
	@$(call make_preset,cluster,covary covary-mpi cluster_tests cluster_command_tests cluster_examples)
	ctest --preset cluster

slow: setup  ## The slow tests
	@$(call make_preset,release)
	ctest --preset slow

python: build  ## The Python package, in build/python-env, and its tests
	@$(test_python)

wheel: build  ## A wheel of the Python package with all it needs inside, in build/wheels
	@scripts/setup build python
	@scripts/wheel build/wheels build

bench:  ## The benchmark table (BENCH="--quick" for a short one)
	@scripts/setup build bench
	@$(call make_preset,release,bench)
	@bench/run $(BENCH)

lint:  ## Layout, clang-tidy, machine paths
	@scripts/setup build lint python
	@cmake --preset lint --log-level=WARNING
	@JOBS=$(JOBS) scripts/lint

format:  ## Lay out every C++ file with clang-format
	@scripts/setup lint
	@git ls-files -z '*.h' '*.cc' | xargs -0 -r clang-format -i

asan: setup  ## The quick tests, the command's and Python's too, under address and undefined sanitizers
	@$(call make_preset,asan-ubsan,,-DCOVARY_CLI=ON)
	ctest --preset asan-ubsan
	@scripts/setup build python
	@CXXFLAGS='-fsanitize=address,undefined -fno-omit-frame-pointer -O1' scripts/python-env build-asan/python-env build-asan
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONMALLOC=malloc \
	  COVARY_COMMAND=$(CURDIR)/build-asan/covary build-asan/python-env/bin/pytest -q python/tests

tsan: setup  ## The quick tests under the thread sanitizer
	@$(call make_preset,tsan)
	ctest --preset tsan

fuzz:  ## Tables, expressions, formulas and model files from hostile bytes (FUZZ_SECONDS=600 each)
	@scripts/setup build fuzz
	@$(call make_preset,fuzz)
	@fuzz/run $(FUZZ_SECONDS)

coverage:  ## Which lines the quick tests reach: build-coverage/report.html
	@scripts/setup build coverage
	@$(call make_preset,coverage)
	@find build-coverage -name '*.gcda' -delete
	ctest --preset coverage
	@gcovr --root . --filter core/include --filter core/src --filter cli/ --exclude '.*/tests/' \
	  --exclude-throw-branches --html-details build-coverage/report.html --print-summary -j $(JOBS) build-coverage

mutants: setup  ## Do the core's quick tests notice a wrong operator? MUTANTS=150 random changes of core/src by SEED=1
	@JOBS=$(JOBS) scripts/mutants --count $(MUTANTS) --seed $(SEED)

page:  ## The page, one file that needs no server: build/page/index.html
	@scripts/setup build page
	@command -v npm >/dev/null || scripts/setup node
	@scripts/emscripten build-web/emscripten
	@$(call make_preset,web,covary_web)
	@cd web && $(npm_packages) && npm run --silent check && node build.mjs ../build-web ../build/page

page-test: build page  ## The core of the page beside the command, in Node, and the page in Chromium
	@cd web && COVARY_COMMAND=$(CURDIR)/build/covary node --test --test-concurrency=1 tests/numbers.test.mjs tests/page.test.mjs

fresh:  ## make demo and make test on a clean clone in a bare Debian 12 (needs root)
	@scripts/setup fresh
	@scripts/fresh-machine

clean:  ## Remove every build folder
	rm -rf build build-cluster build-dev build-lint build-asan build-tsan build-coverage build-fuzz build-mutants build-web
