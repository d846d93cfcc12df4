# `make demo` and `make test` each set up all they need; Python 3.11+, git and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Plain PyPI gives Linux the CUDA build of torch, several GB; PyTorch's own index has the CPU build.
# Where wheels come from elsewhere (PIP_FIND_LINKS is set), that is left alone.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
PIP_INDEX := $(if $(PIP_FIND_LINKS),,--extra-index-url $(TORCH_INDEX))

.PHONY: demo test fast-test lint gpu-test lock clean

demo: $(VENV)/installed
	. $(BIN)/activate && snakemake --cores all
	@echo "The report is results/report.html"

test: lint
	. $(BIN)/activate && python -m pytest

fast-test: $(VENV)/installed
	. $(BIN)/activate && python -m pytest -m "not slow"

lint: $(VENV)/installed
	. $(BIN)/activate && ruff check . && ruff format --check . && snakefmt --check Snakefile workflows \
		&& mypy && snakemake --lint

# On a machine with CUDA devices and torch installed there; no environment is made.
gpu-test:
	$(PYTHON) -m pytest tests/crossbow_impl tests/baselines -m gpu -rs

$(VENV)/installed: requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_INDEX) -r requirements.lock
	touch $@

# After a change of pyproject.toml: resolve again, and record what was resolved.
lock:
	rm -rf $(VENV)-lock && $(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet $(PIP_INDEX) ".[dev]"
	$(VENV)-lock/bin/python -m pip freeze --exclude crossbow-suite | sed 's/+cpu$$//; s/ @ .*torch-\([0-9.]*\).*/==\1/' > requirements.lock
	rm -rf $(VENV)-lock

clean:
	rm -rf results/runs results/state results/figures results/weights results/*.csv results/*.json results/*.html
