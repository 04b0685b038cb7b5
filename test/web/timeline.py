#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The timeline in a real browser: what a program does first and then stands where it did it, rows
are put together, kinds are switched off, zoom by mouse and keyboard; and the trace for Perfetto
holds the same time. The program waits for a child that sleeps, then works."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, wait_for  # noqa: E402

PROGRAM = "sleep 1; i=0; while [ $i -lt 700000 ]; do i=$((i+1)); done"


def check(what, got, want=True):
    if got != want:
        raise AssertionError("%s: %r, not %r" % (what, got, want))
    print("ok", what)


def watch(folder):
    subprocess.run([os.environ["CUPEL"], "wall", "--json", "-o", folder + "/wall.json",
                    "--timeline", folder + "/wall.html", "--chrome-trace", folder + "/trace.json",
                    "--flamegraph", folder + "/flame.html",
                    "--", "sh", "-c", PROGRAM], check=True)
    return json.load(open(folder + "/wall.json")), json.load(open(folder + "/trace.json"))


def check_trace(wall, trace):
    """The slices of a thread are as long as its life, one after the other."""
    for thread in wall["threads"]:
        slices = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["tid"] == thread["tid"]]
        total = sum(e["dur"] for e in slices) * 1000
        check("trace of %s is whole" % thread["comm"],
              abs(total - thread["lifetime_ns"]) < 1000)
        ends = [e["ts"] + e["dur"] for e in slices]
        check("its slices follow each other without a gap",
              all(abs(b["ts"] - end) < 0.01 for end, b in zip(ends, slices[1:])))
    check("waits say what ended them", "woken by sleep" in str(
        [e["args"]["by"] for e in trace["traceEvents"] if e["name"] == "blocked: child"]))
    check("the machine has counters", any(e["ph"] == "C" for e in trace["traceEvents"]))


def amount(browser, row, first, last):
    """Milliseconds by kind of a row between two parts of all time."""
    return browser.run("""const page = window.cupel.page, kinds = page.model.kinds;
        const lane = page.lanes.find(lane => lane.name.startsWith(arguments[0]));
        const end = page.model.end, into = new Float64Array(kinds.length);
        timelineData.amounts(lane, end * arguments[1], end * arguments[2], into);
        return Object.fromEntries(kinds.map((kind, k) => [kind.name, into[k] / 1000]));""",
                       row, first, last)


def pixel(browser, row, part):
    """The colour that most of a place in a row has, as #rrggbb: the rest is its texture."""
    return browser.run("""const page = window.cupel.page, canvas = page.canvas;
        const { AXIS, ROW, GAP } = timelineCanvas, NAME = page.left();
        const index = page.lanes.findIndex(lane => lane.name.startsWith(arguments[0]));
        const data = canvas.getContext("2d").getImageData(
            NAME + (canvas.width - NAME) * arguments[1] - 4, AXIS + index * (ROW + GAP) + ROW / 2,
            8, 8).data, counts = new Map();
        for (let i = 0; i < data.length; i += 4) {
            const hex = Array.from(data.slice(i, i + 3), v => v.toString(16).padStart(2, "0"));
            const color = data[i + 3] ? "#" + hex.join("") : "";
            counts.set(color, (counts.get(color) || 0) + 1);
        }
        return [...counts].sort((a, b) => b[1] - a[1])[0][0];""", row, part)


def color(browser, kind):
    return browser.run("""return window.cupel.page.model.kinds.find(
        kind => kind.name === arguments[0]).color""", kind)


def span(browser):
    view = browser.run("return window.cupel.page.view")
    return view["to"] - view["from"]


def drag(browser, first, last):
    browser.run("""const canvas = document.getElementById("lanes");
        const box = canvas.getBoundingClientRect(), name = window.cupel.page.left();
        const event = (type, part) => canvas.dispatchEvent(new PointerEvent(type, {
            bubbles: true, pointerId: 1, clientX: box.left + name + (box.width - name) * part,
            clientY: box.top + 30 }));
        canvas.setPointerCapture = () => {};
        event("pointerdown", arguments[0]);
        event("pointermove", arguments[1]);
        event("pointerup", arguments[1]);""", first, last)


