"""The script of the report, run by a browser where there is one."""

import shutil
import subprocess

import pytest
from summary_rows import AUTO, FAILED, ROW

CLICKS = """<script>
const press = (name) => [...document.querySelectorAll("thead button")]
  .find((button) => button.textContent === name).click();
const order = () => [...document.querySelectorAll("tbody tr:not([hidden])")]
  .map((row) => row.cells[0].dataset.sort.slice(-8)).join(" ");
const said = [];
press("s to target"); said.push(order());
press("s to target"); said.push(order());
const box = document.getElementById("filter");
box.value = "crossbow MEMORY"; box.dispatchEvent(new Event("input")); said.push(order());
document.body.dataset.said = said.join(" | ");
</script></body>"""


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium to run the script")
def test_the_table_sorts_and_filters_in_a_browser(report, tmp_path):
    page = report(AUTO, FAILED, ROW).replace("</body>", CLICKS)
    (tmp_path / "clicked.html").write_text(page)
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --dump-dom"
    flags += " --disable-background-networking --disable-component-update --disable-sync"
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    command = ["chromium", *flags.split(), profile, (tmp_path / "clicked.html").as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    # What was never measured is last either way.
    assert 'data-said="aaaaaaaa auto-run bbbbbbbb | auto-run aaaaaaaa bbbbbbbb | bbbbbbbb"' in shown
