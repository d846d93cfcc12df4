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
    " --call one --skip-measured"
    ' --interpreters \'{"tensorflow": ".venv-tensorflow/bin/python"}\'': GPU,
    "python -m benchmarks.all_reduce --out results/reference/here --call one --skip-measured": GPU,
    "make gpu-bench PYTHON=.venv/bin/python PLAN=scaling BUDGET=570": GPU,
    "python -m benchmarks.scaling_model check results/reference/here/engine.csv"
    " --prediction results/reference/nvidia-h200/scaling_prediction.csv": GPU,
    "python -m workflows.train workflows/config/gpu-8.yaml --results results-8 --budget 480": GPU,
    "python -m workflows.join workflows/config/gpu-8.yaml --results results-8": GPU,
    "python -m benchmarks.scaling_model check results-8/summary.csv"
    " --prediction results/reference/nvidia-h200/scaling_prediction.csv": GPU,
    "python -m benchmarks.scaling_model predict results/reference/here"
    " benchmarks/plans/scaling.json workflows/config/gpu-8.yaml": GPU,
    "python -m benchmarks.scaling_model check results/reference/here/engine.csv": GPU,
    "snakemake --cores all --configfile workflows/config/gpu-8.yaml"
    " --config results=results-8": GPU,
    "python -m data_prep cifar10-jpeg data/cifar10-jpeg --archives ~/archives": DOWNLOADS,
    "python -m data_prep mnist data/mnist --archives ~/archives": DOWNLOADS,
    "python -m data_prep imagenet data/imagenet --archives /mnt/ilsvrc": DOWNLOADS,
    "python -m data_prep imagenet-64 data/imagenet-64 --archives /mnt/ilsvrc": DOWNLOADS,
}
