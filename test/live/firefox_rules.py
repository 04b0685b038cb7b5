#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of Firefox Profiler's processed format for what `cupel convert --format firefox` writes,
one function each. [V n] is that version's entry in docs-developer/CHANGELOG-formats.md of
firefox-devtools/profiler, [T name] the type in its src/types/profile.ts, [P] what
src/profile-logic/process-profile.ts does with any file. Prints the sums of the weights."""
import json
import sys

WEIGHT_TYPES = ("samples", "tracing-ms", "bytes")  # [T WeightType]


def columns(table, name):
    """Tables are objects of columns with `length` entries. [T RawFrameTable and others]"""
    for column, cells in table.items():
        if isinstance(cells, list):
            assert len(cells) == table["length"], (name, column, len(cells), table["length"])


def indexes(cells, count, none=()):
    for cell in cells:
        assert cell in none or (isinstance(cell, int) and 0 <= cell < count), (cell, count)


def meta_rules(meta):
    assert isinstance(meta["preprocessedProfileVersion"], int)  # [P] else it is not a processed one
    assert meta["preprocessedProfileVersion"] >= 53
    assert isinstance(meta["interval"], (int, float)) and meta["interval"] > 0  # [T ProfileMeta]
    assert isinstance(meta["markerSchema"], list) and isinstance(meta["product"], str)
    assert any(c["color"] == "grey" for c in meta["categories"])  # [V 53] the default category
    for category in meta["categories"]:  # [V 53] the first subcategory is the default one
        assert category["subcategories"][0] == "Other", category


def lib_rules(libs):
    for lib in libs:  # [V 41]
        assert {"name", "path", "debugName", "debugPath", "breakpadId", "codeId", "arch"} == set(lib)
        assert lib["codeId"] is None or int(lib["codeId"], 16)
        assert not {"start", "end", "offset"} & set(lib)


def thread_rules(thread):
    assert isinstance(thread["pid"], str)  # [V 47]
    assert isinstance(thread["isMainThread"], bool)  # [V 46]
    assert isinstance(thread["name"], str)
    assert thread["markers"]["length"] == 0 and thread["pausedRanges"] == []
    for table in ("samples", "markers", "frameTable", "funcTable", "stackTable", "resourceTable",
                  "nativeSymbols"):
        columns(thread[table], table)
    assert len(set(thread["stringArray"])) == len(thread["stringArray"])  # [P] it becomes a map


def sample_rules(thread):
    samples = thread["samples"]
    assert samples["weightType"] in WEIGHT_TYPES
    assert samples["time"] == sorted(samples["time"])  # [T RawSamplesTable] ranges are searched for
    assert all(w >= 0 for w in samples["weight"])
    indexes(samples["stack"], thread["stackTable"]["length"], (None,))


def stack_rules(thread):
    stacks = thread["stackTable"]
    assert "category" not in stacks and "subcategory" not in stacks  # [V 53]
    indexes(stacks["frame"], thread["frameTable"]["length"])
    for row, prefix in enumerate(stacks["prefix"]):  # [V 66] parents precede their children
        assert prefix is None or 0 <= prefix < row, (row, prefix)
    pairs = list(zip(stacks["prefix"], stacks["frame"]))
    assert len(set(pairs)) == len(pairs)  # [T RawStackTable] stacks with one prefix share it


def frame_rules(thread, categories):
    frames, funcs = thread["frameTable"], thread["funcTable"]
    assert "implementation" not in frames and "optimizations" not in frames  # [V 54, V 45]
    indexes(frames["func"], funcs["length"])
    indexes(frames["category"], len(categories))  # [V 53] essential
    for category, sub in zip(frames["category"], frames["subcategory"]):
        assert sub < len(categories[category]["subcategories"])
    assert all(a == -1 or a >= 0 for a in frames["address"])  # [T RawFrameTable] -1 = none
    stacks = thread["stackTable"]
    for prefix, frame in zip(stacks["prefix"], stacks["frame"]):
        depth = frames["inlineDepth"][frame]
        above = None if prefix is None else stacks["frame"][prefix]
        if depth and above is not None:  # [T RawFrameTable] an inlined frame is where its caller is
            assert depth == frames["inlineDepth"][above] + 1
            assert frames["address"][frame] == frames["address"][above], (frame, above)


def function_rules(thread, libs):
    funcs, resources = thread["funcTable"], thread["resourceTable"]
    strings = len(thread["stringArray"])
    indexes(funcs["name"], strings)
    indexes(funcs["fileName"], strings, (None,))
    indexes(funcs["resource"], resources["length"], (-1,))
    keys = list(zip(funcs["name"], funcs["resource"], funcs["fileName"]))
    assert len(set(keys)) == len(keys)  # [T FuncTable] call trees merge by function, not by line
    assert all(t == 1 for t in resources["type"])  # 1 is a library
    indexes(resources["lib"], len(libs))  # [V 41, V 70]
    indexes(resources["name"], strings)  # [V 41] all resources have names


def check(path):
    with open(path, "rb") as file:
        profile = json.loads(file.read().decode("utf-8", "strict"))  # [P] invalid UTF-8 is an error
    meta_rules(profile["meta"])
    lib_rules(profile["libs"])
    totals = {}
    for thread in profile["threads"]:
        thread_rules(thread)
        sample_rules(thread)
        stack_rules(thread)
        frame_rules(thread, profile["meta"]["categories"])
        function_rules(thread, profile["libs"])
        samples = thread["samples"]
        totals.setdefault(samples["weightType"], []).extend(samples["weight"])
    print(" ".join("%s=%.6f" % (kind, sum(totals[kind])) for kind in sorted(totals)))


check(sys.argv[1])
