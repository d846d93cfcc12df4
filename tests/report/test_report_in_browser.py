"""The script of the report, run by a browser where there is one."""

import html
import re
import shutil
import subprocess

import pytest
from summary_rows import AUTO, CLAIM, FAILED, NOT_RUN, ROW

from workflows.report.build import MOST_ROWS

pytestmark = pytest.mark.skipif(
    not shutil.which("chromium"), reason="needs chromium to run the script"
)
HELPERS = """<script>
const press = (name) => [...document.querySelectorAll("#table thead button")]
  .find((button) => button.textContent === name).click();
const order = () => [...document.querySelectorAll("#table tbody tr:not([hidden])")]
  .map((row) => row.cells[0].dataset.sort.slice(-8)).join(" ");
const enter = (place, value, event) => {
  const field = document.querySelector(place);
  field.value = value; field.dispatchEvent(new Event(event));
};
const pick = (name, value) => enter(`[data-pick=${name}]`, value, "change");
const claims = () => [...document.querySelectorAll("#judged tbody tr:not([hidden])")]
  .map((row) => row.cells[0].firstChild.textContent).join(" ");
const left = () => document.querySelector("#untried summary").textContent.split(": ")[1] + ": "
  + [...document.querySelectorAll("#untried li:not([hidden])")]
    .map((one) => one.firstChild.textContent.trim()).join(", ");
const bright = () => [...document.querySelectorAll(".mark title")]
  .filter((title) => !title.parentElement.matches(".faded"))
  .map((title) => title.textContent.split(/[ ,]/)[0]).join(" ");
const said = [];
"""
END = """
document.body.dataset.said = said.join(" | ");
</script></body>"""


@pytest.fixture
def opened(tmp_path):
    """A function that opens a page and gives its elements as they are then, and its console."""

    def show(page, size="1280,900"):
        (tmp_path / "page.html").write_text(page)
        flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --dump-dom"
        flags += " --disable-background-networking --disable-component-update --disable-sync"
        flags += " --enable-logging=stderr"
        flags += f" --window-size={size}"
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = ["chromium", *flags.split(), profile, (tmp_path / "page.html").as_uri()]
        shown = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return shown.stdout, shown.stderr

    return show


@pytest.fixture
def browser(opened):
    def look(page, script, size="1280,900"):
        """What the script pushed to `said`, and the page's console."""
        page = re.sub("script-src '[^']*'", "script-src 'unsafe-inline'", page)  # for the helpers
        page, console = opened(page.replace("</body>", HELPERS + script + END), size)
        said = re.search(r'data-said="([^"]*)"', page)
        assert said, "the script did not end"
        return html.unescape(said[1]).split(" | "), console

    return look


def test_the_table_sorts_and_filters(report, browser):
    said, _ = browser(
        report(AUTO, FAILED, ROW),
        """press("s to target"); said.push(order());
        press("s to target"); said.push(order());
        enter("#filter", "crossbow MEMORY", "input"); said.push(order());""",
    )
    # What was never measured is last either way.
    assert said == ["aaaaaaaa auto-run bbbbbbbb", "auto-run aaaaaaaa bbbbbbbb", "bbbbbbbb"]


def test_of_many_rows_the_first_are_shown_until_all_are_asked_for(report, browser):
    rows = [ROW | {"run": f"run-{n:08}", "median5_s": str(n)} for n in range(MOST_ROWS + 5)]
    said, _ = browser(
        report(*rows),
        """const more = document.getElementById("all"), counts = () => order().split(" ").length;
        said.push(counts(), more.textContent);
        enter("#filter", "run-00000204", "input"); said.push(order(), more.parentElement.hidden);
        enter("#filter", "", "input"); press("s to target"); press("s to target");
        said.push(order().slice(0, 8), counts());
        more.click(); said.push(counts(), more.parentElement.hidden);""",
    )
    assert said == ["200", "Show all 205", "00000204", "true", "00000204", "200", "205", "true"]


def test_a_script_that_came_with_results_does_not_run_and_the_pages_own_does(report, opened):
    hostile = """<script>document.title = "taken"</script>
      <image href="#" onerror="document.title = 'taken'"/>
      <g onload="document.title = 'taken'"/></svg>"""
    page, console = opened(report(ROW).replace("</svg>", hostile))
    assert "<title>Crossbow suite</title>" in page
    assert "Show all 1<" in page  # as the page's own script writes it
    assert "violates the following Content Security Policy" in console


