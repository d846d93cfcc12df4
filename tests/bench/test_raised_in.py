"""A failed run names the line of the user's own file that it failed in."""

from pathlib import Path

import pytest

from bench.environment import ROOT
from bench.raised_in import raised_in

OWN, SYSTEM = Path("/home/me/networks.py"), ROOT / "baselines/mine.py"
IN_OWN = f'  File "{OWN}", line 7, in forward\n    return x @ y\n'
IN_SYSTEM = f'  File "{SYSTEM}", line 22, in train_epoch\n    self.model(images)\n'
IN_SUITE = f'  File "{ROOT}/bench/runner.py", line 104, in train\n'
IN_PACKAGE = (
    '  File "/usr/lib/python3/site-packages/torch/nn/modules/linear.py", line 134, in forward\n'
)
IN_ENVIRONMENT = (
    f'  File "{ROOT}/.venv/lib/python3/site-packages/torch/functional.py", line 9, in f\n'
)
START = "Traceback (most recent call last):\n"
ERROR = "RuntimeError: shapes differ\n"


@pytest.mark.parametrize(
    ("log", "place"),
    [
        (START + IN_SUITE + IN_SYSTEM + IN_OWN + ERROR, f"{OWN}, line 7"),
        (START + IN_SUITE + IN_SYSTEM + ERROR, "baselines/mine.py, line 22"),
        (START + IN_SYSTEM + IN_OWN + IN_PACKAGE + ERROR, f"{OWN}, line 7"),
        (START + IN_SYSTEM + IN_ENVIRONMENT + ERROR, "baselines/mine.py, line 22"),
        (START + IN_SYSTEM + IN_SUITE + ERROR, None),
        (START + IN_OWN + ERROR + START + IN_PACKAGE + ERROR, None),
        (f'{START}{IN_SUITE}  File "{SYSTEM}", line 3\n    a b\n', "baselines/mine.py, line 3"),
        (IN_OWN, None),
        ("", None),
    ],
)
def test_it_is_the_innermost_frame_of_the_last_traceback_if_that_is_the_users(log, place):
    assert raised_in(f"epoch 1\n{log}", [SYSTEM, OWN]) == place
