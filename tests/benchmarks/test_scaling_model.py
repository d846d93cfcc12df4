"""The scaling model recovers what made its data; what is committed is what it says now."""

import math
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="networks are built to be counted: install requirements.lock")

from bench import record
from bench.summary_columns import SUMMARY_COLUMNS
from benchmarks import (
    cost_curves,
    draw_costs,
    draw_scaling,
    scaling_check,
    scaling_data,
    scaling_measured,
    scaling_model,
    scaling_overhead,
    scaling_prediction,
)
from benchmarks import scaling_laws as laws
from benchmarks.engine_table import COLUMNS
from benchmarks.plan import DEFAULTS
from benchmarks.scaling_laws import MIB, AllReduce, Learners

ROOT = Path(__file__).resolve().parents[2]
H200 = ROOT / "results/reference/nvidia-h200"
TWO_CORES = ROOT / "results/reference/2-core-epyc/scaling"
PLANS = {
    H200: ["benchmarks/plans/scaling.json", "workflows/config/gpu-4.yaml",
           "workflows/config/gpu-8.yaml"],
    TWO_CORES: ["benchmarks/plans/two-cores.json"],
}  # fmt: skip
DIRTY = "Dirty: {} of changed code that no commit holds"
RING = AllReduce(hop_s=1e-5, bytes_per_s=1e10)


def test_ring_sends_two_times_all_but_one_share():
    assert RING.seconds(2, 1e6) == pytest.approx(2e-5 + 1e-4)
    assert RING.seconds(4, 1e6) == pytest.approx(6e-5 + 1.5e-4)


@pytest.mark.parametrize("devices", [[2], [2, 4, 8]])
def test_all_reduce_is_recovered(devices):
    points = [(g, n, RING.seconds(g, n)) for g in devices for n in (1e3, 1e5, 1e7)]
    found = laws.fit_all_reduce(points)
    assert (found.hop_s, found.bytes_per_s) == pytest.approx((RING.hop_s, RING.bytes_per_s))
    with pytest.raises(ValueError, match="two sizes"):
        laws.fit_all_reduce(points[:1] * 3)


def test_learners_are_recovered_also_with_one_held_out():
    law = Learners(1e-3, 2e-4)
    points = [(m, law.seconds(m)) for m in (1, 2, 8)]
    found = laws.fit_learners(points)
    assert (found.fixed_s, found.learner_s) == pytest.approx((1e-3, 2e-4))
    assert laws.held_out(points, laws.fit_learners) == pytest.approx([0, 0, 0], abs=1e-9)
    points[1] = (2, 1.1 * law.seconds(2))
    assert laws.held_out(points, laws.fit_learners)[1] == pytest.approx(1 / 1.1 - 1)
    with pytest.raises(ValueError, match="two numbers"):
        laws.fit_learners([(4, 1.0), (4, 1.1)])


def test_slowest_of_two_and_of_three_are_as_known():
    known = [0, 1 / math.sqrt(math.pi), 3 / (2 * math.sqrt(math.pi))]
    assert [laws.slowest_of(g) for g in (1, 2, 3)] == pytest.approx(known, abs=1e-6)


def test_crossbow_hides_an_all_reduce_as_long_as_an_iteration():
    def exchange(size):
        return size / 1e9

    assert laws.exposed("crossbow", 1e-3, 1e6, exchange) == 0
    assert laws.exposed("crossbow", 1e-3, 3e6, exchange) == pytest.approx(2e-3)


def test_ssgd_hides_all_but_the_last_bucket_or_what_queues_before_it():
    def exchange(size):
        return size / MIB * 1e-3

    one, three = 1 * MIB, 3 * MIB
    assert laws.exposed("pytorch", 1.0, one, exchange) == pytest.approx(1e-3)
    # Buckets of 1 and 2 MiB: the second is ready at the end, when the first has long been sent.
    assert laws.exposed("pytorch", 1.0, three, exchange) == pytest.approx(2e-3)
    # No computing hides anything: both.
    assert laws.exposed("pytorch", 1e-9, three, exchange) == pytest.approx(3e-3)


