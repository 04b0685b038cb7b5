#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The heat map in a real browser: a range by mouse, keyboard and numbers, the flame graph of it, the
comparison of two, state in the URL, both colour schemes; live bytes as bands. The program of the recording works, but
collects garbage for 0.4 s every 4 s, and from 20 s on takes a slow path."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import check, wait_for  # noqa: E402
from page import (fragment, is_pressed, load, make, press, table, test_each,  # noqa: E402
                  test_schemes, text_of, value_of)

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
        const place = canvas.getBoundingClientRect(), { AXIS } = timelineCanvas;
        const event = (type, [second, part]) => canvas.dispatchEvent(new PointerEvent(type, {
            bubbles: true, pointerId: 1, clientX: place.left + cupel.grid.x((second + 0.5) * 1e6),
            clientY: place.top + AXIS + 250 * (1 - part) - 2, shiftKey: arguments[2] }));
        canvas.setPointerCapture = () => {};
        event("pointerdown", arguments[0]);
        event("pointermove", arguments[1]);
        event("pointerup", arguments[1]);""", first, last, shift)


def functions(browser):
    """The table of functions by name; opens it when it is closed."""
    if browser.run("return document.getElementById('fg-panel').hidden"):
        press(browser, "fg-table")
    return {row[0]: row[1:] for row in table(browser)}


def test_whole(browser):
    check("title", text_of(browser, "title"), "Heat Map")
    rows = functions(browser)
    check("all time: gc", rows["gc"], ["10.00%", "10.00%"])
    check("one sample is one", browser.run("return [1, 2].map(n => flameText.amount(n, { countname: 'samples' }))"),
          ["1 sample", "2 samples"])
    check("no comparison", browser.run("return document.querySelector('.df-bar').hidden"), True)


def test_range(browser):
    drag(browser, [5, 0.0], [7, 0.98])
    check("range in numbers", [value_of(browser, "hm-a-from"), value_of(browser, "hm-a-to")], ["5", "8"])
    check("range in the URL", fragment(browser), "range=5.0000%2C8.0000")
    check("no gc in it", "gc" in functions(browser), False)
    drag(browser, [4, 0.0], [4, 0.38])
    check("nothing but gc", functions(browser)["gc"][0], "100.00%")
    browser.run("""const input = document.getElementById("hm-a-to");
        input.value = 8; input.dispatchEvent(new Event("change"))""")
    check("by numbers: 4 to 8 s", functions(browser)["gc"][0], "10.00%")
    press(browser, "hm-clear-range")
    check("cleared", value_of(browser, "hm-a-from"), "")


def test_two_ranges(browser):
    drag(browser, [4, 0.0], [15, 0.98])
    drag(browser, [24, 0.0], [35, 0.98], True)
    check("compared", browser.run("return document.querySelector('.df-bar').hidden"), False)
    rows = functions(browser)
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
    check("undo takes the widths back", is_pressed(browser, "df-union"), True)
    browser.keys("u")  # the table
    browser.keys("u")
    check("undo takes B back", value_of(browser, "hm-b-from"), "")


def test_keyboard(browser):
    browser.run("document.querySelector('.hm-canvas').focus()")
    for key in (RIGHT, RIGHT, RIGHT, ENTER, RIGHT, UP, UP, ENTER):
        browser.keys(key)
    check("from cell to cell", [value_of(browser, "hm-a-from"), value_of(browser, "hm-a-to")],
          ["2", "3.06"])
    check("the cell's text", text_of(browser, "hm-status"), "3.040 s, 20 ms: 4 samples")


def span(browser):
    return browser.run("return (cupel.grid.view.to - cupel.grid.view.from) / 1e6")


def test_zoom(browser):
    """The axis is that of all timelines: wheel, keys, and a button for all of it."""
    check("all time is shown, over the whole width", [span(browser), browser.run(
        "return Math.round(cupel.grid.x(40e6)) === document.querySelector('.hm-host').clientWidth")],
          [40, True])
    drag(browser, [24, 0.0], [26, 0.98])
    browser.run("document.querySelector('.hm-canvas').focus()")
    browser.keys("+")
    check("+ halves", span(browser), 20)
    browser.run("""const canvas = document.querySelector(".hm-canvas");
        const place = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new WheelEvent("wheel", { bubbles: true, cancelable: true,
            deltaY: -600, clientX: place.left + cupel.grid.x(25e6), clientY: place.top + 100 }))""")
    check("the wheel zooms, and columns get finer", span(browser) < 8 and browser.run(
        "return cupel.grid.grid.column") == 0.1, True)
    check("the range stays", [value_of(browser, i) for i in ("hm-a-from", "hm-a-to")], ["24", "27"])
    browser.run("document.getElementById('all').click()")
    check("all of it again", span(browser), 40)


def test_history(browser):
    """Back and Forward go through zooms, and through ranges, in the order of the changes."""
    load(browser, browser.url())
    browser.run("document.querySelector('.hm-canvas').focus()")
    browser.keys("+")
    browser.keys("+")
    check("zoomed, and said so in the URL", [span(browser), "time=15%2C25" in fragment(browser)],
          [10, True])
    drag(browser, [16, 0.0], [18, 0.98])
    browser.keys("0")
    check("all time, with a range", [span(browser), fragment(browser)], [40, "range=16.0000%2C19.0000"])
    for step, wide, start in ((-1, 10, "16"), (-1, 10, ""), (-1, 40, ""), (1, 10, ""), (2, 40, "16")):
        browser.run("history.go(arguments[0])", step)
        wait_for(lambda: [span(browser), value_of(browser, "hm-a-from")] == [wide, start],
                 "history, %+d: %d s in sight, range from %r" % (step, wide, start))
    link = browser.url().split("#")[0] + "#time=15%2C25&column=2"
    load(browser, link)
    check("a link has the zoom", [span(browser), value_of(browser, "hm-column")], [10, "2"])
    load(browser, link.split("#")[0] + "#time=9%2C3")
    check("a damaged one shows all time", span(browser), 40)


def test_columns(browser):
    browser.run("""const select = document.getElementById("hm-column");
        select.value = "5"; select.dispatchEvent(new Event("change"))""")
    check("other columns", fragment(browser), "column=5")


def test_link(browser):
    load(browser, browser.url() + "#range=4,16&base=24,36&by=self")
    check("a link restores the ranges", [value_of(browser, i) for i in ("hm-a-to", "hm-b-from")],
          ["16", "24"])
    check("and the comparison", functions(browser)["slow"][:2], ["0.00%", "30.00%"])


def lanes_recording():
    """Two workers that take turns on two CPUs, and a logger that runs in the third second only."""
    text = []
    for at in range(0, 8000, 10):
        other = at // 1000 % 2
        for comm, tid, cpu, stack in (("work-a", 7, other, ["parse", "main"]),
                                      ("work-b", 8, 1 - other, ["store", "main"])):
            text += sample(comm, tid, cpu, at, stack)
        if 2000 <= at < 3000:
            text += sample("log", 9, 1, at, ["write", "main"])
    return "".join(text)


def sample(comm, tid, cpu, at, stack):
    yield "%s 7/%d [%03d] %d.%03d: 10000000 cpu-clock:\n" % (comm, tid, cpu, 100 + at // 1000,
                                                            at % 1000)
    for k, frame in enumerate(stack):
        yield "\t%x %s+0x1 (/bin/srv)\n" % (4096 + 16 * k, frame)
    yield "\n"


def drag_lanes(browser, first, last, rows):
    """From one (second, lane) to another."""
    browser.run("""const canvas = document.querySelector(".hm-canvas");
        const place = canvas.getBoundingClientRect(), rows = arguments[2];
        const { AXIS } = timelineCanvas, height = canvas.clientHeight - AXIS;
        const event = (type, [second, lane]) => canvas.dispatchEvent(new PointerEvent(type, {
            bubbles: true, pointerId: 1,
            clientX: place.left + cupel.grid.x(second * 1e6) + cupel.grid.cell() / 2,
            clientY: place.top + AXIS + (lane + 0.5) * height / rows }));
        canvas.setPointerCapture = () => {};
        event("pointerdown", arguments[0]);
        event("pointermove", arguments[1]);
        event("pointerup", arguments[1]);""", first, last, rows)


def choose(browser, menu, value):
    browser.run("""const menu = document.getElementById(arguments[0]);
        menu.value = arguments[1];
        menu.dispatchEvent(new Event("change"))""", menu, value)


def test_lanes_of_threads(browser):
    choose(browser, "hm-lanes", "thread")
    check("lanes in the URL", fragment(browser), "lanes=thread")
    check("threads by samples", browser.run("return cupel.grid.names()"),
          ["work-a (7)", "work-b (7/8)", "log (7/9)"])
    choose(browser, "hm-column", "0.5")
    drag_lanes(browser, [2, 2], [2.5, 2], 3)
    root = browser.run("""const root = cupel.view.boxes()[0].place.y;
        return [root, document.querySelector(".fg-picture").getBoundingClientRect().bottom]""")
    check("the root stays in sight (%d of %d)" % tuple(root), root[0] <= root[1] + 1, True)
    check("one lane: only its samples", functions(browser)["write"], ["100.00%", "100.00%"])
    check("its name", browser.run("return document.querySelector('.hm-lanes').textContent"),
          "log (7/9) ")
    drag_lanes(browser, [0, 0], [7.5, 1], 3)
    check("two lanes", [functions(browser)[n][0] for n in ("parse", "store")], ["50.00%", "50.00%"])
    check("the logger is not in them", "write" in functions(browser), False)
    drag_lanes(browser, [2, 0], [2.5, 2], 3)
    check("all lanes: a range of time", fragment(browser).split("&")[0], "range=2.0000%2C3.0000")
    check("with all threads", functions(browser)["write"][0], "33.33%")


def test_lanes_of_cpus(browser):
    choose(browser, "hm-lanes", "cpu")
    check("CPUs by number", browser.run("return cupel.grid.names()"), ["CPU 0", "CPU 1"])
    choose(browser, "hm-column", "1")
    drag_lanes(browser, [0, 0], [0, 0], 2)
    check("a second of a CPU", functions(browser)["parse"][0], "100.00%")
    drag_lanes(browser, [1, 0], [1, 0], 2)
    check("the next one", functions(browser)["store"][0], "100.00%")
    load(browser, browser.url())
    check("a link restores it", functions(browser)["store"][0], "100.00%")
    choose(browser, "hm-lanes", "")
    check("without lanes the range keeps its own", functions(browser)["store"][0], "100.00%")
    browser.run("document.querySelector('.hm-canvas').focus()")
    choose(browser, "hm-lanes", "cpu")
    for key in (RIGHT, UP, ENTER, ENTER):
        browser.keys(key)
    check("by keys", value_of(browser, "hm-a-to"), "1")


PROGRAM = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *volatile kept;
__attribute__((noinline, noclone)) static void keeps(void)
{
	kept = memset(malloc(1 << 20), 1, 1 << 20);
}
__attribute__((noinline, noclone)) static void *brief(void)
{
	return kept = memset(malloc(8 << 20), 1, 8 << 20);
}
int main(void)
{
	void *block = brief();
	for (int i = 0; i < 10; i++) {
		keeps();
		usleep(100000);
		if (i == 4)
			free(block);
	}
	return 0;
}
"""