def check_page(browser, url, wall):
    browser.open(url)
    wait_for(lambda: browser.run("return document.documentElement.dataset.ready"), "page is ready")
    check("the page names the host", os.uname().nodename in browser.run(
        "return document.querySelector('.tl-head').textContent"))
    rows = browser.run("return window.cupel.page.lanes.map(lane => lane.name)")
    check("a row for each thread", len(rows), len(wall["threads"]))
    start = 0.5e9 / wall["duration_ns"]  # half of the sleep
    check("first the shell waits for its child",
          amount(browser, "sh:", 0.1 * start, start)["blocked: child"] > 400)
    check("its row shows that", pixel(browser, "sh:", start), color(browser, "blocked: child"))
    check("the child sleeps", amount(browser, "sleep:", 0, 1)["blocked: sleep"] > 900)
    last = amount(browser, "sh:", 0.9, 0.98)
    check("at the end the shell works",
          last["running"] + last["runnable: preempted"] + last["runnable: woken"]
          > 0.9 * sum(last.values()) > 0)
    told = browser.run("""const page = window.cupel.page, end = page.model.end;
        const lane = page.lanes.find(lane => lane.name.startsWith("sh:")), at = end * arguments[0];
        return page.words(lane, at, at, timelineData.exactAt(lane, at)).map(
            line => line.textContent).join("|")""", start)
    check("the wait under the pointer, and what ended it",
          bool(re.search(r"blocked: child [0-9.]+ m?s, woken by sleep:", told)))
    check("a tap says what is there", browser.run("""const canvas = document.getElementById("lanes");
        const box = canvas.getBoundingClientRect(), page = window.cupel.page;
        canvas.setPointerCapture = () => {};
        for (const type of ["pointerdown", "pointerup", "pointerleave"])
            canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1,
                pointerType: "touch", clientX: box.left + page.x(page.model.end * arguments[0]),
                clientY: box.top + timelineCanvas.AXIS + 9 }));
        return [page.tip.hidden, page.tip.textContent.length > 9]""", start), [False, True])
    whole = span(browser)
    drag(browser, 0.25, 0.5)
    check("dragging zooms", abs(span(browser) / whole - 0.25) < 0.02)
    check("the shares are those of the range", "blocked: child" in browser.run(
        "return document.getElementById('legend').textContent"))
    browser.run("document.getElementById('lanes').focus()")
    browser.keys("0")
    check("0 shows all", span(browser), whole)
    browser.keys("+")
    check("+ halves", abs(span(browser) / whole - 0.5) < 0.01)
    browser.click(browser.find("#all"))
    browser.run("""for (const button of document.querySelectorAll("#legend button"))
        if (button.textContent.startsWith("blocked: child")) button.click();""")
    check("a kind is switched off", pixel(browser, "sh:", start) != color(browser, "blocked: child"))
    for by, count in (("process", 2), ("all", 1)):
        browser.run("""const by = document.getElementById("by"); by.value = arguments[0];
            by.dispatchEvent(new Event("change"));""", by)
        check("rows by " + by, browser.run("return window.cupel.page.lanes.length"), count)
    browser.run("""const find = document.getElementById("find"); find.value = "no such";
        find.dispatchEvent(new Event("input"));""")
    check("the filter filters", browser.run("return window.cupel.page.lanes.length"), 0)
    shown = browser.run("return document.getElementById('context').height")
    browser.click(browser.find("#more"))
    check("the machine is shown, more on demand",
          0 < shown < browser.run("return document.getElementById('context').height"))
    check("no error, nothing fetched", [message for message in browser.messages()
                                        if "willReadFrequently" not in message], [])


def check_flame_graph(browser, url):
    """Colours and words of states, not of kinds of code; times, not samples."""
    browser.open(url)
    wait_for(lambda: browser.run("return document.documentElement.dataset.ready"), "page is ready")
    legend = browser.run("return document.getElementById('fg-legend').textContent")
    check("the legend has states", "blocked: child" in legend and "user" != legend.split()[0])
    check("states have textures", browser.run(
        "return document.querySelectorAll('#fg-legend canvas.swatch').length") > 1)
    check("a swatch stands before its state on one line", browser.run(
        """return Array.from(document.querySelectorAll('#fg-legend canvas.swatch'),
            swatch => swatch.parentNode.textContent.includes(": ") &&
                swatch.parentNode.getClientRects().length === 1).every(same => same)"""))
    check("colours mean states",
          browser.run("return document.getElementById('fg-color').selectedOptions[0].text"), "state")
    about = browser.run("return document.getElementById('about').textContent")
    check("the total is a time", " s in total" in about and "samples" not in about)
    box = browser.run("""const box = window.cupel.view.boxes().find(b => b.name === "child");
        return [box.place.x + 3, box.place.y - 5]""")
    browser.pointer_at(*box)
    tip = browser.run("return document.getElementById('tip').textContent")
    check("the tooltip says state and time",
          "blocked: child" in tip and bool(re.search("[0-9] m?s · ", tip)))
    check("no errors in the console", browser.messages(), [])