def row(m, devices, seconds, system="crossbow", model="lenet", call="one", **fields):
    images = 16 * m * devices
    found = DEFAULTS | {
        "model": model, "dataset": "digits", "batch": 16, "learners": m, "devices": devices,
        "system": system, "call": call, "images_per_s": images / seconds, "spread": 0.001,
    }  # fmt: skip
    return {name: found.get(name, "") for name in COLUMNS} | fields


@pytest.fixture
def folder(tmp_path):
    """A machine of GPUs whose overhead is an exchange that nothing hides, on one and two."""
    rows = []
    # Of networks that differ in size, or this could be the same overhead in each iteration.
    for model, m, seconds in (("lenet", 1, 1e-3), ("logistic", 4, 2e-3), ("mlp", 1, 5e-3)):
        exchange_s = RING.seconds(2, scaling_data.exchanged_bytes(model, "digits"))
        rows += [row(m, 1, seconds, model=model)]
        rows += [row(m, 2, seconds + 1.5 * exchange_s, model=model)]
    # Never to be looked at: more devices, and another call's.
    rows += [row(1, 4, 1.0), row(1, 2, 1.0, call="elsewhere")]
    record.write_table(tmp_path / "engine.csv", COLUMNS, rows)
    for call in ("one", "elsewhere"):
        record.write_json(tmp_path / f"engine-{call}.json", {"gpus": [{"name": "X"}], "cores": 1})
    # The last call of all-reduces is the one to read.
    sums = [{"call": call, "devices": 2, "bytes": n, "seconds": longer * RING.seconds(2, n)}
            for call, longer in (("old", 5), ("one", 1)) for n in (1e3, 1e6)]  # fmt: skip
    record.write_table(tmp_path / "all_reduce.csv", ["call", "devices", "bytes", "seconds"], sums)
    cell = '{"system": "%s", "model": "%s", "dataset": "digits", "batch": 16, "devices": %d}'
    asked = [("crossbow", "lenet", 4), ("crossbow", "lenet", 2), ("pytorch", "lenet", 4)]
    (tmp_path / "plan.json").write_text(f"[{','.join(cell % one for one in asked)}]")
    return tmp_path


def test_overhead_is_recovered_and_the_reading_that_made_it_is_chosen(folder):
    predicted, fits = scaling_prediction.predict(folder, [folder / "plan.json"])
    crossbow, pytorch = predicted  # two devices need no prediction
    assert crossbow["reading"] == "exchange" and pytorch["note"] == "not measured on one device"
    size = scaling_data.exchanged_bytes("lenet", "digits")
    seconds = 1e-3 + 1.5 * RING.seconds(4, size)
    assert float(crossbow["speed_up"]) == pytest.approx(4 * 1e-3 / seconds, abs=1e-3)
    low, high = float(crossbow["speed_up_low"]), float(crossbow["speed_up_high"])
    assert low <= float(crossbow["speed_up"]) < high <= 4
    errors = [float(fit["error"]) for fit in fits if fit["reading"] == "exchange"]
    assert errors == pytest.approx([0, 0, 0], abs=1e-6)


