# Two commands do everything on a fresh machine: `make demo` and `make test`.
# PYTHON=python3.12 make test        picks the interpreter
# VENV=/somewhere/else make test     puts the environment elsewhere
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
BENCH := $(VENV)-bench
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test quick thorough coverage lint doc bench floors newest sbom types clean

demo: $(VENV)/.demo
	$(BIN)/skrobust demo --data digits --out skrobust-demo-digits.html
	$(BIN)/skrobust demo --out skrobust-demo.html
	@echo "Open skrobust-demo.html (a table) and skrobust-demo-digits.html in a browser."

# A test that waits for ever fails with the stacks of its threads.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile \
  --timeout 900

test: $(VENV)/.test
	$(PYTEST) -m "not thorough"

# While working: all tests but those that take more than about a second.
quick: $(VENV)/.test
	$(PYTEST) -m "not slow"

# The counts of CONTRIBUTING: thousands of flips and odd inputs, some of them for minutes.
thorough: $(VENV)/.test
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m thorough -s

# Lines and branches that the tests run, processes included.
coverage: $(VENV)/.test
	OMP_NUM_THREADS=1 $(BIN)/python -m coverage run -m pytest -n auto --dist loadfile -q -m "not thorough"
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --skip-covered --sort=cover

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

doc: $(VENV)/.doc
	$(BIN)/python -m sphinx -W --keep-going -b html doc doc/_build/html
	$(BIN)/python doc/check_links.py doc/_build/html
	$(BIN)/python -m sphinx -W -q -b doctest -t no_gallery doc doc/_build/doctest

# Against other libraries, in an environment of their own; `make bench AREAS=attacks`.
bench: $(BENCH)/.bench
	$(BENCH)/bin/python benchmarks/bench.py $(AREAS) --write doc/benchmarks

# The lowest and the newest versions of what is needed, each in environments of its own,
# with a wheel that is built, installed and tried outside the tree. Needs the network;
# `make floors SETS=core` takes the fewest packages, `SETS="main more torch"` the others,
# `PYTHONS="python3.12 python3.13"` other interpreters, `QUICK=--quick` fewer tests.
SETS ?= core main
PYTHONS ?= $(PYTHON)
VERSIONS = $(BIN)/python .ci/versions.py $@ $(SETS:%=--extras %) $(PYTHONS:%=--python %) $(QUICK)

floors newest: $(BIN)/python
	$(VERSIONS)

# Every installed package that ours needs, as a bill of materials (CycloneDX).
sbom: $(VENV)/.test
	$(BIN)/python .ci/sbom.py sbom.json

# The types of all public names, from their signatures and docstrings.
types: $(VENV)/.test
	$(BIN)/python .ci/stubs.py

# The last four ask for old versions of what they need, and work with new ones.
$(BENCH)/.bench: pyproject.toml constraints.txt
	$(MAKE) VENV=$(BENCH) $(BENCH)/bin/python
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
	  -e ".[torch,report,boosting,fast,images,bench]"
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  torchattacks dnn-tip pyautoattack adv-lib
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" \
	  || { echo "skrobust needs Python 3.11 or newer; say PYTHON=python3.11 make ..."; exit 2; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null \
	  || { rm -rf $(VENV); $(PYTHON) -m virtualenv --quiet $(VENV) 2>/dev/null; } \
	  || { rm -rf $(VENV); echo "No venv here: install it (on Debian: apt-get install python3-venv," \
	       "elsewhere: $(PYTHON) -m pip install virtualenv)."; exit 2; }

# Each stamp is one set of packages; it is made again when what it depends on changes.
$(VENV)/.demo: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) -c constraints.txt -e ".[torch,report]"
	@touch $@

$(VENV)/.test: $(VENV)/.demo
	$(PIP) -c constraints.txt -e ".[torch,report,dask,imblearn,images,test]"
	@touch $@

$(VENV)/.doc: $(VENV)/.test
	$(PIP) -c constraints.txt -e ".[torch,report,doc]"
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info doc/_build doc/api doc/gallery .pytest_cache .ruff_cache
