"""The report shows every run and figure, loads nothing, and trusts no text."""

import csv
import html
import io
import re

import pytest
from summary_rows import AUTO, CLAIM, FAILED, NOT_RUN, PLANNED, ROW, SVG

from bench.claims import COLUMNS
from bench.verdict import VERDICTS
from workflows.report.__main__ import main
from workflows.report.build import MOST_FAILED, MOST_ROWS
from workflows.report.figures import MOST_INLINE, inline, read_figures


def test_every_run_and_figure_is_there(report):
    page = report(ROW, FAILED, AUTO)
    table = page[page.index('id="table"') :]
    for row in (ROW, FAILED, AUTO):
        assert f'<th scope="row" data-sort="{row["run"]}">' in table
    for name in ("throughput", "time_to_accuracy"):
        assert f'<figure id="figure-{name}">' in page and f"About {name}</h3>" in page
        assert f'href="figures/{name}.csv"' in page
        assert f'href="figures/{name}.png"' not in page  # was never written
    assert "One &lt; two." in page
    assert "auto → 3" in page and 'data-sort="3" class' not in page
    assert "3 runs of lenet on digits to 90% with crossbow: 2 reached and 1 out of memory." in page


def test_failed_runs_come_first_with_their_reason(report):
    page = report(ROW, FAILED)
    section = page[page.index('id="failed"') : page.index('id="figures"')]
    assert FAILED["run"] in section and ROW["run"] not in section
    assert page.index('id="failed"') < page.index('id="figures"') < page.index('id="runs"')
    assert 'id="failed"' not in report(ROW)


def test_what_never_ran_had_no_machine(report):
    missing = ROW | {"run": "z", "status": "not_available", "machine": ""}
    assert "a machine that was not recorded" in report(ROW, FAILED | {"machine": ""})
    page = report(ROW, missing)
    assert "1 not available. They ran on" in page and "not recorded" not in page
    assert "They ran on" not in report(missing)


def test_planned_runs_are_in_the_table_and_have_not_failed(report):
    page = report(ROW, PLANNED)
    assert "1 of 2 planned runs of lenet on digits to 90% with crossbow: " in page
    assert 'data-sort="to-do"' in page and '<span class="status not_run">not run</span>' in page
    assert 'id="failed"' not in page and "not recorded" not in page
    assert "0 of 1 planned runs" in report(PLANNED) and "They ran on" not in report(PLANNED)
    other = ROW | {"run": "z", "status": "not_available", "machine": ""}
    assert "1 of 2 planned runs" in report(ROW, PLANNED, other)


def test_the_head_names_the_commits_of_what_ran(report):
    later = ROW | {"run": "later", "commit": "2e8466f0000000000"}
    page = report(ROW, later, PLANNED)
    assert "They ran on 2 x AMD EPYC, Linux, of commits 1e8466f and 2e8466f." in page
    assert "of commit" not in report(ROW | {"commit": ""})


def test_hostile_text_stays_text(report):
    page = report(FAILED | {"run": '"><img src=x>', "machine": "<i>"})
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page
    assert "<img" not in page and "<i>" not in page and "<b>" not in page


def test_what_stands_between_backticks_is_code(report):
    said = "`make <gpu>` makes it, as `first` has it; a ` alone stays"
    page = report(FAILED | {"reason": said}, caption=said)
    code = "<code>make &lt;gpu&gt;</code> makes it, as <code>first</code> has it; a ` alone stays"
    assert f"<p>{code}</p>" in page  # of the figure
    assert f"{code}<br>" in page and f'<div class="reason">{code}</div>' in page  # of the run


def test_the_page_loads_nothing(report):
    page = report(ROW, FAILED)
    loads = re.findall(r"(?:src|href|action|poster|data)\s*=\s*[\"']([^\"']*)", page)
    assert loads and not [address for address in loads if re.match(r"(?i)\w+:|//", address)]
    assert "@import" not in page and not re.search(r"url\((?!#)", page)
    assert "default-src 'none'" in page
    assert "DOCTYPE svg" not in page and "made elsewhere" not in page


