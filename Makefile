PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: solve serve test lint types format clean

solve: $(VENV)/.core
	$(BIN)/homeward solve cube3 --random

serve: $(VENV)/.web
	$(BIN)/homeward serve

test: lint types
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e .
	touch $@

$(VENV)/.web: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e '.[web]'
	touch $@ $(VENV)/.core

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(INSTALL) -e '.[dev]'
	touch $@ $(VENV)/.core $(VENV)/.web

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
