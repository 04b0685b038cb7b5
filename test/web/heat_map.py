#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The heat map in a real browser: a range by mouse, keyboard and numbers, the flame graph of it, the
comparison of two, state in the URL, both colour schemes. The program of the recording works, but
collects garbage for 0.4 s every 4 s, and from 20 s on takes a slow path."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, check, wait_ready  # noqa: E402

ENTER, RIGHT, UP = "\ue007", "\ue014", "\ue013"
PERIOD_MS = 5


def recording():
    stacks = {"gc": ["gc", "main"], "slow": ["slow", "handle", "main"], "work": ["handle", "main"]}
    text = []
    for at in range(0, 40000, PERIOD_MS):
        name = "gc" if at % 4000 < 400 else "slow" if at > 20000 and at % 15 == 0 else "work"
        text.append("srv 7/7 %d.%03d: 5000000 cpu-clock:\n" % (100 + at // 1000, at % 1000))
        text += ["\t%x %s+0x1 (/bin/srv)\n" % (4096 + 16 * k, frame)
                 for k, frame in enumerate(stacks[name])]
        text.append("\n")
    return "".join(text)


def drag(browser, first, last, shift=False):
    """From one (second, part) to another."""
    browser.run("""const canvas = document.querySelector(".hm-canvas");
        const place = canvas.getBoundingClientRect(), columns = 40;
        const cell = (canvas.clientWidth - 46 - 8) / columns;
        const event = (type, [second, part]) => canvas.dispatchEvent(new MouseEvent(type, {
            bubbles: true, clientX: place.left + 46 + (second + 0.5) * cell,
            clientY: place.top + 250 * (1 - part) - 2, buttons: type === "mouseup" ? 0 : 1,
            shiftKey: arguments[2] }));
        event("mousedown", arguments[0]);
        event("mousemove", arguments[1]);
        event("mouseup", arguments[1]);""", first, last, shift)


def value(browser, element):
    return browser.run("return document.getElementById(arguments[0]).value", element)


def table(browser):
    """Rows of the table of functions, by name."""
    browser.run("""if (document.getElementById("fg-panel").hidden)
        document.getElementById("fg-table").click()""")
    rows = browser.run("""return Array.from(document.querySelectorAll("#fg-panel tbody tr"))
        .map(r => Array.from(r.cells).map(c => c.textContent))""")
    return {row[0]: row[1:] for row in rows}


def test_whole(browser):
    check("title", browser.run("return document.getElementById('title').textContent"), "Heat Map")
    rows = table(browser)
    check("all time: gc", rows["gc"], ["10.00%", "10.00%"])
    check("no comparison", browser.run("return document.querySelector('.df-bar').hidden"), True)


def test_range(browser):
    drag(browser, [5, 0.0], [7, 0.98])
    check("range in numbers", [value(browser, "hm-a-from"), value(browser, "hm-a-to")], ["5", "8"])
    check("range in the URL", browser.url().split("#")[1], "range=5.0000%2C8.0000")
    check("no gc in it", "gc" in table(browser), False)
    drag(browser, [4, 0.0], [4, 0.38])
    check("nothing but gc", table(browser)["gc"][0], "100.00%")
    browser.run("""const input = document.getElementById("hm-a-to");
        input.value = 8; input.dispatchEvent(new Event("change"))""")
    check("by numbers: 4 to 8 s", table(browser)["gc"][0], "10.00%")
    browser.run("document.getElementById('hm-clear-range').click()")
    check("cleared", value(browser, "hm-a-from"), "")


def test_two_ranges(browser):
    drag(browser, [4, 0.0], [15, 0.98])
    drag(browser, [24, 0.0], [35, 0.98], True)
    check("compared", browser.run("return document.querySelector('.df-bar').hidden"), False)
    rows = table(browser)
    check("new in B", rows["slow"][:2], ["0.00%", "30.00%"])
    check("as before", rows["gc"], ["10.00%", "10.00%", "+0.00"])
    color = browser.run("""const marks = [], draw = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
            marks.push([text, this.fillStyle]);
            return draw.call(this, text, ...rest);
        };
        document.getElementById("df-after").click();
        CanvasRenderingContext2D.prototype.fillText = draw;
        return marks.map(m => m[0])""")
    check("marked as new", "+ slow" in color, True)
    browser.keys("u")
    check("undo takes the widths back", browser.run(
        "return document.getElementById('df-union').getAttribute('aria-pressed')"), "true")
    browser.keys("u")  # the table
    browser.keys("u")
    check("undo takes B back", value(browser, "hm-b-from"), "")


def test_keyboard(browser):
    browser.run("document.querySelector('.hm-canvas').focus()")
    for key in (RIGHT, RIGHT, RIGHT, ENTER, RIGHT, UP, UP, ENTER):
        browser.keys(key)
    check("from cell to cell", [value(browser, "hm-a-from"), value(browser, "hm-a-to")],
          ["2", "3.06"])
    told = browser.run("return document.getElementById('hm-told').textContent")
    check("the cell is told", told, "3.040 s, 20 ms: 4 samples")


def test_columns(browser):
    browser.run("""const select = document.getElementById("hm-column");
        select.value = "5"; select.dispatchEvent(new Event("change"))""")
    check("other columns", browser.url().split("#")[1], "column=5")


def test_link(browser, url):
    browser.open("about:blank")
    browser.open(url + "#range=4,16&base=24,36&by=self")
    wait_ready(browser)
    check("a link restores the ranges", [value(browser, i) for i in ("hm-a-to", "hm-b-from")],
          ["16", "24"])
    check("and the comparison", table(browser)["slow"][:2], ["0.00%", "30.00%"])


def test_interaction(url):
    browser = Browser(1220, 860)
    try:
        for test in (test_whole, test_range, test_two_ranges, test_keyboard, test_columns):
            browser.open("about:blank")
            browser.open(url)
            wait_ready(browser)
            test(browser)
        test_link(browser, url)
        check("no errors in the console", browser.messages(), [])
    finally:
        browser.close()


def test_scheme(url, dark):
    browser = Browser(dark=dark)
    try:
        browser.open(url)
        wait_ready(browser)
        color = browser.run("return getComputedStyle(document.body).backgroundColor")
        check("dark scheme" if dark else "light scheme", int(color.split("(")[1].split(",")[0]) < 64,
              dark)
    finally:
        browser.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        text, page = Path(folder) / "srv.txt", Path(folder) / "heat.html"
        text.write_text(recording())
        subprocess.run([os.environ["CUPEL"], "heatmap", "-o", str(page), str(text)], check=True)
        url = page.as_uri()
        test_interaction(url)
        test_scheme(url, False)
        test_scheme(url, True)


main()