def test_ids_are_unique_and_every_reference_is_met(report):
    page = report(ROW, FAILED, AUTO)
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    references = re.findall(r"url\(#([^)]*)\)", page) + re.findall(r'href="#([^"]*)"', page)
    assert len(references) >= 6 and set(references) <= set(ids)


def test_numbers_are_readable_and_sort_by_their_raw_value(report):
    page = report(ROW, FAILED)
    assert '<td data-sort="12345.6" class="number">12,346</td>' in page
    assert '<td data-sort="0.9591" class="number">95.91%</td>' in page
    assert '<td data-sort="" class="number">–</td>' in page


def test_what_all_runs_share_is_said_once(report):
    page = report(ROW, FAILED)
    assert re.search(r"The same in all runs: .*dataset digits", page)
    assert '<button type="button">dataset</button>' not in page
    page = report(ROW, FAILED | {"dataset": "mnist"})
    assert '<button type="button">dataset</button>' in page


FAST = {"precision": "bf16", "compile": "True", "channels_last": "False", "graph": "True"}


def test_a_setting_that_only_one_system_has_is_no_column_of_its_own(report):
    baseline = ROW | {"system": "pytorch", "variant": "", "alpha": "", "mu": ""}
    page = report(ROW, baseline)
    assert '<button type="button">variant</button>' not in page
    page = report(ROW, baseline, ROW | {"variant": "kungfu"})
    assert '<button type="button">variant</button>' in page


def test_a_setting_that_only_some_runs_have_is_said_of_these_alone(report):
    lacks = dict.fromkeys(["variant", "alpha", "mu"], "")
    others = [ROW | {"system": name} | lacks for name in ("pytorch", "tensorflow")]
    page = report(ROW, *others)
    assert "The same in all runs of crossbow: variant algorithm-1, α 0.5, µ 0.9.</p>" in page
    (of_all,) = re.findall("The same in all runs: (.*)</p>", page)
    assert "dataset digits" in of_all and "variant" not in of_all and "α" not in of_all
    page = report(ROW, *others, others[0] | {"alpha": "0.5"})
    assert "The same in all runs that have it: α 0.5.</p>" in page
    assert "The same in all runs of crossbow: variant algorithm-1, µ 0.9.</p>" in page


def test_how_a_step_is_computed_is_one_column_in_words(report):
    plain = ROW | dict.fromkeys(FAST, "False") | {"precision": "fp32", "unroll": "1"}
    plain |= {"cudnn_benchmark": "False"}
    page = report(plain, plain | FAST | {"unroll": "4", "cudnn_benchmark": "True"})
    assert '">bf16, compiled, graph, unroll 4, cuDNN benchmark</td>' in page
    assert '<td data-sort="fp32">fp32</td>' in page
    assert page.count('<button type="button">step</button>') == 1
    for name in ("precision", "compile", "graph", "unroll"):
        assert f'<button type="button">{name}</button>' not in page
    assert "The same in all runs: " in report(ROW | FAST) and "step bf16" in report(ROW | FAST)


def test_memory_and_energy_are_columns_where_a_run_has_them(report):
    told = {"memory_bytes": "1610612736", "learner_memory_bytes": "", "joules_per_image": "0.01234"}
    page = report(ROW | told, ROW | dict.fromkeys(told, ""))
    assert '<td data-sort="1610612736" class="number">1.50</td>' in page
    assert '<td data-sort="0.01234" class="number">0.0123</td>' in page
    assert '<button type="button">memory GiB</button>' in page and "GiB/learner" not in page
    assert '<button type="button">memory GiB</button>' in report(ROW | told)
    assert "GiB" not in report(ROW | dict.fromkeys(told, ""))