@pytest.mark.parametrize(("batch", "by"), [(16, "itself"), (32, "crossbow")])
def test_band_has_what_two_devices_leave_open(folder, batch, by):
    """Of a sum's latency and of the overhead, two devices see the same on any reading.

    A cell that was on two devices has its own overhead, and else what single cells say.
    """
    assert RING.at_once().seconds(2, 1e6) == pytest.approx(RING.seconds(2, 1e6))
    assert RING.at_once().seconds(8, 1e6) == pytest.approx(2e-5 + 1.75e-4)
    path = folder / "engine.csv"
    alone = row(1, 1, 2e-3, batch=32)  # no pair, and as fast by the image as with 16
    record.write_table(path, COLUMNS, [*record.read_table(path), alone])
    plan = folder / "batch.json"
    plan.write_text((folder / "plan.json").read_text().replace("16", str(batch)))
    rows = scaling_measured.measurements(folder)
    pairs = scaling_measured.pairs(rows)
    one = next(r for r in rows if r["model"] == "lenet" and r["batch"] == str(batch))
    own = scaling_measured.pair_of(one, pairs)
    assert (own is None) is (by == "crossbow")
    several = scaling_overhead.models(pairs, own, RING, None)
    assert len(several) == 2 * (2 if own else 1 + len(pairs))
    (predicted, *_), _ = scaling_prediction.predict(folder, [plan])
    assert predicted["calibrated_on"] == by
    at_4 = [model.seconds(one, 4, name) for model in several for name in model.overhead]
    alone_s = one["iteration_s"]
    assert max(at_4) > 1.002 * alone_s
    ends = [4 * alone_s / (max(at_4) * 1.002), 4 * alone_s / (min(at_4) / 1.002)]
    assert [float(predicted[f"speed_up_{end}"]) for end in ("low", "high")] == pytest.approx(
        [ends[0], min(4, ends[1])], abs=1e-3
    )


def test_a_cell_that_was_on_two_devices_has_the_overhead_that_it_had_there(folder):
    """The last time, whatever cuDNN's choice; and by as many learners as were tuned."""
    path = folder / "engine.csv"
    slower = [row(4, g, g * 2e-3, model="logistic", call="later", cudnn_benchmark=True)
              for g in (1, 2)]  # fmt: skip
    record.write_table(path, COLUMNS, [*record.read_table(path), *slower])
    record.write_json(folder / "engine-later.json", {"gpus": [{"name": "X"}], "cores": 1})
    pairs = scaling_measured.pairs(scaling_measured.measurements(folder))
    assert sorted(two["call"] for _, two in pairs) == ["later", "one", "one"]
    tuned = {"system": "crossbow", "model": "logistic", "dataset": "digits", "batch": "16",
             "learners": "auto", "learners_each": 4}  # fmt: skip
    own = scaling_measured.pair_of(tuned, pairs)
    assert own[1]["call"] == "later"
    assert scaling_measured.pair_of(tuned | {"learners_each": 3}, pairs) is None
    model = scaling_overhead.models(pairs, own, RING, None)[0]
    for reading in model.overhead:
        assert model.seconds(own[0], 2, reading) == pytest.approx(4e-3)


@pytest.mark.parametrize("cores", [1, 2, None])
def test_overhead_is_recovered_also_where_two_devices_take_turns(cores):
    one = {"system": "crossbow", "model": "lenet", "dataset": "digits", "iteration_s": 1e-3}
    made = scaling_overhead.Model(RING, dict.fromkeys(scaling_overhead.READINGS, 0.4), cores)
    for reading in scaling_overhead.READINGS:
        two = {"iteration_s": made.seconds(one, 2, reading)}
        found = scaling_overhead.calibrate([(one, two)], RING, cores).overhead[reading]
        assert found == pytest.approx(0.4)


def test_calls_that_a_prediction_is_checked_by_do_not_make_it(folder):
    path = folder / "engine.csv"
    one, two, four = row(1, 1, 1.0), row(1, 2, 3.0), row(1, 4, 9.0)
    rows = [each for each in record.read_table(path) if each["devices"] != "4"]
    record.write_table(path, COLUMNS, rows)
    before = scaling_prediction.predict(folder, [folder / "plan.json"])
    later = [each | {"call": "later"} for each in (one, two, four)]
    record.write_table(path, COLUMNS, [*rows, *later])
    assert scaling_prediction.predict(folder, [folder / "plan.json"]) == before
    record.write_table(path, COLUMNS, [*rows, *later[:2]])
    record.write_json(folder / "engine-later.json", {"gpus": [{"name": "X"}], "cores": 1})
    assert scaling_prediction.predict(folder, [folder / "plan.json"]) != before


