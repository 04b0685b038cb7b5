#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""annotate_perf.py PERF CUPEL JSON PROGRAM: compares the texts of perf annotate and cupel annotate, and the
source lines in the JSON with addr2line."""
import json
import os
import re
import subprocess
import sys

ROW = re.compile(r"^ *([0-9.]+) : +([0-9a-f]+):\s+(.*)$")
bad = 0


def complain(text):
    global bad
    bad += 1
    print(text)


def read_text(path):
    lines = open(path).read().splitlines()
    title = next(line for line in lines if "Source code & Disassembly" in line)
    rows = {}
    for line in lines:
        found = ROW.match(line)
        if found:
            text = " ".join(found[3].split()).split(" //")[0]
            rows[int(found[2], 16)] = (float(found[1]), text)
    return title, rows


def compare_texts(perf, cupel):
    if perf[0] != cupel[0]:
        complain("titles differ:\n%s\n%s" % (perf[0], cupel[0]))
    if set(perf[1]) != set(cupel[1]):
        complain("addresses differ: %s" % sorted(set(perf[1]) ^ set(cupel[1])))
    total = sum(percent for percent, _ in cupel[1].values())
    if abs(total - 100) > 0.005 * len(cupel[1]) + 0.01:
        complain("percentages add up to %.2f" % total)
    same = 0
    for address in sorted(set(perf[1]) & set(cupel[1])):
        theirs, ours = perf[1][address], cupel[1][address]
        if abs(theirs[0] - ours[0]) > 0.011:
            complain("%x: %s%%, perf has %s%%" % (address, ours[0], theirs[0]))
        same += theirs[1] == ours[1]
        if theirs[1] != ours[1]:
            print("%x: '%s', perf has '%s'" % (address, ours[1], theirs[1]))
    print("%d of %d instructions have the same text" % (same, len(perf[1])))
    if same < 0.95 * len(perf[1]):
        complain("too few")


def places_of(function, row):
    chain, at = [], row["place"]
    while at >= 0:
        place = function["places"][at]
        source = place["source"]
        path = function["sources"][source]["path"] if source >= 0 else "??"
        chain.append((place["function"], os.path.basename(path), place["line"]))
        at = place["caller"]
    return chain


def addr2line(program, addresses):
    out = subprocess.run(["addr2line", "-a", "-f", "-i", "-e", program],
                         input="".join("%x\n" % a for a in addresses).encode(),
                         stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    chains, current = {}, None
    lines = iter(out)
    for line in lines:
        if line.startswith("0x"):
            current = chains.setdefault(int(line, 16), [])
            continue
        path, number = next(lines).split(" ")[0].rsplit(":", 1)
        current.append((line, os.path.basename(path), int(number) if number.isdigit() else 0))
    return chains


def compare_places(function, program):
    rows = function["instructions"]
    expected = addr2line(program, [int(row["address"], 16) for row in rows])
    inlined = 0
    for row in rows:
        ours, theirs = places_of(function, row), expected[int(row["address"], 16)]
        inlined += len(ours) > 1
        if ours != theirs:
            complain("%s: %s, addr2line has %s" % (row["address"], ours, theirs))
    print("%d instructions, %d of them inlined" % (len(rows), inlined))
    if not inlined:
        complain("nothing is inlined")


def main():
    perf, cupel, text, program = sys.argv[1:]
    compare_texts(read_text(perf), read_text(cupel))
    function, = json.load(open(text))["functions"]
    compare_places(function, program)
    samples = sum(row["counts"][0][0] for row in function["instructions"])
    if samples != function["events"][0]["samples"]:
        complain("%d samples of %d" % (samples, function["events"][0]["samples"]))
    return 1 if bad else 0


sys.exit(main())