def test_options_of_a_method_tell_its_runs_apart_from_those_with_its_defaults(report):
    plain = ROW | {"system": "polyak", "method": ""}
    page = report(plain, plain | {"method": "decay=0.95"})
    assert '<button type="button">method</button>' in page
    assert '<td data-sort="decay=0.95">decay=0.95</td>' in page
    assert '<button type="button">method' not in report(plain, plain)
    alike = plain | {"method": "decay=0.95"}
    assert re.search(r"The same in all runs: .*method decay=0.95", report(alike, alike))


def test_exchange_is_a_column_where_a_run_has_some(report):
    told = {"sent_bytes": "458323712", "staleness": "0.5234"}
    page = report(ROW | told, ROW | dict.fromkeys(told, ""))
    assert '<td data-sort="458323712" class="number">458</td>' in page
    assert '<td data-sort="0.5234" class="number">0.523</td>' in page
    assert '<button type="button">MB sent</button>' in page
    for nothing in ("", "0"):
        page = report(ROW | dict.fromkeys(told, "") | {"sent_bytes": nothing})
        assert '<button type="button">MB sent' not in page and "staleness" not in page


def test_figures_that_show_nothing_are_folded_away_behind_the_others(report):
    page = report(ROW, figures=("throughput",), empty=("energy", "memory"))
    folded = page[page.index('<details id="empty">') : page.index('id="runs"')]
    assert "Not run here: About energy; About memory</summary>" in folded
    assert 'id="figure-energy"' in folded and 'id="figure-throughput"' not in folded
    assert 'id="empty"' not in report(ROW, figures=("throughput", "energy", "memory"))


def test_a_claim_has_numbers_machine_and_a_verdict_in_words_and_shape(report):
    page = report(ROW, claims=[CLAIM, CLAIM | {"verdict": "reproduced", "machine": "the other"}])
    section = page[page.index('id="claims"') : page.index('id="figures"')]
    assert "Crossbow is &lt;there&gt; sooner" in section and "Section 5.2" in section
    assert '"paper">1.3 to 4 times</td>\n<td data-heading="ours">2.06 (0 to 2.1) times<' in section
    assert '"n">3 pairs, 2 won</td>' in section
    assert "crossbow, learners 2, batch 16: 4.5 (4 to ∞) s, 2 of 3 reached" in section
    assert "lenet on digits to 90%, 1 device, 2 x AMD EPYC, Linux" in section
    assert 'partly">◐ partly</span>' in section and 'reproduced">✔ reproduced</span>' in section
    assert "1 device, the other" in section and 'id="untried"' not in section


def test_claims_without_runs_are_one_line_behind_the_others(report):
    page = report(ROW, claims=[NOT_RUN, CLAIM, NOT_RUN | {"id": "other"}])
    judged = page[page.index('<table id="judged">') : page.index('<details id="untried">')]
    assert "sooner:" in judged and "idle" not in judged
    folded = page[page.index('<details id="untried">') : page.index('id="figures"')]
    assert '○ Not run here: <span id="left">2 claims</span></summary>' in folded
    assert "(idle; Section 5.2): no runs to compare" in folded
    one = report(ROW, claims=[NOT_RUN])
    assert 'id="judged"' not in one and '<span id="left">1 claim</span>' in one
    assert 'id="claims"' not in report(ROW)


def test_a_claim_of_one_side_shows_its_value(report):
    alone = CLAIM | {"theirs": "", "paper": "0.88", "ours_median": "0.9", "ours_high": "12345.6"}
    page = report(ROW, claims=[alone])
    assert re.search(r'"paper">0.88</td>\n.*"ours">0.9 \(4 to 12,346\) s</td>\n.*"n">3</td>', page)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("epochs_to_target", " epochs"),
        ("images_per_s", " images/s"),
        ("first_s", " s"),
        ("energy_j", " J"),
        ("final_acc", ""),
    ],
)
def test_what_was_compared_has_its_unit(value, unit, report):
    page = report(ROW, claims=[CLAIM | {"value": value, "pairs": "1", "won": "1"}])
    assert f"crossbow, learners 2, batch 16: 4.5 (4 to ∞){unit}, 2 of 3 reached" in page
    assert '"n">1 pair, 1 won</td>' in page


