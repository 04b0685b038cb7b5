#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""flame_open.py PAGE SVG: how long a page takes to open, to zoom and to search in headless Chromium,
from the input until the next frame is on the screen; and how long the SVG takes to open. Prints
NAME MILLISECONDS lines."""
import os
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "web"))
from browser import Browser, wait_for  # noqa: E402

# Runs steps one after another, each until the frame after it has been drawn.
STEPS = """
const done = arguments[arguments.length - 1], times = [];
const drawn = () => new Promise(next => requestAnimationFrame(() => setTimeout(next)));
const steps = %s;
(async () => {
    for (const step of steps) {
        await drawn();
        const began = performance.now();
        step();
        await drawn();
        times.push(performance.now() - began);
    }
    done(times);
})();
"""
# The widest boxes of rows 2 to 11 and back; ten words, one of them in no name.
ZOOM = """[2, 5, 8, 11, 14].flatMap(row => [
    () => cupel.view.zoomTo(cupel.view.boxes().filter(b => b.row === row)
        .sort((a, b) => b.width - a.width)[0].node), () => cupel.view.unzoom()])"""
SEARCH = """["parse", "lock", "^std::", "hash_", "<4711>", "nowhere", "(read|write)_", "a;e;i",
    "flush::send", "."].map(word => () => cupel.view.setFind(word))"""


def steps(browser, code):
    return browser.call("POST", "/execute/async", {"script": STEPS % code, "args": []})


def opened(browser, url, times):
    """The fastest of some openings, since whatever else runs only adds to it. The page's mark is set
    when all is drawn but not yet on the screen, so one more drawing, until it is there, is added."""
    best = None
    for _ in range(times):
        browser.open("about:blank")
        browser.open(url)
        wait_for(lambda: browser.run("return document.documentElement.dataset.ready"), "ready", 60)
        now = browser.run("return performance.getEntriesByName('drawn')[0].startTime")
        now += steps(browser, "[() => cupel.view.unzoom()]")[0]
        best = now if best is None else min(best, now)
    return best


def main():
    page, svg = (Path(p).resolve().as_uri() for p in sys.argv[1:])
    browser = Browser()
    browser.call("POST", "/timeouts", {"script": 60000})
    try:
        print("svg %.0f" % opened(browser, svg, 3))
        print("open %.0f" % opened(browser, page, 3))
        print("zoom %.0f" % max(steps(browser, ZOOM)))
        print("search %.0f" % max(steps(browser, SEARCH)))
        print("reverse %.0f" % steps(browser, "[() => cupel.view.toggle('reverse')]")[0])
    finally:
        browser.close()


main()
