"""Rows of a summary and of claims, and a small figure, for the report to show."""

ROW = {
    "run": "crossbow-lenet-digits-cpu1-m2-b16-s1-aaaaaaaa",
    "system": "crossbow",
    "model": "lenet",
    "dataset": "digits",
    "device_type": "cpu",
    "devices": "1",
    "learners": "2",
    "batch": "16",
    "seed": "1",
    "variant": "algorithm-1",
    "alpha": "0.5",
    "mu": "0.9",
    "momentum": "0.9",
    "weight_decay": "0.0",
    "lr": "0.1",
    "schedule": "constant",
    "epochs": "12",
    "augmentation": "none",
    "target": "0.9",
    "status": "reached",
    "reason": "",
    "epochs_run": "12",
    "learners_final": "2",
    "best_acc": "0.9591",
    "images_per_s": "12345.6",
    "train_s": "8.25",
    "median5_epochs": "7",
    "median5_s": "4.5",
    "first_s": "4.5",
    "sustained_s": "4.5",
    "commit": "1e8466f0000000000",
    "dirty": "false",
    "machine": "2 x AMD EPYC, Linux",
}
NEVER = dict.fromkeys(["best_acc", "images_per_s", "train_s", "median5_epochs", "median5_s"], "")
NEVER |= dict.fromkeys(["first_s", "sustained_s"], "")
FAILED = (
    ROW
    | NEVER
    | {
        "run": "crossbow-lenet-digits-cpu1-m4-b16-s1-bbbbbbbb",
        "status": "out_of_memory",
        "reason": "<script>alert('out')</script> & more",
        "learners": "4",
        "dirty": "true",
    }
)
PLANNED = ROW | NEVER | {"run": "to-do", "status": "not_run", "reason": "not run so far"}
PLANNED |= dict.fromkeys(["machine", "commit", "dirty", "learners_final"], "")
AUTO = ROW | {"run": "auto-run", "learners": "auto", "learners_final": "3", "median5_s": "100"}
CLAIM = {
    "id": "sooner",
    "text": "Crossbow is <there> sooner",
    "source": "Section 5.2",
    "value": "time_to_target",
    "direction": "lower",
    "paper": "1.3 to 4 times",
    "machine": "2 x AMD EPYC, Linux",
    "model": "lenet",
    "dataset": "digits",
    "target": "0.9",
    "devices": "1",
    "ours": "crossbow, learners 2, batch 16",
    "theirs": "pytorch, batch 64",
    **{"ours_median": "4.5", "ours_low": "4", "ours_high": "inf", "ours_n": "3"},
    **{"theirs_median": "9.25", "theirs_low": "8", "theirs_high": "9.5", "theirs_n": "3"},
    **{"ours_reached": "2", "theirs_reached": "3", "pairs": "3", "won": "2"},
    **{"gain": "2.0556", "gain_low": "0", "gain_high": "2.1"},
    "verdict": "partly",
    "why": "the interval reaches down to 0",
}
NOT_RUN = {name: CLAIM[name] for name in ("text", "source", "value", "direction", "paper")}
NOT_RUN |= {"id": "idle", "verdict": "not run", "why": "no runs to compare", "pairs": "0"}
SVG = """<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://w3.org/x.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90pt"
 height="50pt" viewBox="0 0 90 50"><metadata>made elsewhere</metadata><defs><path id="glyph" d=""/>
<clipPath id="clip"><rect/></clipPath></defs>
<g clip-path="url(#clip)" style="clip-path: url(#clip)" class="mark">
<use xlink:href="#glyph"><title>Crossbow m=2, 1 device: 4.5 s (seed 1)</title></use>
<use xlink:href="#glyph"><title>PyTorch, 2 devices: 9 s (seed 1)</title></use></g></svg>"""
