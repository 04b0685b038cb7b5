#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs axe-core on pages in light and dark: names, roles, contrast, targets of 24 px; with what opens:
the table of functions, a notice, the menu of a frame. Argument: axe.min.js."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, check, wait_ready  # noqa: E402
from page import make  # noqa: E402

SCRIPT = "".join("app %d/%d [000] %d.%03d: 1 cycles:\n\t10 f%d (/bin/app)\n\t20 main (/bin/app)\n\n"
                 % (1, 1 + i % 2, i // 10, i % 10 * 100, i % 3) for i in range(120))
RUN = """const menu = document.getElementById("fg-menu"), done = arguments[0];
axe.run(menu && !menu.hidden ? menu : document, { rules: { "target-size": { enabled: true } } }).then(found => done(found.violations.map(v => v.id + ": " + v.nodes.map(n =>
    n.target.join(" ")).join(", "))))"""


OPEN = """const view = window.cupel && cupel.view, row = document.getElementById("find");
if (view) {
    view.toggle("table");
    view.setFind("(");
} else if (row) {
    row.value = "(";
    row.dispatchEvent(new Event("input"));
}"""
MENU = """const box = window.cupel && cupel.view && cupel.view.boxes().find(b => b.name !== "all");
if (box)
    cupel.view.openMenu(new MouseEvent("contextmenu", { clientX: box.place.x + 3,
        clientY: box.place.y - 5 }));"""


def pages(folder):
    yield make(folder, "flame.html", "flamegraph", "input", input="a;b 60\na;c 40\n")
    yield make(folder, "heat.html", "heatmap", "input", input=SCRIPT)
    yield make(folder, "diff.html", "diff", "before", "after", before="a;b 600\na;c 400\n",
               after="a;b 300\na;c 700\n")
    yield make(folder, "chart.html", "timechart", "-i",
               str(Path(__file__).parents[1] / "fuzz/seeds/sched/plain"))
    done = subprocess.run([os.environ["CUPEL"], "runqlat", "--heatmap", folder + "/latency.html",
                           "0.3", "1"], stdout=subprocess.DEVNULL)
    if done.returncode == 0:
        yield Path(folder, "latency.html").as_uri()
    done = subprocess.run([os.environ["CUPEL"], "wall", "-o", "/dev/null", "--timeline",
                           folder + "/wall.html", "--flamegraph", folder + "/states.html", "--",
                           "sh", "-c", "sleep 0.1; ls / >/dev/null"])
    if done.returncode == 0:
        yield Path(folder, "wall.html").as_uri()
        yield Path(folder, "states.html").as_uri()


def main():
    axe = Path(sys.argv[1]).read_text()
    with tempfile.TemporaryDirectory() as folder:
        urls = list(pages(folder))
        for dark in (False, True):
            browser = Browser(dark=dark)
            try:
                for url in urls:
                    browser.open(url)
                    wait_ready(browser)
                    browser.run(axe + "; window.axe = window.axe || axe;")
                    for what, act in (("as it opens", ""), ("with a table", OPEN), ("menu", MENU)):
                        browser.run(act)
                        check("axe: %s, %s, %s" % (url.rsplit("/", 1)[1], what,
                                                   "dark" if dark else "light"),
                              browser.call("POST", "/execute/async", {"script": RUN, "args": []}),
                              [])
            finally:
                browser.close()


main()
