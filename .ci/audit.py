"""Known vulnerabilities of the packages in a lock file: `python .ci/audit.py requirements.lock`.

Asks pip-audit, which asks PyPI for its advisories. Ends 1 where there are any, and 0 where none can
be asked for: a machine without that network can still test.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

OPTIONS = "--no-deps --disable-pip --progress-spinner off --timeout 5 --format json".split()


def audited(lines: list[str]) -> list[dict] | str:
    """What pip-audit says of each of these requirements; why it says nothing, if it does."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(lines))
        file.flush()
        command = [sys.executable, "-m", "pip_audit", "--requirement", file.name, *OPTIONS]
        done = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)["dependencies"]
    except ValueError:
        said = done.stderr.strip().splitlines()
        return said[-1] if said else f"pip-audit ended with code {done.returncode}"


def main() -> int:
    """Prints one sentence, or a line for each vulnerability."""
    lock = Path(sys.argv[1])
    lines = lock.read_text().splitlines()
    # One question before hundreds; PyPI certainly has the package that asks.
    asked = audited(
        [line for line in lines if line.lower().startswith(("pip_audit=", "pip-audit="))]
    )
    if isinstance(asked, str) or any("skip_reason" in one for one in asked):
        why = asked if isinstance(asked, str) else asked[0]["skip_reason"]
        print(f"Audit of {lock} skipped: advisories not reachable ({why})")
        return 0
    found = audited(lines)
    if isinstance(found, str):
        print(f"Audit of {lock} failed: {found}", file=sys.stderr)
        return 1
    skipped = [one["name"] for one in found if "skip_reason" in one]
    vulnerable = [(one, flaw) for one in found for flaw in one.get("vulns", [])]
    for one, flaw in vulnerable:
        fixed = ", ".join(flaw["fix_versions"]) or "no version yet"
        print(f"{one['name']} {one['version']}: {flaw['id']}, mended in {fixed}", file=sys.stderr)
    known = f"{len(vulnerable)} known vulnerabilities in {len(found) - len(skipped)} packages"
    unknown = f"; PyPI does not know {', '.join(skipped)}" if skipped else ""
    print(f"Audit of {lock}: {known}{unknown}")
    return 1 if vulnerable else 0


if __name__ == "__main__":
    sys.exit(main())