def test_model_system_and_devices_can_be_picked_for_tables_claims_and_marks(report, browser):
    torch = ROW | {"system": "pytorch", "run": "the-torch1"}
    two = ROW | {"devices": "2", "run": "the-two-22"}
    vgg = ROW | {"model": "vgg16", "run": "the-vgg-16"}
    claims = [
        CLAIM | {"text": "both"},
        CLAIM | {"text": "crossbows", "theirs": "crossbow, batch 1"},
        CLAIM | {"text": "twos", "devices": "2"},
        CLAIM | {"text": "scaling", "devices": ""},
        CLAIM | {"text": "too few", "devices": "2", "verdict": "not run"},
        NOT_RUN,
    ]
    idle = "Crossbow is <there> sooner"  # of no system, number of devices or model
    said, _ = browser(
        report(ROW, torch, two, vgg, figures=("throughput",), claims=claims),
        """const tell = () => said.push(order(), claims(), left(), bright());
        tell(); pick("system", "pytorch"); tell();
        pick("system", ""); pick("devices", "2"); tell();
        pick("devices", ""); pick("model", "vgg16"); tell();""",
    )
    assert said[:4] == [
        "aaaaaaaa e-torch1 e-two-22 e-vgg-16",
        "both crossbows twos scaling",
        f"2 claims: too few, {idle}",
        "Crossbow PyTorch",
    ]
    assert said[4:8] == ["e-torch1", "both twos scaling", f"2 claims: too few, {idle}", "PyTorch"]
    assert said[8:12] == ["e-two-22", "twos scaling", f"2 claims: too few, {idle}", "PyTorch"]
    assert said[12:] == ["e-vgg-16", "", f"1 claim: {idle}", "Crossbow PyTorch"]


LINE = """<g class="mark" id="line"><path d="M0 0 L90 50"/><g>
<use href="#x"><title>Crossbow, b=16, 1 device</title></use>
<use href="#x"><title>Crossbow, b=64, 2 devices</title></use></g></g></svg>"""


def test_a_line_fades_with_all_of_its_points(report, browser):
    page = report(ROW, ROW | {"system": "pytorch", "devices": "2"}, figures=("throughput",))
    said, _ = browser(
        page.replace("</svg>", LINE),
        """const shown = () => [...document.querySelectorAll("#line, #line use")]
          .map((drawn) => getComputedStyle(drawn).opacity).join(" ");
        pick("system", "pytorch"); said.push(shown());
        pick("system", "crossbow"); said.push(shown());
        pick("devices", "2"); said.push(shown());""",
    )
    assert said == ["0.1 1 1", "1 1 1", "1 0.1 1"]


def test_on_a_phone_the_verdict_is_in_sight_and_nothing_sticks_out(report, browser):
    """The browser's own windows are at least 500 px wide, so that the page is narrowed in one."""
    said, _ = browser(
        report(ROW, FAILED, ROW | {"devices": "2"}, claims=[CLAIM, CLAIM | {"devices": "2"}]),
        """document.body.style = "margin: 0; width: 390px";
        const place = (one) => one.getBoundingClientRect();
        const [claim, verdict, paper] = document.querySelector("#judged tbody tr").cells;
        const parts = [...document.querySelectorAll("header *, .picks *, section, #judged *")];
        said.push(parts.filter((one) => place(one).right > 390).map((one) => one.outerHTML).join());
        said.push(place(verdict).top >= place(claim).bottom,
          place(paper).top >= place(verdict).bottom);
        said.push(getComputedStyle(paper, "::before").content.includes("paper"));
        pick("devices", "2"); said.push(place(claim).height);""",
        size="500,844",
    )
    assert said == ["", "true", "true", "true", "0"]


TABLE = """const frame = document.querySelector("#runs .scroll");
const place = (one) => one.getBoundingClientRect();
"""


def test_a_table_of_few_runs_fits_a_small_laptop(report, browser):
    ended = {"status": "finished", "reason": "all epochs done, target not reached"}
    rows = [
        ROW | ended | {"run": f"{system}-lenet-digits-cpu1-b32-s1-65c1c515", "system": system}
        for system in ("crossbow", "pytorch", "tensorflow")
    ]
    rows = [row | {"memory_bytes": "5e9", "learners": str(n)} for n, row in enumerate(rows, 1)]
    said, _ = browser(report(*rows), TABLE + "said.push(frame.scrollWidth <= frame.clientWidth);")
    assert said == ["true"]


def test_the_headings_stay_in_sight_of_a_table_that_scrolls_in_its_box(report, browser):
    rows = [
        ROW | {"run": f"run-{n:08}", "model": f"network-{n}", "machine": "a" * n, "lr": f"0.{n}"}
        for n in range(1, 60)
    ]
    said, _ = browser(
        report(*rows),
        TABLE
        + """said.push(place(frame).height < innerHeight, frame.scrollWidth > frame.clientWidth,
          document.documentElement.scrollWidth <= innerWidth);
        frame.scrollTo(300, 900);
        const [first, second] = table.tHead.rows[0].cells, row = body.rows[40].cells[0];
        said.push(frame.scrollTop, frame.scrollLeft, place(first).top - place(frame).top);
        said.push(place(first).left - place(frame).left, place(row).left - place(frame).left);
        said.push(place(second).left < place(first).left);""",
    )
    assert said == ["true", "true", "true", "900", "300", "1", "1", "1", "true"]


def test_marks_tell_their_values_and_nothing_is_asked_for_elsewhere(report, browser):
    said, console = browser(
        report(ROW, figures=("throughput",), claims=[CLAIM]),
        """said.push(document.querySelector(".mark use title").textContent);
        said.push(performance.getEntriesByType("resource").length);""",
    )
    assert said == ["Crossbow m=2, 1 device: 4.5 s (seed 1)", "0"]
    assert "Content Security Policy" not in console and "Uncaught" not in console