def bands_page(folder):
    """The timeline of a program's live bytes; None, with the reason, where they cannot be watched."""
    page, program = os.path.join(folder, "live.html"), os.path.join(folder, "program")
    Path(program + ".c").write_text(PROGRAM)
    subprocess.run(["cc", "-O1", "-g", "-fno-builtin", "-o", program, program + ".c"], check=True)
    run = subprocess.run([os.environ["CUPEL"], "heap", "--rate", "16K", "-o", os.devnull, "--timeline", page,
                          "--", program], stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        print("not tested: bands of live bytes:", run.stderr.splitlines()[:1])
        return None
    return Path(page).as_uri()


def test_bands(browser):
    names = browser.run("return cupel.grid.bands.names")
    check("a band for each stack", sorted(n.split(" < ")[0] for n in names[:2]), ["brief", "keeps"])
    check("their names below", browser.run("return document.querySelectorAll('.hm-band').length"), len(names))
    check("no rows", browser.run("return document.getElementById('hm-rows').parentNode.hidden"), True)
    most = browser.run("return cupel.grid.most()")
    check("live bytes at their peak", 12 << 20 < most < 15 << 20, True)
    end = browser.run("return cupel.grid.samples.end")
    drag(browser, [end * 0.75 - 0.5, 0.5], [end * 0.95 - 0.5, 0.5])
    rows = functions(browser)
    check("late: what was freed is not there", ["keeps" in rows, "brief" in rows], [True, False])
    drag(browser, [end * 0.05 - 0.5, 0.5], [end * 0.3 - 0.5, 0.5])
    check("early: it is", "brief" in functions(browser), True)
    browser.run("""const canvas = document.querySelector(".hm-canvas"), place = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, pointerId: 1,
            clientX: place.left + cupel.grid.x(arguments[0] * 1e6), clientY: place.top + 268 }))""", end / 4)
    check("the band under the pointer", " live" in text_of(browser, "hm-status") or
          " of " in text_of(browser, "hm-status"), True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        url = make(folder, "heat.html", "heatmap", "recording", recording=recording())
        test_each(url, (test_whole, test_range, test_two_ranges, test_keyboard, test_zoom, test_history,
                        test_columns, test_link), 1220, 860)
        test_schemes(url)
        url = make(folder, "lanes.html", "heatmap", "recording", recording=lanes_recording())
        test_each(url, (test_lanes_of_threads, test_lanes_of_cpus), 1220, 860)
        url = bands_page(folder)
        if url:
            test_each(url, (test_bands,), 1220, 860)
            test_schemes(url)


main()