def run(name, **fields):
    """A row of a summary."""
    made = DEFAULTS | {
        "run": name, "system": "crossbow", "model": "lenet", "dataset": "digits", "batch": 16,
        "learners": 1, "variant": "released", "tau": 1, "status": "reached", "median5_s": 1,
        "median5_epochs": 5, "epochs": 9, "lr": 0.1, "target": 0.9, "seed": 1,
        "train_s": 1, "images_per_s": 100,
    }  # fmt: skip
    return {column: (made | fields).get(column, "") for column in SUMMARY_COLUMNS}


def test_of_training_runs_those_count_that_average_in_every_iteration_and_trained(tmp_path):
    rows = [
        run("a", lr=0.1, machine="Y", commit="abcdefgh", dirty=True),
        run("b", lr=0.3, seed=2, images_per_s=120, status="finished"),
        run("d", variant="ea-sgd", images_per_s=900),
        run("e", tau=0, images_per_s=900),
        run("f", status="diverged", images_per_s=900),
        run("g", system="pytorch", variant="", tau="", images_per_s=50),
    ]
    record.write_table(tmp_path / "summary.csv", SUMMARY_COLUMNS, rows)
    found = scaling_measured.measured_in(tmp_path / "summary.csv")
    assert [(one["system"], one["images_per_s"]) for one in found] == [
        ("crossbow", 100), ("pytorch", 50)
    ]  # fmt: skip
    assert found[0]["source"] == ("Y", "abcdefgh", True)


def test_training_runs_are_checked_by_rates_as_they_are_of_many_machines(folder):
    predicted, _ = scaling_prediction.predict(folder, [folder / "plan.json"])
    told = folder / "told.csv"
    scaling_data.write(told, scaling_prediction.PREDICTION, predicted)
    summary = folder / "summary.csv"
    rows = [run("a"), run("b", devices=4, images_per_s=300)]
    record.write_table(summary, SUMMARY_COLUMNS, rows)
    (found,) = scaling_check.check(summary, told, folder / "out.csv")
    assert (found["of"], float(found["measured"])) == ("images_per_s", 300)


@pytest.mark.parametrize(
    ("column", "cell"),
    [("images_per_s", "0"), ("images_per_s", "nan"), ("devices", "abc"), ("batch", "inf"),
     ("learners", "auto"), ("spread", "-1"), ("system", "abc"), ("compile", "-5"),
     ("graph", "yes")],
)  # fmt: skip
def test_a_row_that_cannot_be_is_named(folder, column, cell):
    rows = [row(1, 1, 1e-3), row(1, 2, 1e-3) | {column: cell}]
    record.write_table(folder / "engine.csv", COLUMNS, rows)
    with pytest.raises(ValueError, match=rf"engine.csv: row 2: {column} is '{cell}'"):
        scaling_measured.measurements(folder)


@pytest.mark.parametrize("column", ["system", "model", "dataset", "batch"])
def test_a_row_that_lacks_what_has_no_default_is_named(folder, column):
    record.write_table(folder / "engine.csv", COLUMNS, [row(1, 1, 1e-3) | {column: ""}])
    with pytest.raises(ValueError, match=f"engine.csv: row 1: {column} is empty; leave the row"):
        scaling_measured.measurements(folder)


@pytest.mark.parametrize("column", ["devices", "bytes", "seconds"])
def test_an_all_reduce_that_cannot_be_is_named(folder, column):
    path = folder / "all_reduce.csv"
    rows = record.read_table(path)
    rows[-1] |= {column: "x"}
    record.write_table(path, list(rows[0]), rows)
    with pytest.raises(ValueError, match=f"all_reduce.csv: row 4: {column} is 'x', no number"):
        scaling_data.all_reduce(folder, on_cpus=False)
    left = [name for name in rows[0] if name != column]
    record.write_table(path, left, [{name: one[name] for name in left} for one in rows])
    with pytest.raises(ValueError, match=f"all_reduce.csv lacks the columns {column}"):
        scaling_data.all_reduce(folder, on_cpus=False)


