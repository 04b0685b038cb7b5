#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of cupel serve in a real browser: a range is selected in the chart and shown below, two
are compared, the address and the back button lead to the same view, keys work, hostile names do
nothing, and 100,000 frames are drawn."""
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, wait_for  # noqa: E402

HOSTILE = "<img src=x onerror=window.pwned=1>\"'&"
DAY = 1764028800  # 2025-11-25 00:00:00 UTC
SHIFT = "\ue008"


def check(what, got, want=True):
    if got != want:
        raise AssertionError("%s: %r, not %r" % (what, got, want))
    print("ok", what)


def push(folder, at, text, *labels):
    Path(folder, "folded").write_text(text)
    words = [word for label in labels for word in ("-l", label)]
    subprocess.run([os.environ["CUPEL"], "push", "-q", "--store", folder + "/store",
                    "--at", "@%d" % at, *words, folder + "/folded"], check=True)


def fill(folder):
    """Two hours: in the second `h` is new."""
    for minute in range(0, 60, 10):
        at = DAY + 60 * minute + 5
        push(folder, at, "app;main;f 3000\napp;main;g 1200\n", "service=web", "host=a")
        push(folder, at + 3600, "app;main;f 3000\napp;main;g 1200\napp;main;h 900\n",
             "service=web", "host=a")
    push(folder, DAY + 3700, "x;%s 50\n" % HOSTILE, "service=" + HOSTILE)
    wide = "\n".join("many;" + ";".join("f%d_%d" % (i // 7 ** (11 - k), k) for k in range(12)) + " 1"
                     for i in range(90000))
    push(folder, DAY + 36000, wide + "\n", "service=wide")


def serve(folder):
    """Gives the process and the address."""
    process = subprocess.Popen([os.environ["CUPEL"], "serve", "--store", folder + "/store",
                                "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if "listening on" in line:
            return process, line.split()[-1]
    raise RuntimeError("cupel serve does not start")


def settled(browser, view=None):
    """The chart and the view are those of the state."""
    def is_shown():
        return browser.run("""const root = document.documentElement.dataset, c = window.cupel;
            if (root.ready !== "1" || !root.view || (arguments[0] && root.view !== arguments[0]))
                return false;
            if (c.frame.hidden)
                return true;
            const inside = c.frame.contentDocument;
            return !!c.frame.dataset.shown && (inside.documentElement.dataset.ready === "1" ||
                !!inside.querySelector(".fg-notice"));""", view)
    wait_for(is_shown, "the view is shown")


def load(browser, url, view=None):
    browser.open("about:blank")
    browser.open(url)
    settled(browser, view)


def state(browser, key):
    return browser.run("return window.cupel.state()[arguments[0]]", key)


def weight(browser):
    return browser.run("return window.cupel.frame.contentWindow.cupel.view.tree().total[0]")


def address(url, **state):
    return url + "#" + "&".join("%s=%s" % (key, urllib.request.quote(str(value), safe=""))
                                for key, value in state.items())


HOURS = {"from": "@%d" % DAY, "to": "@%d" % (DAY + 7200)}


def drag(browser, first, last, *held):
    """Drags over the chart between two parts of its time."""
    box = browser.run("""const r = window.cupel.chart.canvas.getBoundingClientRect();
        return [r.left, r.top, r.width, r.height]""")
    places = [int(box[0] + 52 + (box[2] - 52) * part) for part in (first, last)]
    y = int(box[1] + box[3] / 2)
    move = [{"type": "pointerMove", "duration": 0, "x": x, "y": y} for x in places]
    keys = [{"type": "keyDown", "value": key} for key in held]
    pause = [{"type": "pause", "duration": 0}] * len(keys)
    pointer = pause + [move[0], {"type": "pointerDown", "button": 0}, move[1],
                       {"type": "pointerUp", "button": 0}]
    actions = [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                "actions": pointer}]
    if keys:
        keys += [{"type": "pause", "duration": 0}] * 4
        actions.append({"type": "key", "id": "keyboard", "actions": keys +
                        [{"type": "keyUp", "value": key} for key in held]})
    browser.call("POST", "/actions", {"actions": actions})


def test_brush(browser, url):
    load(browser, address(url, **HOURS), "flame")
    check("both hours are in the flame graph", weight(browser), 6 * 4200 + 6 * 5100 + 50)
    check("the chart has a line for each service", browser.run(
        "return window.cupel.timeline().lines.map(line => line.total)"), [6 * 4200 + 6 * 5100, 50])
    drag(browser, 0.001, 0.48)
    wait_for(lambda: state(browser, "a"), "range A is selected")
    settled(browser)
    wait_for(lambda: weight(browser) == 6 * 4200, "the flame graph is that of the range")
    print("ok a range is selected")
    link = browser.url()
    load(browser, link, "flame")
    check("the address leads to the same range", weight(browser), 6 * 4200)
    browser.open("about:blank")
    browser.open(address(url, **HOURS))
    settled(browser, "flame")
    drag(browser, 0.52, 0.98)
    wait_for(lambda: state(browser, "a"), "another range is selected")
    settled(browser)
    browser.call("POST", "/back", {})
    wait_for(lambda: not state(browser, "a"), "Back takes the range away")
    settled(browser)
    wait_for(lambda: weight(browser) == 6 * 4200 + 6 * 5100 + 50, "Back shows everything")
    print("ok Back")


def test_viewer_state(browser, url):
    load(browser, address(url, **HOURS), "flame")
    browser.run("""const inside = window.cupel.frame.contentDocument, find =
        inside.getElementById("find"); find.value = "^h$";
        find.dispatchEvent(new inside.defaultView.Event("input", { bubbles: true }))""")
    wait_for(lambda: "h" in state(browser, "inner"), "the search is in the address")
    link = browser.url()
    load(browser, link, "flame")
    check("the link has the search", browser.run(
        "return window.cupel.frame.contentDocument.getElementById('find').value"), "^h$")


def test_compare(browser, url):
    load(browser, address(url, view="diff", a="%d,%d" % (DAY + 3600, DAY + 7200),
                          selector='{host="a"}', **HOURS), "diff")
    browser.run("window.cupel.frame.contentDocument.getElementById('fg-table').click()")
    rows = browser.run("""return Array.from(window.cupel.frame.contentDocument.querySelectorAll(
        "#fg-panel tbody tr"), r => Array.from(r.children, c => c.textContent))""")
    check("the new function is there, significant", [(r[0], r[1], "~" in r[3]) for r in rows
                                                     if r[0] == "h"], [("h", "0.00%", False)])
    load(browser, address(url, selector='{host="a"}', a="%d,%d" % (DAY + 3600, DAY + 7200),
                          **HOURS), "flame")
    drag(browser, 0.001, 0.48, SHIFT)
    settled(browser, "diff")
    check("Shift+drag compares with range B", state(browser, "base"), "b")


def test_lists(browser, url):
    load(browser, address(url, selector='{host="a"}', **HOURS), "flame")
    browser.run("document.body.focus()")
    browser.keys("2")
    settled(browser, "functions")
    rows = browser.run("""return Array.from(document.querySelectorAll("#sp-list tbody tr"),
        r => r.firstChild.textContent)""")
    check("functions over time", rows, ["f", "g", "h"])
    browser.run("document.querySelectorAll('#sp-list tbody button')[2].click()")
    settled(browser, "flame")
    check("one is shown between its callers and callees", "sandwich=h" in state(browser, "inner"))
    browser.run("document.body.focus()")
    browser.keys("5")
    settled(browser, "unknown")
    browser.keys("6")
    settled(browser, "files")
    link = browser.run("return document.getElementById('sp-file-folded').href")
    with urllib.request.urlopen(link) as answer:
        text = answer.read().decode()
        check("the file is to be saved", "attachment" in answer.headers["Content-Disposition"])
    check("it has the samples", sum(int(line.split()[-1]) for line in text.splitlines()),
          6 * 4200 + 6 * 5100)
    browser.keys("[")
    wait_for(lambda: state(browser, "from") == "@%d" % (DAY - 3600), "[ goes back in time")


def test_hostile(browser, url):
    load(browser, address(url, **HOURS), "flame")
    browser.run("""[...document.querySelectorAll(".sp-legend button")].find(
        b => b.textContent.includes("<img")).click()""")
    wait_for(lambda: "<img" in state(browser, "selector"), "its service is selected")
    settled(browser)
    wait_for(lambda: weight(browser) == 50, "a hostile label selects its samples")
    for key, view in (("2", "functions"), ("4", "waits"), ("5", "unknown"), ("1", "flame")):
        browser.run("document.body.focus()")
        browser.keys(key)
        settled(browser, view)
    check("hostile names do nothing", browser.run("return [window.pwned, document.images.length]"),
          [None, 0])


def test_wide(browser, url):
    load(browser, address(url, selector='{service="wide"}',
                          **{"from": "@%d" % (DAY + 35000), "to": "@%d" % (DAY + 37000)}), "flame")
    nodes = browser.run("return window.cupel.frame.contentWindow.cupel.view.tree().count")
    check("100,000 frames are drawn (%d)" % nodes, nodes > 100000)
    print("   drawn after %d ms" % browser.run(
        """return window.cupel.frame.contentWindow.performance.getEntriesByName("drawn")[0]
            .startTime"""))


def test_schemes(url):
    for dark in (False, True):
        browser = Browser(dark=dark)
        try:
            load(browser, address(url, **HOURS), "flame")
            colors = browser.run("""return [document, window.cupel.frame.contentDocument].map(d =>
                d.defaultView.getComputedStyle(d.body).backgroundColor)""")
            check("dark" if dark else "light",
                  [int(c.split("(")[1].split(",")[0]) < 64 for c in colors], [dark, dark])
        finally:
            browser.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        fill(folder)
        process, url = serve(folder)
        browser = Browser()
        try:
            for test in (test_brush, test_viewer_state, test_compare, test_lists, test_hostile,
                         test_wide):
                test(browser, url)
            check("no errors in the console", browser.messages(), [])
            test_schemes(url)
        finally:
            browser.close()
            process.terminate()
            process.wait()


main()
