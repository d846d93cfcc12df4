"""The audit of dependencies fails over a vulnerability, and not over a network that isn't there."""

import json
import os
import subprocess
import sys

import pytest
from suite import REPOSITORY

LOCK = "numpy==2.0.0\npip_audit==2.10.1\ntorch==2.13.0\n"
# Stands in for pip-audit: says what it is told to of each package of the file that it is given.
STAND_IN = """import json, os, sys
told = json.loads(os.environ["TOLD"])
names = [line.split("==") for line in open(sys.argv[sys.argv.index("--requirement") + 1])]
if any(name in told and told[name] == "no network" for name, _ in names):
    sys.exit("requests.exceptions.ProxyError: no way")
plain = {"vulns": []}
found = [{"name": n, "version": v.strip()} | told.get(n, plain) for n, v in names]
print(json.dumps({"dependencies": found, "fixes": []}))
sys.exit(any(one.get("vulns") for one in found))
"""
FLAW = {"vulns": [{"id": "PYSEC-1", "fix_versions": ["2.0.1"]}]}
UNKNOWN = {"skip_reason": "Dependency not found on PyPI"}


@pytest.fixture
def audit(tmp_path):
    """A function that audits a lock file where pip-audit says these things of packages."""
    (tmp_path / "pip_audit.py").write_text(STAND_IN)
    (tmp_path / "lock").write_text(LOCK)

    def run(**told):
        command = [sys.executable, str(REPOSITORY / ".ci/audit.py"), str(tmp_path / "lock")]
        variables = os.environ | {"PYTHONPATH": str(tmp_path), "TOLD": json.dumps(told)}
        done = subprocess.run(command, env=variables, capture_output=True, text=True)
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout + done.stderr

    return run


def test_a_vulnerability_fails_and_is_named(audit):
    code, said = audit(numpy=FLAW)
    assert code == 1 and "numpy 2.0.0: PYSEC-1, mended in 2.0.1" in said
    assert "1 known vulnerabilities in 3 packages" in said


def test_none_passes_and_what_was_not_known_is_told(audit):
    assert audit() == (0, said := audit()[1]) and "0 known vulnerabilities in 3 packages\n" in said
    code, said = audit(torch=UNKNOWN)
    assert code == 0 and "in 2 packages; PyPI does not know torch" in said


@pytest.mark.parametrize("told", [UNKNOWN, "no network"])
def test_without_advisories_it_is_skipped_and_says_so(audit, told):
    code, said = audit(pip_audit=told, numpy=FLAW)
    assert code == 0 and "skipped: advisories not reachable (" in said


def test_another_failure_is_one(audit):
    code, said = audit(torch="no network")
    assert code == 1 and "failed: requests.exceptions.ProxyError: no way" in said


def test_the_test_command_audits_the_lock_file():
    makefile = (REPOSITORY / "Makefile").read_text()
    assert "\ntest: lint audit\n" in makefile
    assert ".ci/audit.py requirements.lock\n" in makefile.partition("\naudit:")[2]