def test_what_both_sides_had_alike_is_said_once(report):
    alike = "lr 0.1, schedule step(at=[8, 12], factor=0.1)"
    sides = {"ours": f"crossbow, learners 2, {alike}", "theirs": f"crossbow, {alike}, tau 2"}
    page = report(ROW, claims=[CLAIM | sides])
    assert "<div>learners 2: 4.5 (4 to ∞) s, " in page and "<div>tau 2: 9.25 (8 to 9.5) s" in page
    assert f'<div class="reason">both: crossbow, {alike}; lenet on' in page
    other = "schedule step(at=[8, 14], factor=0.1)"
    page = report(ROW, claims=[CLAIM | {"ours": f"a, {other}", "theirs": f"a, {alike}"}])
    assert f"<div>{other}: 4.5" in page and f"<div>{alike}: 9.25" in page and "both: a;" in page
    page = report(ROW, claims=[CLAIM | {"ours": "a", "theirs": "a, tau 2"}])
    assert "<div>ours: 4.5" in page and "<div>tau 2: 9.25" in page
    page = report(ROW, claims=[CLAIM | {"ours": "a, tau 2", "theirs": ""}])
    assert "<div>a, tau 2: 4.5" in page and "both: " not in page


def test_every_verdict_has_a_mark_of_its_own(report):
    said = set()
    for verdict in VERDICTS:
        page = report(ROW, claims=[CLAIM | {"verdict": verdict}])
        said |= set(re.findall(r">([^\w\s]) (?:Not run here|[a-z ]+</span>)", page))
    assert len(said) == len(VERDICTS)


def test_the_page_can_be_filtered_by_what_differs(report):
    page = report(ROW, ROW | {"system": "pytorch", "devices": "10"}, ROW | {"devices": "2"})
    assert 'data-pick="system"' in page and 'data-pick="model"' not in page
    options = re.findall("<option>(.*?)</option>", page[page.index('data-pick="devices"') :])
    assert options == ["1", "2", "10"]
    assert 'class="picks"' not in report(ROW, ROW)


def test_time_to_accuracy_is_the_first_figure_and_others_follow_by_name(report):
    names = ("aaa", "throughput", "accuracy_over_time", "time_to_accuracy", "bbb")
    page = report(ROW, figures=names)
    drawn = re.findall(r'id="figure-(\w+)"', page)
    assert drawn == ["time_to_accuracy", "accuracy_over_time", "throughput", "aaa", "bbb"]


def test_dirty_commits_are_marked(report):
    page = report(ROW, FAILED)
    assert "1e8466f000 (dirty)</td>" in page and "1e8466f000</td>" in page
    assert "1 of 2 runs came from changed code" in page
    assert "changed code" not in report(ROW)


def test_the_commit_of_runs_outside_of_any_repository_is_not_known(report):
    assert "commit unknown (dirty)" in report(ROW | {"commit": "", "dirty": "true"})


def test_files_of_a_run_are_linked_where_they_exist(report, tmp_path):
    folder = tmp_path / "runs" / ROW["run"]
    folder.mkdir(parents=True)
    (folder / "log.txt").write_text("")
    page = report(ROW)
    assert f'href="runs/{ROW["run"]}/log.txt"' in page
    assert "epochs.csv" in page and f'href="runs/{ROW["run"]}/epochs.csv"' not in page


