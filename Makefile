# `make demo` and `make test` each set up all they need; Python 3.11 to 3.13, git and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Plain PyPI gives Linux the CUDA build of torch, several GB; PyTorch's own index has the CPU build.
# Where wheels come from elsewhere (PIP_FIND_LINKS is set), that is left alone.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
PIP_INDEX := $(if $(PIP_FIND_LINKS),,--extra-index-url $(TORCH_INDEX))
PIP_PLAIN := -m pip install --quiet --disable-pip-version-check
PIP_INSTALL := $(PIP_PLAIN) $(PIP_INDEX)

.PHONY: demo test fast-test lint audit gpu gpu-test gpu-bench readme-figure docs scaling lock clean

demo: $(VENV)/installed
	. $(BIN)/activate && snakemake --cores all
	@echo "Done. Open $(CURDIR)/results/report.html; the numbers are in results/summary.csv."

# In the order that tests/conftest.py gives the files.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
test: lint audit
	. $(BIN)/activate && python -m pytest $(PARALLEL)

fast-test: $(VENV)/installed
	. $(BIN)/activate && python -m pytest $(PARALLEL) -m "not slow"

lint: $(VENV)/installed
	. $(BIN)/activate && ruff check . && ruff format --check . && snakefmt --check Snakefile workflows \
		&& mypy && snakemake --lint

# Known vulnerabilities of the pinned packages; where PyPI can't be asked, that is said.
audit: $(VENV)/installed
	$(BIN)/python .ci/audit.py requirements.lock

# For a machine with CUDA devices, gigabytes: torch's CUDA build in the environment that the other
# targets use, and TensorFlow's in one of its own, as it needs other CUDA libraries.
TENSORFLOW := $(VENV)-tensorflow
gpu:
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python $(PIP_PLAIN) -r requirements.lock
	@touch $(VENV)/installed
	$(PYTHON) -m venv --clear $(TENSORFLOW)
	sed -n 's/^ *- tensorflow_cpu==/tensorflow[and-cuda]==/; s/^ *- //; /==/p' workflows/envs/tensorflow.yaml > $(TENSORFLOW)/wanted.txt
	grep -E '^(jsonschema|pillow|pooch|scipy)==' requirements.lock >> $(TENSORFLOW)/wanted.txt  # by which benchmarks check cells
	$(TENSORFLOW)/bin/python $(PIP_INSTALL) -r $(TENSORFLOW)/wanted.txt
	@$(TENSORFLOW)/bin/python -c 'import tensorflow as tf; print(len(tf.config.list_physical_devices("GPU")), "GPUs for TensorFlow")' 2> /dev/null

# On a machine with CUDA devices, with the torch of `python3`: `make gpu-test PYTHON=.venv/bin/python`
# after `make gpu`; no environment is made.
gpu-test:
	$(PYTHON) -m pytest tests/data_prep tests/crossbow_impl tests/baselines tests/benchmarks tests/models/test_captured.py -m gpu -rs

# Likewise; `data/` has to hold the records of cifar10-jpeg and mnist (python -m data_prep). Cells
# that this CALL has measured are left out, and the cell under way is ended after BUDGET seconds.
BENCHED := results/reference/$(or $(MACHINE),here)
gpu-bench:
	$(PYTHON) -m benchmarks.engine benchmarks/plans/$(or $(PLAN),one-gpu).json --out $(BENCHED) --call $(or $(CALL),one) --skip-measured $(if $(BUDGET),--budget $(BUDGET))

# The README's picture and the lines below it, from the runs in results/, whose tables are kept.
readme-figure: $(VENV)/installed
	@test -n "$(MACHINE)" || { echo "name the machine, as its folder in results/reference: make $@ MACHINE=2-core-epyc"; exit 1; }
	$(BIN)/python docs/readme_figure.py results/reference/$(MACHINE)/quickstart

# The pages of docs/ as a site, site/index.html; a broken link is an error.
docs: $(VENV)/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# What cost grows with and the prediction for more GPUs, from the committed measurements: tables,
# figures and the numbers in docs/scaling.md.
H200 := results/reference/nvidia-h200
TWO_CORES := results/reference/2-core-epyc/scaling
scaling: $(VENV)/installed
	$(BIN)/python -m benchmarks.scaling_model predict $(H200) benchmarks/plans/scaling.json workflows/config/gpu-4.yaml workflows/config/gpu-8.yaml
	$(BIN)/python -m benchmarks.scaling_model predict $(TWO_CORES) benchmarks/plans/two-cores.json
	$(BIN)/python -m benchmarks.scaling_model check $(H200)/summary.csv
	$(BIN)/python -m benchmarks.scaling_model check $(TWO_CORES)/engine.csv
	$(BIN)/python -m benchmarks.queue_check check $(TWO_CORES)
	$(BIN)/python -m benchmarks.queue_check forecast $(H200)/summary.csv --out $(H200)
	for folder in $(H200) $(TWO_CORES); do \
		$(BIN)/python -m benchmarks.cost_curves $$folder && \
		$(BIN)/python -m benchmarks.draw $$folder scaling_prediction cost_curves || exit; done
	$(BIN)/python -m benchmarks.scaling_tables

# Written last, so that an interrupted installation is no installation; a changed lock starts afresh.
# Compiled on all cores, where pip uses one; one file of torch is in a later Python's syntax.
$(VENV)/installed: requirements.lock
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(not (3, 11) <= v < (3, 14) and "Python 3.11 to 3.13 is needed and $(PYTHON) is %d.%d; name another: make PYTHON=python3.13" % v)'
	@test ! -L $(VENV) || { echo "$(VENV) is a link, and what it leads to would be emptied: remove it, or touch $@ to keep it"; exit 1; }
	@echo "Installing the packages of requirements.lock into $(VENV): some minutes, once."
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python $(PIP_INSTALL) --no-compile -r requirements.lock
	$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $@

# After a change of dependencies in pyproject.toml: resolve again, and record what was resolved.
lock:
	$(PYTHON) -m venv --clear $(VENV)-lock
	$(PYTHON) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; print(*p["dependencies"], *sum(p["optional-dependencies"].values(), []), sep="\n")' > $(VENV)-lock/wanted.txt
	$(VENV)-lock/bin/python $(PIP_INSTALL) -r $(VENV)-lock/wanted.txt
	$(VENV)-lock/bin/python -m pip freeze > $(VENV)-lock/frozen.txt
	sed 's/^\(torch==[^+]*\)+.*/\1/' $(VENV)-lock/frozen.txt > requirements.lock
	rm -rf $(VENV)-lock

clean:
	rm -rf results/runs results/state results/tensorboard results/mlperf results/figures results/weights results/logs results/*.csv results/*.json results/*.html
