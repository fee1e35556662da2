# make demo    convert the sample log, validate it and look at it (needs Python >= 3.11, nothing else)
# make test    every check: lint, types, layers, tests with the coverage gate, the docs' examples
# make soak    the long tests: kills, turns and full disks at their full counts
# make docs    build the documentation into site/
# make bench   print the ratios of docs/performance.md
# make venv    .venv with the dev dependencies; PYTHON=python3.13 chooses the interpreter

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP     = $(BIN)/python -m pip --quiet --disable-pip-version-check
# What the checkers read: each folder that holds Python files.
CODE    = src $(patsubst %/,%,$(sort $(dir $(wildcard tests/*.py examples/*.py benchmarks/*.py docs/*.py))))
# More processes than one, unless told otherwise: PYTEST_ARGS="-n 0 -k pattern"
PYTEST_ARGS ?= -n auto

SAMPLE := examples/data/claude-code-sample.jsonl
STREAM := build/demo.asr.jsonl

# The wheel of pyright brings its own node; neither a node of the machine nor a download comes into it.
export PYRIGHT_PYTHON_GLOBAL_NODE := off
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export NO_MKDOCS_2_WARNING := 1

.PHONY: venv demo test soak docs bench format lint types layers pytest clean
.DEFAULT_GOAL := test

# One stamp a set of dependencies: nothing is installed twice, and a changed pyproject.toml installs again.

$(VENV)/.stamp-venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "error: sessionrecord needs Python 3.11 or newer, and '$(PYTHON)' is not; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "make: creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.stamp-cli: $(VENV)/.stamp-venv pyproject.toml
	@echo "make: pip install -e '.[cli]'"
	@$(PIP) install -e '.[cli]'
	@touch $@

$(VENV)/.stamp-dev: $(VENV)/.stamp-venv pyproject.toml
	@echo "make: pip install -e '.[dev]'"
	@$(PIP) install -e '.[dev]'
	@touch $(VENV)/.stamp-cli $@

$(VENV)/.stamp-docs: $(VENV)/.stamp-venv pyproject.toml
	@echo "make: pip install -e '.[docs]'"
	@$(PIP) install -e '.[docs]'
	@touch $@

venv: $(VENV)/.stamp-dev

demo: $(VENV)/.stamp-cli
	@mkdir -p build
	@rm -rf $(STREAM) $(STREAM).children
	@$(call run,convert claude-code $(SAMPLE) -o $(STREAM))
	@$(call run,validate $(STREAM))
	@$(call run,inspect $(STREAM))
	@$(call run,context $(STREAM))

run = echo; echo '$$ sessionrecord $(1)'; $(BIN)/sessionrecord $(1)

# pytest is last, so that its closing line ends the output.
test: lint types layers pytest

lint: $(VENV)/.stamp-dev
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

types: $(VENV)/.stamp-dev
	$(BIN)/mypy --strict $(CODE)
	$(BIN)/pyright $(CODE)

layers: $(VENV)/.stamp-dev
	$(BIN)/lint-imports

pytest: $(VENV)/.stamp-dev
	$(BIN)/python -m pytest $(PYTEST_ARGS) --cov=sessionrecord --cov-branch --cov-fail-under=95

soak: $(VENV)/.stamp-dev
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m soak

format: $(VENV)/.stamp-dev
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

docs: $(VENV)/.stamp-docs
	$(BIN)/mkdocs build --strict

bench: $(VENV)/.stamp-dev
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) build dist site .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