def test_a_run_shows_its_command(report, tmp_path):
    path = f"{tmp_path.as_posix()}/runs/{ROW['run']}/status.json"
    assert f"<code>snakemake --cores all --forcerun {path}</code>" in report(ROW)
    page = report(ROW | {"run": "a b"}, more=["--rerun", "again --of {run} --now"])
    assert html.escape("again --of 'a b' --now", quote=True).replace("&#x27;", "&#39;") in page


def test_without_runs(report):
    assert "No run has been joined yet." in report()


def test_a_gain_over_what_never_got_there_is_a_lower_bound(report):
    late = CLAIM | {"theirs_reached": "1", "theirs_median": "inf", "gain_high": "inf"}
    assert '"ours">at least 2.06 (0 to ∞) times<' in report(ROW, claims=[late])
    assert '"ours">∞ (0 to ∞) times<' in report(ROW, claims=[late | {"gain": "inf"}])  # diverged
    of_images = CLAIM | {"value": "images_per_s", "ours_reached": "", "theirs_reached": ""}
    assert "at least" not in re.sub(r"<p>.*?</p>", "", report(ROW, claims=[of_images]), flags=re.S)


def test_of_what_never_got_there_no_gain_is_told(report):
    never = CLAIM | {"gain": "0", "gain_high": "0", "ours_reached": "0", "theirs_reached": "1"}
    assert '"ours">never<' in report(ROW, claims=[never])
    assert '"ours">never (0 to 1.05 times)<' in report(ROW, claims=[never | {"gain_high": "1.05"}])
    of_images = never | {"value": "images_per_s", "ours_reached": "", "theirs_reached": ""}
    assert '"ours">0 (0 to 0) times<' in report(ROW, claims=[of_images])


def test_a_gain_just_above_1_is_told_from_none(report):
    close = CLAIM | {"gain": "1.00338", "gain_low": "1", "gain_high": "1.0526"}
    assert '"ours">1.003 (1 to 1.053) times<' in report(ROW, claims=[close])


def test_claims_without_a_verdict_can_be_picked(report):
    page = report(ROW, claims=[CLAIM | {"verdict": "not run", "devices": "2"}, NOT_RUN])
    assert '<li data-model="lenet" data-system="crossbow learners 2' in page
    assert 'data-devices="2">Crossbow' in page and 'data-system="" data-devices="">' in page


def test_the_environment_is_shown_to_its_leaves(report):
    page = report(ROW)
    assert re.search(r"<dt>torch</dt><dd>\s*2.13.0", page) and "&lt;b&gt;" in page


def claims_with(**cells):
    """A file of one claim with these cells."""
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS, restval="")
    writer.writeheader()
    writer.writerow(CLAIM | cells)
    return file.getvalue().strip()