def test_a_plan_without_a_cell_to_predict_leaves_the_prediction_as_it_was(folder, monkeypatch):
    written = folder / "scaling_prediction.csv"
    written.write_text("as it was\n")
    cell = '{"system": "crossbow", "model": "mlp", "dataset": "digits", "batch": %d, "devices": %d}'
    plan = folder / "plan.json"
    monkeypatch.setattr(sys, "argv", ["scaling_model", "predict", str(folder), str(plan)])
    for asked, why in ((16, 2), "is in these plans"), ((8, 4), "was measured on one"):
        plan.write_text(f"[{cell % asked}]")
        with pytest.raises(SystemExit, match=f"no cell of more than two devices {why}"):
            scaling_model.main()
    assert written.read_text() == "as it was\n"


def test_a_timeline_without_an_all_reduce_is_refused(tmp_path):
    record.write_table(tmp_path / "timeline.csv", ["kind", "start_us", "end_us"], [])
    with pytest.raises(ValueError, match="has no all-reduce"):
        scaling_data.all_reduce(tmp_path, on_cpus=False)


@pytest.mark.parametrize(("gpus", "last"), [([], " --device-type cpu"), ([{"name": "X"}], "")])
def test_how_to_measure_an_all_reduce_is_told_by_the_devices_of_the_folder(folder, gpus, last):
    (folder / "all_reduce.csv").unlink()
    record.write_json(folder / "engine-one.json", {"gpus": gpus, "cores": 2, "cpu": "C"})
    command = f"`python -m benchmarks.all_reduce --out {folder} --call NAME{last}` measures it"
    with pytest.raises(FileNotFoundError, match=re.escape(command)):
        scaling_prediction.predict(folder, [])


@pytest.mark.parametrize(
    ("told", "expected"),
    [({}, None), ({"device_type": "cpu"}, 2), ({"gpus": []}, 2), ({"device_type": "cuda"}, None)],
)
def test_a_call_on_cpus_is_that_also_where_there_are_gpus(tmp_path, told, expected):
    record.write_json(tmp_path / "call.json", {"gpus": [{"name": "X"}], "cores": 2} | told)
    assert scaling_data.cores(tmp_path / "call.json") == expected


def test_devices_beyond_the_cores_take_turns():
    one = {"system": "crossbow", "model": "lenet", "dataset": "digits", "iteration_s": 1.0}
    model = scaling_overhead.Model(RING, dict.fromkeys(scaling_overhead.READINGS, 0.0), cores=2)
    seconds = [model.seconds(one, g, "waiting") for g in (1, 2, 8)]
    assert seconds == pytest.approx([1.0, 1.0, 4.0])


def test_check_compares_speed_ups_within_a_call_else_rates(folder, capsys):
    predicted, _ = scaling_prediction.predict(folder, [folder / "plan.json"])
    told = folder / "told.csv"
    scaling_data.write(told, scaling_prediction.PREDICTION, predicted)
    new = folder / "new.csv"
    # Half as fast a machine, with the same speed-up of 2; and one without a single device's row.
    rows = [row(1, 1, 2e-3), row(1, 4, 4e-3), row(1, 4, 1e-3, call="alone"), row(2, 4, 1.0)]
    record.write_table(new, COLUMNS, rows)
    found = scaling_check.check(new, told, folder / "out.csv")
    assert [(one["of"], float(one["measured"])) for one in found] == [
        ("speed_up", 2.0), ("images_per_s", 64000.0)
    ]  # fmt: skip
    expected = float(predicted[0]["speed_up"])
    assert float(found[0]["error"]) == pytest.approx(expected / 2 - 1, abs=1e-3)
    assert found[0]["inside"] is (found[0]["low"] <= 2 <= found[0]["high"])
    assert "2 inside the band" in capsys.readouterr().out or not found[1]["inside"]


