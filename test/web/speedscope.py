#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens files of $CUPEL in speedscope (its page is the argument), saves the profile there, and compares
the weight of every stack with cupel."""
import base64
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, check, wait_for  # noqa: E402

SCRIPT = """\
dd 1/1 [000] 1.0: 600 cpu-clock:
\t3 hot+0x1 (/bin/dd)
  hot.c:7
\t1 main+0x1 (/bin/dd)

dd 1/2 [000] 1.1: 300 cpu-clock:
\t4 in (inlined)
\t4 warm+0x1 (/bin/dd)
\t1 main+0x1 (/bin/dd)

dd 1/1 [001] 1.2: 5 faults:
\tffffffff81000000 do_fault ([kernel.kallsyms])

"""
FOLDED = 'app;a 0.5\napp;a;b 3.125\napp;"<&>]]> x 2\napp;a;b;a 1\n'
# What speedscope shows for one unit: pprof's weights are whole numbers, of the finest part; in trace
# events a unit of what is not time is a microsecond.
UNITS = {"speedscope": 1, "pprof": 1000, "chrome-trace": 1}

SAVE = """
const done = arguments[arguments.length - 1], make = URL.createObjectURL;
URL.createObjectURL = blob => {
    URL.createObjectURL = make;
    blob.text().then(done);
    return "data:,";
};
window.dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true }));
"""


def stacks_of(text):
    """Of a file with open and close events: by stack, the weight while it was on top."""
    file, found = json.loads(text), Counter()
    names = [f["name"] for f in file["shared"]["frames"]]
    for profile in file["profiles"]:
        stack, since = [], 0
        for event in profile["events"]:
            if stack:
                found[";".join(stack)] += event["at"] - since
            since = event["at"]
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            else:
                assert stack.pop() == names[event["frame"]]
    return {stack: round(weight, 6) for stack, weight in found.items() if weight > 1e-9}


def cupel(*words):
    return subprocess.run([os.environ["CUPEL"], *words], check=True, capture_output=True).stdout


def folded(*words):
    found = Counter()
    for line in cupel("collapse", "--whole-names", "--all-events", *words).decode().splitlines():
        stack, weight = line.rsplit(" ", 1)
        found[stack] += float(weight)
    return dict(found)


def understood(browser, page, folder, path):
    script = Path(folder) / "load.js"
    data = base64.b64encode(Path(path).read_bytes()).decode()
    script.write_text("speedscope.loadFileFromBase64(%s, %s)" % (
        json.dumps(os.path.basename(path)), json.dumps(data)))
    browser.open("about:blank")
    browser.open(Path(page).as_uri() + "#localProfilePath=" + str(script))
    wait_for(lambda: "Export" in browser.run("return document.body.textContent"),
             os.path.basename(path) + " is loaded")
    return browser.call("POST", "/execute/async", {"script": SAVE, "args": []})


def test_file(browser, page, folder, text, kind, wish):
    source, path = os.path.join(folder, "source"), os.path.join(folder, "out." + kind)
    Path(source).write_text(text)
    cupel("convert", "--format", kind, source, "-o", path)
    found = stacks_of(understood(browser, page, folder, path))
    if os.environ.get("SCREENSHOTS"):
        browser.screenshot(os.path.join(os.environ["SCREENSHOTS"], "speedscope-%s.png" % kind))
    check(kind, found, wish(source))


def main():
    page = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser()
        try:
            test_file(browser, page, folder, SCRIPT, "speedscope", lambda s: folded("--no-comm", s))
            # in folded text it ignores lines with fractions
            test_file(browser, page, folder, SCRIPT, "folded", lambda s: folded("--inline", s))
            # from a pprof file it shows one sample type and no inlined functions
            test_file(browser, page, folder, SCRIPT.split("dd 1/1 [001]")[0], "pprof",
                      lambda s: {"main;hot": 600, "main;warm": 300})
            for kind, unit in UNITS.items():
                test_file(browser, page, folder, FOLDED, kind,
                          lambda s: {k: v * unit for k, v in folded(s).items()})
        finally:
            browser.close()


main()