@pytest.mark.parametrize(
    ("broken", "content", "said"),
    [
        ("summary.csv", None, "There is no"),
        ("machines.json", None, "There is no"),
        ("machines.json", "{", "not readable JSON"),
        ("claims.csv", None, "There is no"),
        ("machines.json", b"\xff", "not readable JSON"),
        ("summary.csv", "run,status\n", "lacks the columns"),
        ("summary.csv", "", "is not readable as CSV"),
        ("summary.csv", b"\xff\xfe", "is not readable as CSV"),
        ("claims.csv", b"\xff", "is not readable as CSV"),
        ("claims.csv", "id,text\n", "lacks the columns"),
        ("claims.csv", claims_with(verdict="maybe"), "'maybe', none of reproduced, partly,"),
        ("claims.csv", claims_with(gain="much"), "gain of sooner is 'much', no number"),
        ("claims.csv", claims_with(gain="nan"), "gain of sooner is 'nan', no number"),
        ("claims.csv", claims_with(pairs=""), "pairs of sooner is '', no number"),
        ("claims.csv", claims_with(won=""), "won of sooner is '', no number"),
        ("claims.csv", claims_with(gain_low=""), "gain_low of sooner is '', no number"),
        ("claims.csv", claims_with(theirs_high="?"), "theirs_high of sooner is '?', no number"),
        ("claims.csv", claims_with().rsplit(",", 1)[0], "sooner has not as many fields"),
        ("machines.json", "[1]", "is no list of machines"),
        ("machines.json", '{"machine": "a"}', "is no list of machines"),
        ("machines.json", '[{"machine": "a", "runs": 3}]', "is no list of machines"),
        ("figures/throughput.svg", None, "figures has no figure"),
        ("figures/throughput.svg", "<svg", "not a readable SVG"),
    ],
)
def test_broken_inputs_are_refused_in_one_sentence(
    broken, content, said, report, tmp_path, capsys, monkeypatch
):
    report(ROW, figures=["throughput"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / broken).unlink()
    if content is not None:
        content = content if isinstance(content, bytes) else content.encode()
        (tmp_path / broken).write_bytes(content)
    (tmp_path / "report.html").unlink()
    files = ["--summary", "summary.csv", "--machines", "machines.json", "--figures", "figures"]
    files += ["--claims", "claims.csv"]
    assert main([*files, "--out", "report.html"]) == 1
    error = capsys.readouterr().err
    assert said in error and broken.split("/")[0] in error and error.count("\n") == 1
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("option", ["--out", "--claims", "--machines"])
def test_a_folder_is_no_file(option, report, tmp_path, capsys, monkeypatch):
    report(ROW)
    monkeypatch.chdir(tmp_path)
    files = ["--summary", "summary.csv", "--machines", "machines.json", "--figures", "figures"]
    assert main([*files, "--claims", "claims.csv", "--out", "other.html", option, "figures"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("figures: Is a directory") and error.count("\n") == 1
    assert main([*files, "--claims", "claims.csv", "--out", "claims.csv/report.html"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("claims.csv/report.html: ") and error.count("\n") == 1


def test_an_inlined_figure_is_still_xml(tmp_path):
    (tmp_path / "a.svg").write_text(SVG)
    text = inline(tmp_path / "a.svg")
    assert 'href="#a-glyph"' in text and 'style="clip-path: url(#a-clip)"' in text
    assert text.startswith("<svg")


def test_alpha_may_be_a_rule(report):
    page = report(ROW | {"alpha": "1/k"}, AUTO)
    assert '<td data-sort="1/k" class="number">1/k</td>' in page


def test_of_many_runs_the_first_are_open_and_all_are_there(report):
    rows = [FAILED | {"run": f"run-{n}", "reason": f"why {n}"} for n in range(MOST_ROWS + 1)]
    page = report(*rows)
    table = page[page.index('id="table"') : page.index('id="machines"')]
    assert table.count("<tr data-model") == MOST_ROWS and table.count("<tr hidden") == 1
    failed = page[page.index('id="failed"') : page.index('id="figures"')]
    first, rest = failed.split("<details>")
    assert first.count("<li>") == MOST_FAILED and rest.count("<li>") == len(rows) - MOST_FAILED
    assert f"<summary>{len(rows) - MOST_FAILED} more</summary>" in rest
    assert " more</summary>" not in report(FAILED)


def test_a_drawing_of_too_many_marks_is_a_picture(report, tmp_path):
    marks = "<g>" + "<path/>" * (MOST_INLINE // 7) + "</g></svg>"
    report(ROW, figures=("throughput",))
    (tmp_path / "figures/throughput.svg").write_text(SVG.replace("</svg>", marks))
    (drawn,) = read_figures(tmp_path / "figures", tmp_path)
    assert "<path" in drawn["drawing"]  # there is no picture of it
    (tmp_path / "figures/throughput.png").write_bytes(b"\x89PNG")
    (drawn,) = read_figures(tmp_path / "figures", tmp_path)
    assert drawn["drawing"] == '<img alt="" src="data:image/png;base64,iVBORw==">'
    assert ("svg", "figures/throughput.svg") in drawn["files"]
    assert "too many marks" in drawn["paragraphs"][-1]
