#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What one flame graph can be looked at as, in a real browser: a function between its callers and
callees, one event, one process or thread of it, lines of a function, colours that mean the kind of
code, the self share or instructions per cycle, and the legend; as SVG and as HTML page."""
import json
import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, check, wait_ready  # noqa: E402
from page import fragment, load, make, table, test_each, text_of, value_of  # noqa: E402

ESCAPE, UP, DOWN, HOME, ENTER = "\ue00c", "\ue013", "\ue015", "\ue011", "\ue007"

# (stack from the root, line of the leaf), samples: of cycles and instructions of main thread 7/7,
# of thread 7/8, and of process 9
STACKS = [
    (("main", "serve", "parse"), 11, (20, 40), (10, 20), (0, 0)),
    (("main", "serve", "parse", "scan"), 21, (20, 10), (0, 0), (0, 0)),
    (("main", "idle", "parse", "scan"), 22, (0, 0), (10, 5), (0, 0)),
    (("main", "serve"), 31, (10, 20), (0, 0), (0, 0)),
    (("main", "[k]write"), 0, (0, 0), (0, 0), (30, 60)),
]
THREADS = (("srv", 7, 7), ("srv", 7, 8), ("log", 9, 9))


def recording():
    text, at = [], 0
    for stack, line, *counts in STACKS:
        for (comm, pid, tid), pair in zip(THREADS, counts):
            for event, count in zip(("cycles", "instructions"), pair):
                for _ in range(count):
                    at += 1
                    text.append("%s %d/%d 1.%06d: 1000 %s:\n" % (comm, pid, tid, at, event))
                    text += frames(stack, line)
    return "".join(text)


def frames(stack, line):
    for depth, name in enumerate(reversed(stack)):
        kernel = name.startswith("[k]")
        name = name.replace("[k]", "")
        yield "\t%x %s+0x1 (%s)\n" % ((0xffffffff81000000 if kernel else 0x1000) + len(name), name,
                                      "[kernel.kallsyms]" if kernel else "/bin/srv")
        if line and depth == 0:
            yield "  %s.c:%d\n" % (name, line)
    yield "\n"


def boxes(browser):
    return browser.run("return cupel.view.boxes()")


def widths(browser):
    """Names with their share of the picture, from the lowest row up, left to right."""
    found = boxes(browser)
    whole = max(b["width"] for b in found)
    rows = {}
    for b in found:
        rows.setdefault(b["row"], []).append(
            (b["name"], round(b["width"] * 100 / whole)))
    return [rows[r] for r in sorted(rows)]


def point(browser, name, button=None):
    found = next(b for b in boxes(browser) if b["name"] == name)
    browser.pointer_at(found["place"]["x"] + min(8, found["width"] / 2), found["place"]["y"] - 8,
                       button)


def tip(browser):
    return browser.run("return Array.from(document.querySelectorAll('#tip div'), d => d.textContent)")


def choose(browser, menu, value):
    browser.run("""const menu = document.getElementById(arguments[0]);
        menu.value = arguments[1];
        menu.dispatchEvent(new Event("change"))""", menu, value)


def options(browser, menu):
    return browser.run("""return Array.from(document.getElementById(arguments[0]).options,
        o => o.textContent)""", menu)


def menu(browser, text):
    browser.run("""Array.from(document.querySelectorAll("#fg-menu button"))
        .find(b => b.textContent.startsWith(arguments[0])).click()""", text)


WHOLE = [[("all", 100)], [("log", 30), ("srv", 70)], [("main", 30), ("main", 70)],
         [("write", 30), ("idle", 10), ("serve", 60)], [("parse", 10), ("parse", 50)],
         [("scan", 10), ("scan", 20)]]
AROUND_PARSE = [[("srv", 100)], [("main", 17), ("main", 83)], [("idle", 17), ("serve", 83)],
                [("parse", 100)], [("scan", 50)]]


def test_sandwich(browser):
    check("whole", widths(browser), WHOLE)
    point(browser, "parse", 2)
    menu(browser, "Callers and callees of parse")
    check("callers below, callees above", widths(browser),
          [[("srv", 17), ("srv", 83)]] + AROUND_PARSE[1:])
    check("in the URL", fragment(browser), "sandwich=parse")
    point(browser, "parse")
    check("shares of the function", tip(browser)[1],
          "60 samples · 60.00% of all (95% 50.20–69.06%) · 100.00% of parse · 30.00% self")
    point(browser, "idle")
    check("callers: no time in themselves", tip(browser)[1],
          "10 samples · 10.00% of all (95% 5.52–17.44%) · 16.67% of parse")
    browser.keys("/")
    browser.type("^idle$;^scan$")
    check("matched: stacks of the function", text_of(browser, "matched").replace("■ ", ""),
          "Matched: 50.00% (^idle$ 16.67%, ^scan$ 50.00%) of parse, 30.00% of all")
    browser.keys(ESCAPE)
    browser.keys("i")
    check("icicle: callers above", [b["name"] for b in boxes(browser)
                                    if b["place"]["y"] == min(x["place"]["y"]
                                                              for x in boxes(browser))][0], "srv")
    browser.keys("i")
    point(browser, "idle", 0)
    check("zoom to a caller", widths(browser), [[("srv", 100)], [("main", 100)], [("idle", 100)],
                                                [("parse", 100)]])
    check("zoom in the URL", fragment(browser), "zoom=%E2%86%90idle&sandwich=parse")
    load(browser, browser.url())
    check("a link restores it", widths(browser)[2], [("idle", 100)])
    browser.keys(ESCAPE)
    check("Esc: back to the function", widths(browser)[-1], [("scan", 50)])
    browser.keys(ESCAPE)
    check("Esc: back to all", widths(browser), WHOLE)


def test_sandwich_by_keys(browser):
    browser.keys(HOME)
    for key in (UP, UP, UP, UP):
        browser.keys(key)
    check("at parse", text_of(browser, "details").split(" · ")[0], "parse")
    browser.keys("s")
    browser.keys(HOME)
    browser.keys(UP)
    check("up to a callee", text_of(browser, "details").split(" · ")[0], "scan")
    browser.keys(DOWN)
    check("back", text_of(browser, "details").split(" · ")[0], "parse")
    browser.keys(DOWN)
    check("down to the caller with most", text_of(browser, "details").split(" · ")[0], "serve")
    browser.keys(UP)
    check("up again", text_of(browser, "details").split(" · ")[0], "parse")
    browser.keys("u")
    check("undone", widths(browser), WHOLE)
    browser.keys("t")
    browser.run("""const row = Array.from(document.querySelectorAll("#fg-panel tbody tr"))
            .find(r => r.firstChild.textContent === "scan");
        row.focus();
        row.dispatchEvent(new KeyboardEvent("keydown", { key: "m", bubbles: true }))""")
    menu(browser, "Callers and callees of scan")
    check("from the table", fragment(browser), "sandwich=scan&table=1")
    browser.run("document.querySelector('.fg-steps button').click()")
    check("its button takes it back", fragment(browser), "table=1")


# For every function in the middle: its callees with itself weigh the same as its callers.
BALANCED = """
const base = cupel.view.tree(), bad = [];
for (const name of new Set(base.labels.name.filter(n => n)))
    for (const sort of ["name", "weight"]) {
        const tree = flameSandwich.make(base, { sandwich: name, sort });
        if (!tree)
            continue;
        let below = tree.self[1], above = 0;
        for (let c = 2; c < tree.callers; c = tree.end[c])
            below += tree.total[c];
        for (let c = tree.callers; c < tree.count; c = tree.end[c])
            above += tree.total[c];
        if (Math.abs(below - tree.total[1]) > 1e-9 || tree.total[0] !== base.total[0])
            bad.push(name + ": " + below + " of " + tree.total[1]);
        if (above && Math.abs(above - tree.total[1]) > 1e-9)
            bad.push(name + ": called for " + above + " of " + tree.total[1]);
        for (let i = 2; i < tree.count; i++)
            if (Math.abs(tree.depth[i]) !== Math.abs(tree.depth[tree.parent[i]]) + 1)
                bad.push(name + ": " + i + " is misplaced");
    }
