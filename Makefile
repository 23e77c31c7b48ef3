# Run `make` for the list of targets.

SCALE ?= 10
MINUTES ?= 5
PYTEST_ARGS ?=
# Test processes; each that runs a test of Spark starts a JVM of about 1.5 GB.
WORKERS ?= 2

BIN := .venv/bin
INSTALLED := .venv/.installed

export PYTHON

.PHONY: help venv demo test test-cluster test-long lint bench fuzz fuzz-spark clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo '  PYTHON=path chooses the interpreter when .venv is made.'

venv: $(INSTALLED) ## make .venv and install everything into it (the other targets do it, too)

$(INSTALLED): setup.cfg pyproject.toml constraints.txt
	@scripts/make-venv
	@touch $@

demo: $(INSTALLED) ## Spark alone and with Kodiak, on one stream; SCALE=10 million rows
	@scripts/with-spark $(BIN)/adaptive demo --scale $(SCALE)

test: lint ## all checks: lint, then pytest with PYTEST_ARGS
	@scripts/with-spark $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

test-cluster: $(INSTALLED) ## tests on a standalone cluster of two workers, with processes killed
	@scripts/with-spark $(BIN)/python -m pytest -m cluster $(PYTEST_ARGS)

test-long: $(INSTALLED) ## tests that would make `make test` take too long
	@scripts/with-spark $(BIN)/python -m pytest -m long $(PYTEST_ARGS)

lint: $(INSTALLED) ## the static checks: ruff, mypy, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict
	$(BIN)/lint-imports --no-logo

bench: $(INSTALLED) ## kernel and engine against C (needs gcc), DuckDB and Polars: some minutes
	@$(BIN)/python -m experiments run kernel-ysb
	@$(BIN)/python -m experiments run engine --scale 2

fuzz: $(INSTALLED) ## property tests with fresh examples for MINUTES=5
	@KODIAK_FUZZ_MINUTES=$(MINUTES) scripts/with-spark \
	    $(BIN)/python -m pytest -m fuzz --timeout=0 $(PYTEST_ARGS)

fuzz-spark: $(INSTALLED) ## random queries against Spark for MINUTES=5; a failure names its seed
	@KODIAK_FUZZ_MINUTES=$(MINUTES) scripts/with-spark \
	    $(BIN)/python -m pytest tests/spark -m fuzz --timeout=0 -s $(PYTEST_ARGS)

clean: ## remove .venv, caches and build products
	rm -rf .venv build dist *.egg-info
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
