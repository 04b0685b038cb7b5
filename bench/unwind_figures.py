# SPDX-License-Identifier: GPL-2.0-or-later
"""The table that bench/unwind.sh ends with: each figure that unwinding is held to, its target, what was
measured and whether that meets it. What a part of the benchmark measures it notes here. Notes of
several runs, each of some parts, add up in the file BENCH_FIGURES, when that is named."""
import json
import os

# (figure, target, which note, unit, smallest, largest); a note is of one figure for each program or tool.
TARGETS = [
    ("user stacks that reach the root", ">= 99.5 % each", "whole", "%", 99.5, None),
    ("walk of 50 frames, P50", "<= 2 us", "walk P50", "us", None, 2),
    ("walk of 50 frames, P99", "<= 8 us", "walk P99", "us", None, 8),
    ("bytes on disk: dwarf 8k takes", ">= 30 times", "disk", "times", 30, None),
    ("with -z: dwarf 8k takes", ">= 200 times", "disk -z", "times", 200, None),
    ("bytes a sample to user space", "<= 64 on average", "crossed", "", None, 64),
    ("slowdown, cupel / perf fp", "1 in the interval", "slowdown", "", None, None),
    ("tables", "<= 0.10 / 1.2 / 3.5 MB", "table", "MB", None, None),
    ("building them, a raw row", "<= 150 ns", "row", "ns", None, 150),
    ("start to the first whole stack", "<= 300 ms", "start", "ms", None, 300),
    ("resident without tables", "<= 60 MB", "resident", "MB", None, 60),
    ("own CPU at 99 Hz, -a, steady", "<= 0.3 %", "cpu steady", "%", None, 0.3),
    ("own CPU, start and end included", "<= 0.3 %", "cpu", "%", None, 0.3),
    ("first samples not whole", "0", "first", "", None, 0),
]
TABLES_MB = {"libc.so.6": 0.10, "node": 1.2, "libLLVM": 3.5}

NOTES = {}


def note(which, name, *values):
    """values: the figure; for a ratio also the ends of its interval."""
    NOTES.setdefault(which, {})[name] = values


def load():
    path = os.environ.get("BENCH_FIGURES", "")
    if os.path.exists(path):
        with open(path, encoding="ascii") as file:
            NOTES.update(json.load(file))


def save():
    path = os.environ.get("BENCH_FIGURES", "")
    if path:
        with open(path, "w", encoding="ascii") as file:
            json.dump(NOTES, file, indent=1)


def is_met(which, name, values, least, most):
    if which == "slowdown":
        return values[1] <= 1 <= values[2]
    if which == "table":
        most = next((mb for start, mb in TABLES_MB.items() if name.startswith(start)), None)
    return (least is None or values[0] >= least) and (most is None or values[0] <= most)


def rows():
    """(figure, target, measured, met) of what was measured."""
    for figure, target, which, unit, least, most in TARGETS:
        notes = NOTES.get(which, {})
        said = ["%s %s" % (name, " ".join(filter(None, ["%.4g" % values[0], unit])))
                for name, values in notes.items()]
        missed = [name for name, values in notes.items()
                  if not is_met(which, name, values, least, most)]
        met = "not measured" if not notes else "yes" if not missed else "no"
        yield figure, target, said, met if met != "no" else "not by " + ", ".join(missed)
