"""Commands of the pages that no test can run here, and why; that they would be taken is tested."""

INSTALLS = "installs the environment, or runs all tests in it"
GPU = "needs a GPU"
DOWNLOADS = "needs a real dataset, which is downloaded or too large"

NOT_RUN = {
    "make demo": INSTALLS,
    "make test": INSTALLS,
    "make lint": INSTALLS,
    "make fast-test": INSTALLS,
    "make gpu": INSTALLS,
    ". .venv/bin/activate": INSTALLS,
    ". .venv/bin/activate && pre-commit install": INSTALLS,
    "make gpu-test PYTHON=.venv/bin/python": GPU,
    "snakemake --cores all --configfile workflows/config/gpu-1.yaml": GPU,
    "snakemake --cores all --configfile workflows/config/gpu-1.yaml"
    " --config results=results-mine": GPU,
    "python -m bench.compare results/reference/nvidia-h200 results-mine": GPU,
    "python -m benchmarks.engine benchmarks/plans/tensorflow.json --out results/reference/here"
    ' --call one --interpreters \'{"tensorflow": ".venv-tensorflow/bin/python"}\'': GPU,
    "python -m data_prep mnist data/mnist --archives ~/archives": DOWNLOADS,
    "python -m data_prep imagenet data/imagenet --archives /mnt/ilsvrc": DOWNLOADS,
    "python -m data_prep imagenet-64 data/imagenet-64 --archives /mnt/ilsvrc": DOWNLOADS,
}