def test_a_cell_outside_its_band_is_told_and_no_failure_as_the_help_says(
    folder, monkeypatch, capsys
):
    predicted, _ = scaling_prediction.predict(folder, [folder / "plan.json"])
    scaling_data.write(folder / "told.csv", scaling_prediction.PREDICTION, predicted)
    record.write_table(folder / "new.csv", COLUMNS, [row(1, 1, 2e-3), row(1, 4, 1.0)])
    command = ["scaling_model", "check"]
    given = [str(folder / "new.csv"), "--prediction", str(folder / "told.csv")]
    monkeypatch.setattr(sys, "argv", [*command, *given])
    scaling_model.main()
    assert "OUTSIDE\n0 of 1 inside the band" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", [*command, "--help"])
    with pytest.raises(SystemExit):
        scaling_model.main()
    said = " ".join(capsys.readouterr().out.split())
    assert "outside its band is a finding: the code is 0 all the same" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["predict", "{}/none", "plan"], "engine.csv is missing"),
        (["predict", "{}", "{}/none.json"], "no such plan"),
        (["check", "{}/engine.csv"], "scaling_prediction.csv is missing"),
        (["check", "{}/engine.csv", "--prediction", "{}/empty.csv"], "empty.csv has no whole row"),
        (["check", "{}/engine.csv", "--prediction", "{}/engine.csv"], "lacks the columns speed_up"),
        (["check", "{}/all_reduce.csv", "--prediction", "{}/empty.csv"], "lacks the columns"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(folder, monkeypatch, arguments, sentence):
    scaling_data.write(folder / "empty.csv", scaling_prediction.PREDICTION, [])
    given = [one.replace("{}", str(folder)) for one in arguments]
    monkeypatch.setattr(sys, "argv", ["scaling_model", *given])
    with pytest.raises(SystemExit, match=sentence):
        scaling_model.main()


def test_cells_on_two_devices_alone_are_asked_for(folder):
    rows = [row(1, 2, 1.0)]
    record.write_table(folder / "engine.csv", COLUMNS, rows)
    with pytest.raises(ValueError, match="no cell on one and on two devices"):
        scaling_prediction.predict(folder, [folder / "plan.json"])


def text(rows, columns):
    return [{name: str(one.get(name, "")) for name in columns} for one in rows]


@pytest.mark.parametrize("machine", PLANS, ids=["nvidia-h200", "2-core-epyc"])
def test_committed_prediction_is_what_the_committed_measurements_give(machine):
    predicted, fits = scaling_prediction.predict(machine, [ROOT / plan for plan in PLANS[machine]])
    committed = record.read_table(machine / "scaling_prediction.csv")
    assert text(predicted, scaling_prediction.PREDICTION) == committed, "run `make scaling`"
    assert text(fits, scaling_prediction.FIT) == record.read_table(machine / "scaling_fit.csv")
    curves = text(cost_curves.curves(machine), cost_curves.COLUMNS)
    assert curves == record.read_table(machine / "cost_curves.csv"), "run `make scaling`"


def test_figure_has_the_predicted_shares_their_bands_and_what_was_measured(folder):
    rows = [*record.read_table(folder / "engine.csv"), row(1, 4, 2e-3)]
    record.write_table(folder / "engine.csv", COLUMNS, rows)
    code = {"commit": "12345678", "dirty": False}
    made = {"gpus": [{"name": "X"}], "cores": 1, "code": code}
    record.write_json(folder / "engine-one.json", made)
    on_eight = run("a", devices=8, machine="Y", commit="abcdefgh", dirty=True)
    record.write_table(folder / "summary.csv", SUMMARY_COLUMNS, [on_eight])
    predicted, _ = scaling_prediction.predict(folder, [folder / "plan.json"])
    scaling_data.write(folder / "scaling_prediction.csv", scaling_prediction.PREDICTION, predicted)
    figure, caption = draw_scaling.draw(folder)
    (panel,) = figure.axes
    share = float(predicted[0]["speed_up"]) / 4
    measured = [line.get_ydata()[0] for line in panel.get_lines()[1:]]
    assert panel.get_lines()[0].get_ydata()[0] == pytest.approx(share)
    assert pytest.approx(0.5) in measured  # four devices in twice the time of one
    (band,) = panel.collections[0].get_segments()
    ends = [float(predicted[0][f"speed_up_{end}"]) / 4 for end in ("low", "high")]
    assert list(band[:, 1]) == pytest.approx(ends)
    assert "1 of 2 cells could be predicted" in caption
    assert "Measured: call one: X, commit 1234567; training runs: Y, commit" in caption
    assert f"commit abcdefg with changes; all-reduces: {folder.name}, commit not" in caption
    assert caption.endswith("recorded. " + DIRTY.format("1 of 3 measurements is") + ".")


def test_figure_names_the_calls_of_pairs_of_single_devices_and_of_marks(folder):
    """Each also where nothing else is from it."""
    paired = [row(4, g, 2e-3 * g, model="logistic", call="paired") for g in (1, 2)]
    single = row(1, 1, 1e-3, call="single")
    rows = [*record.read_table(folder / "engine.csv"), *paired, single]
    record.write_table(folder / "engine.csv", COLUMNS, rows)
    for call in ("paired", "single"):
        record.write_json(folder / f"engine-{call}.json", {"gpus": [{"name": "X"}], "cores": 1})
    predicted, _ = scaling_prediction.predict(folder, [folder / "plan.json"])
    scaling_data.write(folder / "scaling_prediction.csv", scaling_prediction.PREDICTION, predicted)
    _, caption = draw_scaling.draw(folder)
    assert re.findall(r"call (\w+):", caption) == ["paired", "single", "one"]


def test_all_reduces_are_told_with_the_machine_of_the_call_that_is_read(folder):
    for call in ("old", "one"):
        record.write_json(folder / f"all_reduce-{call}.json", {"gpus": [{"name": call}]})
    assert scaling_data.source_of_sums(folder).machine == "one"


def test_figure_of_costs_has_a_panel_for_each_curve(folder):
    rows = [row(m, 1, 1e-3 + m * 1e-4) for m in (1, 2, 4)]
    record.write_table(folder / "engine.csv", COLUMNS, rows)
    sums = [{"call": "one", "devices": g, "bytes": n, "seconds": RING.seconds(g, n)}
            for g in (2, 4) for n in (1e3, 1e5, 1e6)]  # fmt: skip
    record.write_table(folder / "all_reduce.csv", ["call", "devices", "bytes", "seconds"], sums)
    code = {"commit": "abcdefgh", "dirty": True}
    made = {"gpus": [{"name": "X"}], "cores": 1, "code": code}
    record.write_json(folder / "all_reduce-one.json", made)
    epochs = [{"call": "one", "system": "crossbow", "model": "lenet", "dataset": "digits",
               "batch": 16, "learners": 1, "records": n, "least_s": 0.5 + n * 1e-4}
              for n in (1000, 2000, 4000)]  # fmt: skip
    record.write_table(folder / "records_cost.csv", list(epochs[0]), epochs)
    record.write_json(folder / "records_cost-one.json", {"gpus": [{"name": "Y"}]})
    curves = cost_curves.curves(folder)
    assert {one["error"] for one in curves} <= {"0.000", "-0.000"}
    record.write_table(folder / "cost_curves.csv", cost_curves.COLUMNS, curves)
    figure, caption = draw_costs.draw(folder)
    assert [panel.get_xlabel() for panel in figure.axes] == [
        "learners of one device", "records", "bytes"
    ]  # fmt: skip
    said = [[tick.get_text() for tick in panel.get_yticklabels()] for panel in figure.axes]
    assert all({label.split()[1] for label in labels} <= {"s", "ms", "µs"} for labels in said)
    assert "learners: 0.0%; records: 0.0%; all-reduce: 0.0%" in caption
    assert "learners, call one: X, commit not recorded; records, call one: Y, commit" in caption
    assert "recorded; all-reduce, call one: X, commit abcdefg with changes. Dirty" in caption
    assert caption.endswith(DIRTY.format("1 of 3 measurements is") + ".")
    assert [one.get_text() for one in figure.texts] == [DIRTY.format("1 of 3 measurements is")]