return bad;
"""


def test_sandwich_is_balanced(browser):
    check("no function loses callers or callees", browser.run(BALANCED), [])


def test_threads(browser):
    check("threads, widest first", options(browser, "fg-thread"),
          ["all threads", "srv (7) · 70.00%", "\u00a0 srv (7) main thread · 50.00%",
           "\u00a0 srv (7/8) · 20.00%", "log (9) · 30.00%"])
    choose(browser, "fg-thread", "srv (7/8)")
    check("one thread", widths(browser),
          [[("all", 100)], [("srv", 100)], [("main", 100)], [("idle", 50), ("serve", 50)],
           [("parse", 50), ("parse", 50)], [("scan", 50)]])
    check("in the URL", fragment(browser), "thread=srv%20(7%2F8)")
    check("the text names it", "only srv (7/8)" in about(browser), True)
    load(browser, browser.url())
    check("a link restores it", value_of(browser, "fg-thread"), "srv (7/8)")
    choose(browser, "fg-thread", "srv (7)")
    check("one process", widths(browser)[3], [("idle", 14), ("serve", 86)])
    browser.keys("u")
    check("undo", widths(browser)[3], [("idle", 50), ("serve", 50)])
    choose(browser, "fg-thread", "")
    check("all again", widths(browser), WHOLE)
    check("nothing in the URL", fragment(browser), "")


def about(browser):
    return browser.run("""return (document.getElementById("about") ||
        document.getElementById("subtitle")).textContent""")


def test_unknown_thread(browser):
    load(browser, browser.url().split("#")[0] + "#thread=nobody%20(1)")
    check("a thread of another picture: all", [value_of(browser, "fg-thread"),
                                               "only" in about(browser)], ["", False])


def test_events(browser):
    check("events", options(browser, "fg-event"), ["cycles", "instructions"])
    choose(browser, "fg-event", "instructions")
    check("the other event", widths(browser)[3], [("write", 39), ("idle", 3), ("serve", 58)])
    check("its name and number", about(browser), "instructions · 155 samples")
    choose(browser, "fg-thread", "log (9)")
    check("and one process", widths(browser)[-1], [("write", 100)])
    check("both in the URL", fragment(browser), "event=instructions&thread=log%20(9)")


def test_by_time(browser):
    browser.click(browser.find("#fg-time"))
    check("in order of first appearance", widths(browser)[:4],
          [[("all", 100)], [("srv", 70), ("log", 30)], [("main", 70), ("main", 30)],
           [("serve", 60), ("idle", 10), ("write", 30)]])
    check("in the URL", fragment(browser), "sort=time")
    point(browser, "idle")
    check("told", tip(browser)[2].startswith("first seen at 0.0001"), True)
    browser.keys("r")
    check("leaf first, too", [b["name"] for b in boxes(browser) if b["row"] == 1],
          ["parse", "scan", "serve", "write"])
    browser.keys("r", "o")
    check("then by name", widths(browser), WHOLE)
    browser.keys("o")
    check("then by width", [b["name"] for b in boxes(browser) if b["row"] == 3],
          ["serve", "idle", "write"])
    browser.keys("o", "o")
    check("and back", fragment(browser), "")


def fills(browser):
    return {b["name"]: b["fill"] for b in boxes(browser)}


def legend(browser):
    return text_of(browser, "fg-legend")


def test_colors(browser):
    check("legend of kinds", re.sub(r"\s+", " ", legend(browser)), "■ user 70.00% ■ kernel 30.00% ")
    kinds = fills(browser)
    browser.keys("p")
    modules = fills(browser)
    check("module: one colour", len({modules[n] for n in ("main", "serve", "parse")}), 1)
    check("module: another for the kernel", modules["write"] == modules["main"], False)
    check("module: legend", re.sub(r"\s+", " ", legend(browser)).replace("■ ", ""),
          "srv 70.00% [kernel.kallsyms] 30.00% ")
    browser.keys("p")
    own = fills(browser)
    check("self share: most, nothing", [own["parse"], own["write"], own["main"]],
          ["#6e1130", "#6e1130", "#e4e1da"])
    check("self share: legend", legend(browser).endswith("30.00%"), True)
    browser.keys("p")
    ipc = fills(browser)
    check("instructions per cycle", [ipc["scan"], ipc["write"]], ["#9c3a06", "#b9d3ec"])
    check("its legend", "as all (1.55)" in legend(browser), True)
    point(browser, "write")
    check("its value", tip(browser)[2], "2.00 instructions per cycle")
    check("in the URL", fragment(browser), "color=ipc")
    browser.keys("r")
    check("of leaves", fills(browser)["scan"], "#9c3a06")
    browser.keys("r")
    browser.keys("p")
    check("kinds again", fills(browser), kinds)


def test_lines(browser):
    point(browser, "scan", 2)
    menu(browser, "Lines of scan")
    check("lines", table(browser), [["scan.c:21", "20.00%", "20.00%"],
                                    ["scan.c:22", "10.00%", "10.00%"]])
    check("in the URL", fragment(browser), "lines=scan")
    browser.run("document.querySelector('#fg-panel th button').click()")
    browser.keys("l")
    check("closed", (fragment(browser), browser.run(
        "return document.getElementById('fg-panel').hidden")), ("", True))
    point(browser, "main", 2)
    items = browser.run("""return Array.from(document.querySelectorAll("#fg-menu button"),
        b => b.textContent)""")
    check("only where lines are known", "Lines of main" in items, False)
    browser.keys(ESCAPE)


SOURCE = """\
int scan(const char *s)
{
\tint n = 0;

\t/* </script><b> */
\tfor (; *s; s++)
\t\tn += *s == ' ';

\treturn n;
}