def check_length_search(browser):
    """By length: rows that may hold such are in full colour, and counted."""
    find = """const input = document.getElementById("find"); input.value = arguments[0];
        input.dispatchEvent(new Event("input")); return [document.getElementById("status").textContent,
            document.getElementById("notice").textContent]"""
    bounds = browser.run("return window.cupel.page.model.bounds")
    wanted = browser.run("""const { counts, bounds } = window.cupel.page.model;
        return counts.reduce((sum, [, row, n]) => sum + (bounds[row + 1] > 4000 ? n : 0), 0)""")
    status, notice = browser.run(find, "4 us")
    check("lengths of 4 us and more are counted", [status.split()[0].replace(",", ""), notice],
          [str(wanted), ""])
    check("in the address", browser.url().split("#")[1], "find=4%20us")
    status, notice = browser.run(find, "%d ns-%d ns" % (bounds[-1] * 2, bounds[-1] * 3))
    check("none is longer than the longest", status.split()[0], "0")
    status, notice = browser.run(find, "long")
    check("an invalid length", notice.startswith("“long” is no time"))
    browser.run(find, "")


def check_latencies(browser, folder):
    """Waits for a CPU as a heat map on the same axis."""
    page = folder + "/latencies.html"
    subprocess.run([os.environ["CUPEL"], "runqlat", "--heatmap", page, "1", "2"], check=True,
                   stdout=subprocess.DEVNULL)
    browser.open(Path(page).as_uri())
    wait_for(lambda: browser.run("return document.documentElement.dataset.ready"), "page is ready")
    counts = browser.run("return window.cupel.page.model.counts.map(c => c[2])")
    told = browser.run("return document.getElementById('status').textContent")
    check("all of it is shown", told.split()[0].replace(",", ""), str(sum(counts)))
    check("cells in sight are all", browser.run(
        "return [...window.cupel.page.shown.values()].reduce((a, b) => a + b)"), sum(counts))
    check("a scale says what colours mean", browser.run(
        "return document.querySelectorAll('#legend .heat-square').length") > 1)
    head = browser.run("return document.querySelector('.tl-head').textContent")
    check("threads and host are named", "all threads" in head and os.uname().nodename in head)
    check("the document's title says what it is", browser.run("return document.title").split(" · ")[:2],
          ["run queue latency", "latency heat map"])
    browser.run("document.getElementById('lanes').focus()")
    whole = span(browser)
    browser.keys("+")
    check("+ halves the time of a heat map", abs(span(browser) / whole - 0.5) < 0.01)
    browser.keys("0")
    check_length_search(browser)
    place = browser.run("""const page = window.cupel.page, box = page.canvas.getBoundingClientRect();
        const [cell] = [...page.shown.keys()], rows = page.model.rows.length;
        const at = (Math.floor(cell / rows) + 0.5) * page.model.column / page.model.end;
        return [box.left + page.left() + at * page.width(),
            box.top + page.top(cell % rows) + 8]""")
    browser.pointer_at(*place)
    check("the tooltip counts", " to " in browser.run(
        "return document.getElementById('tip').textContent"))
    check("no errors in the console", browser.messages(), [])


def main():
    with tempfile.TemporaryDirectory() as folder:
        wall, trace = watch(folder)
        check("the context is in the JSON", wall["context"]["rows"][0]["name"], "user")
        check_trace(wall, trace)
        for dark in (False, True):
            browser = Browser(dark=dark)
            try:
                check_page(browser, Path(folder, "wall.html").as_uri(), wall)
                check_latencies(browser, folder)
                check_flame_graph(browser, Path(folder, "flame.html").as_uri())
            finally:
                browser.close()


main()