int main(int argc, char **argv)
{
\treturn scan(argv[argc > 1]);
}
"""


def test_source(browser, folder, kind):
    """--source: the text of lines beside their shares, as a listing or by share."""
    path = os.path.join(folder, "scan.c")
    Path(path).write_text(SOURCE)
    text = "".join("srv 7/7 1.%06d: 1000 cycles:\n\t%x scan+0x1 (/no/srv)\n  %s:%d\n"
                   "\t20 main+0x1 (/no/srv)\n  %s:16\n\n" % (i, line, path, line, path)
                   for i, line in enumerate([6] * 6 + [7] * 3 + [1]))
    load(browser, make(folder, "source." + kind, "flamegraph", "--source", "scanned", scanned=text) +
         "#lines=scan")
    rows = table(browser)
    check("source: a listing", rows[:3] + rows[5:8], [
        [path], ["1", "10.00%", "10.00%", "int scan(const char *s)"], ["2", "", "", "{"],
        ["5", "", "", "    /* </script><b> */"], ["6", "60.00%", "60.00%", "    for (; *s; s++)"],
        ["7", "30.00%", "30.00%", "        n += *s == ' ';"]])
    check("source: the hottest line stands out", browser.run(
        "return document.querySelectorAll('#fg-panel tbody tr')[6].style.background"),
        "rgba(230, 90, 20, 0.4)")
    browser.run("document.querySelectorAll('#fg-panel th button')[1].click()")
    check("source: by self", [r[3].strip() for r in table(browser)],
          ["for (; *s; s++)", "n += *s == ' ';", "int scan(const char *s)"])
    browser.run("cupel.view.setLines('main')")
    check("source: of another function", table(browser)[0],
          [path + ":16", "0.00%", "100.00%", "    return scan(argv[argc > 1]);"])
    check("source: without self time by that below", browser.run(
        "return document.querySelector('#fg-panel tbody tr').style.background"),
        "rgba(230, 90, 20, 0.4)")
    check("source: no errors", browser.messages(), [])


def waits():
    """10 ms on the CPU and 30 ms off it in read(), 20 ms on it in main; thread 8 sleeps for 40 ms."""
    text, at = [], 0
    for tid, event, stack, ms in ((7, "cpu-clock", ("main", "read"), 10), (7, "cpu-clock", ("main",), 20),
                                  (7, "offcpu-time", ("main", "read", "sched"), 30),
                                  (8, "offcpu-time", ("main", "sched"), 40),
                                  (0, "cpu-clock", ("idle",), 50)):
        at += 1
        comm = "srv" if tid else "swapper"
        text.append("%s %d/%d 1.%06d: %d %s:\n" % (comm, min(tid, 7), tid, at, ms * 1000000, event))
        text += frames(stack, 0)
    return "".join(text)


def bars(browser):
    """Of every frame: its share on a CPU in percent."""
    return browser.run("""const info = cupel.view.tree().info;
        return cupel.view.boxes().map(b => [b.name, Math.round(
            info.ratio.bars(cupel.view.shown(), b.node)[0].share * 100)])""")


def test_packages(browser, folder, kind):
    """Without modules the colours depend on the prefixes of names."""
    load(browser, make(folder, "packages." + kind, "flamegraph", "names",
                       names="a::f;a::g 2\na::f;java/util/Map.get 3\na::f;java/util/Set.add 1\nx 1\n")
         + "#color=module")
    found = fills(browser)
    check("packages", [found["a::f"] == found["a::g"],
                       found["java/util/Map.get"] == found["java/util/Set.add"],
                       found["a::f"] == found["java/util/Map.get"]], [True, True, False])


def test_wall(browser, folder, kind):
    """--wall: on and off the CPU in one picture, and how much of a frame is which."""
    load(browser, make(folder, "wall." + kind, "flamegraph", "--wall", "waits", waits=waits()))
    check("wall: all of it, but idle CPUs", widths(browser),
          [[("all", 100)], [("srv", 100)], [("main", 100)], [("read", 40), ("sched", 40)],
           [("sched", 30)]])
    check("wall: shares on a CPU", bars(browser), [
        ["all", 30], ["srv", 30], ["main", 30], ["read", 25], ["sched", 0], ["sched", 0]])
    point(browser, "read")
    check("wall: told", tip(browser)[2], "on CPU 25.00%, off CPU 75.00%")
    check("wall: legend", legend(browser).split("time ")[1].replace("■ ", "").split("  "),
          ["on CPU 30.00%", "off CPU 70.00%", ""])
    check("wall: events", options(browser, "fg-event"), ["cpu-clock", "offcpu-time", "wall-time"])
    if kind == "svg":
        check("wall: drawn", browser.run("""return Array.from(document.querySelectorAll(
            "#frames g:nth-child(4) .bar"), r => [r.getAttribute("fill"), r.getAttribute("width")])"""),
            [["#e8590c", "10.0000%"], ["#1c4fa0", "30.0000%"]])
    choose(browser, "fg-thread", "srv (7) main thread")
    check("wall: of one thread", dict(bars(browser))["main"], 50)
    browser.keys("r")
    check("wall: leaf first", [b[1] for b in bars(browser) if b[0] == "read"], [100, 0])
    choose(browser, "fg-event", "offcpu-time")
    check("wall: one part alone", widths(browser)[1], [("sched", 100)])
    check("wall: no errors", browser.messages(), [])


def test_without_scripts(svg):
    browser = Browser(scripts=False)
    try:
        browser.open(svg)
        check("without scripts: a legend", browser.run(
            "return document.getElementById('legend').textContent.replace(/\\s+/g, ' ')"),
            "■ user 70.0% ■ kernel 30.0% ")
    finally:
        browser.close()


BUILD_ID = "93ac61ec5a8eb1396f9fbd350e3169a558528a40"
PROFILE = {
    "meta": {"version": 30, "interval": 1},
    "libs": [{"name": "libc.so.6", "path": "/lib/libc.so.6", "codeId": BUILD_ID}],
    "threads": [{
        "name": "app", "pid": 7, "tid": 7, "stringArray": ["f", "libc.so.6"],
        "samples": {"length": 1, "stack": [0], "time": [1]},
        "stackTable": {"length": 1, "frame": [0], "prefix": [None]},
        "frameTable": {"length": 1, "func": [0], "address": [16]},
        "funcTable": {"length": 1, "name": [0], "resource": [0]},
        "resourceTable": {"length": 1, "lib": [0], "name": [1], "type": [1]}}]}


def test_build_id(browser, folder, kind):
    load(browser, make(folder, "builds." + kind, "flamegraph", "profile",
                       profile=json.dumps(PROFILE)))
    point(browser, "f")
    check("told: the build", tip(browser)[2:4], ["/lib/libc.so.6", "build id " + BUILD_ID])


def test_plain(browser, url):
    """Menus without a choice are hidden."""
    load(browser, url)
    check("no times, no order of time", browser.run(
        "return document.getElementById('fg-time').checkVisibility()"), False)
    check("one kind, event and thread: no legend, one menu", (legend(browser), browser.run(
        """return Array.from(document.querySelectorAll(".fg-meaning label"))
            .filter(l => !l.hidden).length""")), ("", 1))
    browser.open("about:blank")
    browser.open(url + "#sandwich=nobody&thread=none&event=none&color=none&lines=none")
    wait_ready(browser)
    check("a link of another picture shows all", [b["name"] for b in boxes(browser)],
          ["all", "a", "b"])


def main():
    tests = (test_sandwich, test_sandwich_by_keys, test_sandwich_is_balanced, test_threads,
             test_unknown_thread,
             test_events, test_by_time, test_colors, test_lines)
    with tempfile.TemporaryDirectory() as folder:
        text = recording()
        for name in ("views.svg", "views.html"):
            print("--", name)
            test_each(make(folder, name, "flamegraph", "--srcline", "recording", recording=text),
                      tests)
        test_without_scripts(Path(folder, "views.svg").as_uri())
        browser = Browser()
        try:
            for kind in ("svg", "html"):
                test_source(browser, folder, kind)
                test_wall(browser, folder, kind)
                test_packages(browser, folder, kind)
                test_build_id(browser, folder, kind)
                test_plain(browser, make(folder, "plain." + kind, "flamegraph", "folded",
                                         folded="a;b 10\n"))
        finally:
            browser.close()


main()
