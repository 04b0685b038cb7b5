#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The flame graph in a real browser, as SVG and as HTML page: zoom, search, table, reverse, undo,
keyboard, state in the URL, both colour schemes, scripts off, two columns. Draws small profiles with
the program in $CUPEL."""
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, check, wait_for  # noqa: E402
from page import fragment, load, make, table, test_each, test_schemes, text_of  # noqa: E402

CONTROL = "\ue009"
ESCAPE = "\ue00c"
ENTER = "\ue007"
LEFT, UP, RIGHT, DOWN, HOME = "\ue012", "\ue013", "\ue014", "\ue015", "\ue011"

# main 100: a 60 (x 40 (a 10)), b 30 (x 20), tiny... ; recursion of a inside a
FOLDED = """\
app;main 10
app;main;a 20
app;main;a;x 30
app;main;a;x;a 10
app;main;b 10
app;main;b;x 20
app;main;<evil>&"']]>;x(int) 0.5
app;main;b;t1 0.002
app;main;b;t2 0.002
"""
COLUMNS = "app;grew 10 30\napp;shrank 30 10\napp;same 5 5\napp;gone 4 0\n"


def boxes(browser):
    browser.drawn()
    return browser.run("return cupel.view.boxes()")


def box(browser, name, nth=0):
    """The nth box of that name, outer ones first, from left to right; None when there is none."""
    found = [b for b in boxes(browser) if b["name"] == name]
    return found[nth] if nth < len(found) else None


def share(browser, name, nth=0):
    """Its width in percent of the picture's."""
    whole = boxes(browser)[0]["width"]
    return round(box(browser, name, nth)["width"] * 100 / whole, 1)


def point(browser, name, nth=0, button=None):
    found = box(browser, name, nth)
    browser.pointer_at(found["place"]["x"] + min(8, found["width"] / 2), found["place"]["y"] - 8,
                       button)


def click(browser, name, nth=0):
    point(browser, name, nth, 0)


def matched(browser):
    browser.drawn()
    return text_of(browser, "matched").replace("■ ", "")


def search(browser, text):
    browser.keys(CONTROL, "f")
    browser.type(text)


def press(browser, identity):
    browser.click(browser.find("#" + identity))


def test_zoom(browser):
    check("whole picture: a", share(browser, "a"), 59.7)
    click(browser, "a")
    check("zoomed: a fills the width", share(browser, "a"), 100)
    check("zoomed: x in a", share(browser, "x"), 66.7)
    check("zoomed: b is hidden", box(browser, "b"), None)
    check("zoomed: parents are shown", share(browser, "main"), 100)
    check("state in the URL", fragment(browser), "zoom=app;main;a")
    press(browser, "fg-unzoom")
    check("reset", share(browser, "a"), 59.7)
    check("reset: nothing in the URL", fragment(browser), "")
    browser.keys("u")
    check("undo", share(browser, "a"), 100)
    browser.keys("U")
    check("redo", share(browser, "a"), 59.7)


def test_search(browser):
    search(browser, "^a$")
    check("recursion counts once", matched(browser), "Matched: 59.70%")
    check("marked", box(browser, "a")["fill"], "#e600e6")
    browser.keys(ESCAPE)
    search(browser, "^x$;^b$")
    check("two terms", matched(browser), "Matched: 69.65% (^x$ 59.70%, ^b$ 29.85%)")
    check("terms have a square of their colour", browser.run(
        "return Array.from(document.getElementById('matched').querySelectorAll('*'))"
        ".filter(e => e.textContent === '■ ').map(e => e.style.fill || e.style.color)"),
          ["rgb(230, 0, 230)", "rgb(0, 190, 235)"])
    check("own colours", [box(browser, n)["fill"] for n in "xb"], ["#e600e6", "#00beeb"])
    browser.keys(ESCAPE)
    check("closed: no text", matched(browser), "")
    check("closed: nothing is marked", box(browser, "x")["fill"] == "#e600e6", False)
    search(browser, "X")
    check("case counts", matched(browser), "Matched: 0.00%")
    browser.keys(CONTROL, "i")
    check("case ignored", matched(browser), "Matched: 60.20%")
    browser.keys(CONTROL, "i")
    browser.keys(ESCAPE)
    search(browser, "(")
    check("not a regular expression: text", matched(browser), "Matched: 0.50%")
    browser.keys(ESCAPE)
    search(browser, "t[12]")
    check("frames too narrow to see count", matched(browser), "Matched: 0.00%")
    check("they are found", browser.run("return cupel.view.shown().count"), 12)
    browser.keys(ESCAPE)


def test_matches_in_turn(browser):
    search(browser, "^x$")
    browser.keys(ENTER)
    check("first match", matched(browser), "Matched: 59.70% · match 1 of 2")
    browser.keys(ENTER)
    check("second match", matched(browser), "Matched: 59.70% · match 2 of 2")
    press(browser, "fg-next")
    check("around", matched(browser), "Matched: 59.70% · match 1 of 2")
    press(browser, "fg-back")
    check("back", matched(browser), "Matched: 59.70% · match 2 of 2")
    browser.keys(ESCAPE)
    search(browser, "^t2$")
    browser.keys(ENTER)
    check("a hidden match is zoomed to", fragment(browser).startswith("zoom=app;main;b&"), True)
    browser.keys(ESCAPE)
    browser.keys(ESCAPE)


def test_search_in_zoom(browser):
    click(browser, "b")
    search(browser, "^x$")
    check("share of the zoomed frame and of all", matched(browser),
          "Matched: 66.66% of the zoomed frame, 59.70% of all")
    load(browser, browser.url())
    check("a link restores both", matched(browser),
          "Matched: 66.66% of the zoomed frame, 59.70% of all")
    check("a link restores the zoom", share(browser, "b"), 100)
    browser.keys(ESCAPE)
    browser.keys(ESCAPE)


def test_arrangements(browser):
    up = box(browser, "main")["place"]["y"] > box(browser, "a")["place"]["y"]
    check("the root is at the bottom", up, True)
    browser.keys("i")
    down = box(browser, "main")["place"]["y"] < box(browser, "a")["place"]["y"]
    check("icicle: at the top", down, True)
    browser.keys("i")
    browser.keys("r")
    check("leaf first", [b["name"] for b in boxes(browser) if b["row"] == 1],
          ["a", "b", "main", "x", "x(int)"])
    check("leaf first: a's own", share(browser, "a"), 29.8)
    check("leaf first: callers of x", [share(browser, "a", n) for n in (1, 2)], [9.9, 29.8])
    browser.keys("r")
    browser.keys("o")
    order = [b["name"] for b in sorted(boxes(browser), key=lambda b: b["left"]) if b["row"] == 3]
    check("widest first", order[:2], ["a", "b"])
    browser.keys("o")
    check("all undone", fragment(browser), "")


def test_steps(browser):
    point(browser, "x", 0, 2)
    check("menu", browser.run("return document.getElementById('fg-menu').hidden"), False)
    browser.run("document.querySelectorAll('#fg-menu button')[2].click()")
    check("hidden: callers get the weight", (box(browser, "x"), share(browser, "a")), (None, 59.7))
    check("hidden: its callee stands on the caller", share(browser, "a", 1), 9.9)
    browser.keys("c")
    check("recursion merged", (share(browser, "a"), box(browser, "a", 1)), (59.7, None))
    check("steps in the URL", fragment(browser), "hide=x&collapse=1")
    browser.keys("u")
    browser.keys("u")
    check("undone", share(browser, "x"), 39.8)
    point(browser, "x", 0, 2)
    browser.run("document.querySelectorAll('#fg-menu button')[1].click()")
    check("focus: all of x", (share(browser, "x"), share(browser, "a")), (100.0, 16.7))
    browser.run("document.querySelector('.fg-steps button').click()")
    check("step taken back", share(browser, "x"), 39.8)
    point(browser, "x", 0, 2)
    browser.run("document.querySelectorAll('#fg-menu button')[3].click()")
    check("without stacks through x", (box(browser, "x"), share(browser, "a")), (None, 49.4))
    browser.keys("u")


def test_table(browser):
    browser.keys("t")
    check("table: widest self first", table(browser)[0], ["x", "49.75%", "59.70%"])
    check("table: recursion counts once", [r for r in table(browser) if r[0] == "a"],
          [["a", "29.85%", "59.70%"]])
    browser.run("document.querySelectorAll('#fg-panel th button')[2].click()")
    check("table: by total", [r[0] for r in table(browser)][:3], ["app", "main", "a"])
    browser.run("document.querySelector('#fg-panel tbody tr:nth-child(3)').click()")
    check("table: a row is searched for", matched(browser), "Matched: 59.70%")
    check("table: only what matches", [r[0] for r in table(browser)], ["a"])
    browser.keys(ESCAPE)
    browser.keys("t")


def test_keyboard(browser):
    browser.keys(HOME)
    for key in (UP, UP, UP):
        browser.keys(key)
    item = "return document.getElementById('fg-item')"
    check("the way most weight goes", browser.run(item + ".textContent").split(",")[0], "a")
    check("its level", browser.run(item + ".getAttribute('aria-level')"), "4")
    check("its place", browser.run(item + ".getAttribute('aria-posinset')"), "2")
    browser.keys(RIGHT)
    check("neighbour", text_of(browser, "details").split(" · ")[0], "b")
    browser.keys(ENTER)
    check("Enter zooms", fragment(browser), "zoom=app;main;b")
    browser.keys(ESCAPE)
    browser.keys(DOWN)
    check("to the caller", text_of(browser, "details").split(" · ")[0], "main")
    browser.keys(UP)
    browser.keys("h")
    check("h hides", fragment(browser), "hide=a")
    browser.keys("u")
    role = browser.run("return document.getElementById('frames').getAttribute('role')")
    check("a tree for screen readers", role, "tree")


def test_tooltip(browser):
    point(browser, "a")
    wait_for(lambda: not browser.run("return document.getElementById('tip').hidden"), "tooltip")
    lines = browser.run("""return Array.from(document.querySelectorAll("#tip div"))
        .map(t => t.textContent)""")
    check("tooltip: name", lines[0], "a")
    check("tooltip: shares", lines[1],
          "60 samples · 59.70% of all (95% 49.92–68.76%) · 19.90% self")
    check("details", text_of(browser, "details"), "Function: a (60 samples, 59.70%)")
    browser.pointer_at(400, 8)
    wait_for(lambda: browser.run("return document.getElementById('tip').hidden"), "no tooltip")


# Adds up every row of every view of the tree: hidden or reversed, the weight is conserved, except for
# the parts that `drop` and `focus` omit.
CONSERVED = """
const base = cupel.view.tree(), bad = [];
const left = { drop: 40.504, focus: 60 };
const views = [["none", []], ["hide", [{ op: "hide", name: "x" }]],
    ["drop", [{ op: "drop", name: "x" }]], ["focus", [{ op: "focus", name: "a" }]]];
for (const [op, steps] of views)
    for (const collapse of [false, true])
        for (const reverse of [false, true])
            for (const sort of ["name", "weight"]) {
                const tree = flameModel.derive(base, { steps, collapse, reverse, sort });
                const wanted = (left[op] || 100.504) * base.info.scale;
                const what = [op, collapse, reverse, sort].join(" ");
                if (Math.abs(tree.total[0] - wanted) > 1e-6)
                    bad.push(what + ": " + tree.total[0] + " of " + wanted);
                if (tree.end[0] !== tree.count)
                    bad.push(what + ": not in order");
                for (let i = 1; i < tree.count; i++)
                    if (tree.parent[i] >= i || tree.depth[i] !== tree.depth[tree.parent[i]] + 1)
                        bad.push(what + ": " + i + " is misplaced");
                for (const least of [0, 1, 10, 100, 30000]) {
                    const boxes = flameModel.boxes(tree, 0, least), rows = new Map();
                    boxes.node.forEach((node, i) => {
                        if (boxes.smaller[i] || !i)
                            return;
                        const sum = boxes.width.reduce((all, w, k) => boxes.row[k] ===
                            boxes.row[i] + 1 && boxes.left[k] >= boxes.left[i] &&
                            boxes.left[k] < boxes.left[i] + boxes.width[i] ? all + w : all, 0);
                        const rest = boxes.width[i] - sum - tree.self[node];
                        if (rest > Math.max(least, 1e-6) || rest < -1e-6)
                            bad.push(what + " at " + least + ": " + rest + " missing");
                    });
                }
            }
return bad;
"""


def test_weight_is_conserved(browser):
    check("no view loses weight", browser.run(CONSERVED), [])


def test_strict_policy(browser):
    """A page runs only its own script, loads nothing, and evaluates nothing."""
    if browser.run("return document.documentElement.tagName") == "svg":
        return  # cannot have its own policy
    browser.run("""const script = document.createElement("script");
        script.textContent = "window.injected = true";
        document.body.append(script);
        const image = new Image();
        image.onload = () => { window.loaded = true; };
        image.src = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=";""")
    check("policy: no other script, no picture", browser.run(
        "return [window.injected, window.loaded].map(x => x || false)"), [False, False])
    refused = [m for m in browser.messages() if "Content Security Policy" in m]
    check("policy: both were refused", len(refused), 2)


def test_table_below_the_bar(browser):
    browser.keys("t")
    place = browser.run("""const at = css => document.querySelector(css).getBoundingClientRect();
        return [at(".fg-bar").bottom, at("#fg-panel").top]""")
    check("table: covers no button (%d, %d)" % tuple(place), place[0] <= place[1] + 1, True)


def test_hostile_name(browser):
    check("hostile name is text", share(browser, "<evil>&\"']]>"), 0.5)


def test_resize(browser):
    browser.call("POST", "/window/rect", {"width": 700, "height": 800})
    wait_for(lambda: boxes(browser)[0]["width"] < 700, "frames follow the window")
    print("ok follows the width of the window")
    browser.call("POST", "/window/rect", {"width": 1220, "height": 900})


def draw(folder, name, folded, *options):
    return make(folder, name, "flamegraph", *options, "folded", folded=folded)


def test_columns(browser, url):
    load(browser, url)
    fills = {b["name"]: b["fill"] for b in boxes(browser)}
    check("columns: grew is red, shrank blue, same white",
          [fills[n] for n in ("grew", "shrank", "same")], ["#ff2828", "#5082ff", "#fafafa"])
    check("columns: removed weight is reported", "gone" in text_of(browser, "missing"), True)
    point(browser, "grew")
    check("columns: change in the tooltip", browser.run(
        "return document.querySelector('#tip div:last-child').textContent"),
        "before 20.41% → after 66.67%: +46.26 points")


def test_options(browser, url):
    load(browser, url)
    point(browser, "b", 0, 2)
    items = browser.run("return Array.from(document.querySelectorAll('#fg-menu button')," +
                        " b => b.textContent)")
    check("options: a link of --nameattr", items[0], "Open https://example.org/b")
    browser.keys(ESCAPE)
    point(browser, "a", 0, 2)
    check("options: a link of --code", browser.run(
        "return document.querySelector('#fg-menu button').textContent"), "Open my code.html#a")
    browser.keys(ESCAPE)
    point(browser, "b")
    check("options: --nametype", text_of(browser, "details").split(":")[0], "Frame")
    search(browser, "^b$")
    check("options: --search-color", box(browser, "b")["fill"], "#123456")
    browser.keys(ESCAPE)
    browser.run("cupel.view.zoomTo(0)")
    point(browser, "(40 smaller)", 0, 0)
    listed = browser.run("return document.querySelectorAll('#fg-menu button').length")
    check("options: frames behind a gathered box are listed", listed, 24)
    browser.run("document.querySelector('#fg-menu button').click()")
    check("options: and zoomed to", share(browser, "tiny39"), 100)


def draw_options(folder, kind):
    """A function with a link, and forty that are too narrow for any window."""
    names = os.path.join(folder, "names")
    Path(names).write_text("b\thref=https://example.org/b\ntiny3\thref=javascript:x\n")
    tiny = "".join("tiny%02d %d\n" % (i, 10 + i) for i in range(40))
    return draw(folder, "options." + kind, "a;b 500000\n" + tiny, "--nameattr", names,
                "--search-color", "#123456", "--nametype", "Frame:", "--minwidth", "0.9",
                "--code", "my code.html")


def test_found(browser, url):
    """A picture of --find opens with its matches; cleared is cleared, also in a link."""
    load(browser, url)
    check("--find: matched", matched(browser), "Matched: 59.70%")
    check("--find: nothing in the URL", fragment(browser), "")
    browser.run("document.getElementById('find').focus()")
    browser.keys(ESCAPE)
    check("--find: cleared", (matched(browser), fragment(browser)), ("", "s="))
    load(browser, browser.url())
    check("--find: a link stays cleared", matched(browser), "")


def test_without_scripts(svg, page):
    browser = Browser(scripts=False)
    try:
        browser.open(svg)
        shot = os.environ.get("SCREENSHOTS")
        if shot:
            browser.screenshot(os.path.join(shot, "without-scripts.png"))
        check("without scripts: a picture", rects_without_scripts(browser), 10)
        browser.open(page)
        check("without scripts: the page says so", "which is blocked here" in
              browser.call("GET", "/source"), True)
    finally:
        browser.close()


def rects_without_scripts(browser):
    """Scripts of the page are disabled, those of the driver are not."""
    return browser.run("return document.querySelectorAll('#frames rect').length")


def test_deep(browser, url):
    """A picture taller than the window begins at its root, with the title, the warnings, the controls
    and the line below in sight."""
    load(browser, url)
    height = browser.run("return window.innerHeight")
    browser.pointer_at(300, round(boxes(browser)[0]["place"]["y"]) - 8)
    inside = {name: browser.run("const place = document.querySelector(arguments[0])"
                                ".getBoundingClientRect(); return [place.top, place.bottom]", css)
              for name, css in (("title", "#title"), ("warnings", "#missing"),
                                ("controls", ".fg-bar"), ("line", "#details"))}
    check("deep: the document's title", browser.run("return document.title").split(" \u00b7 ")[0],
          browser.run("return document.getElementById('title').textContent"))
    root = boxes(browser)[0]["place"]["y"]
    inside["root"] = [root - 16, root]
    for name, (top, bottom) in inside.items():
        check(f"deep: the {name} in the window ({top} to {bottom} of {height})",
              0 <= top and bottom <= height + 1, True)


def main():
    both = (test_zoom, test_search, test_matches_in_turn, test_search_in_zoom, test_arrangements,
            test_steps, test_weight_is_conserved, test_table, test_table_below_the_bar, test_keyboard,
            test_tooltip, test_hostile_name, test_strict_policy, test_resize)
    with tempfile.TemporaryDirectory() as folder:
        svg = draw(folder, "flame.svg", FOLDED)
        page = draw(folder, "flame.html", FOLDED)
        for url in (svg, page):
            print("--", url.rsplit("/", 1)[1])
            test_each(url, both)
            test_schemes(url)
        browser = Browser()
        try:
            for kind in ("svg", "html"):
                test_columns(browser, draw(folder, "columns." + kind, COLUMNS))
                test_found(browser, draw(folder, "found." + kind, FOLDED, "--find", "^a$"))
                test_options(browser, draw_options(folder, kind))
                test_deep(browser, draw(folder, "deep." + kind,
                                        ";".join(f"f{i}" for i in range(300)) + " 1"))
        finally:
            browser.close()
        test_without_scripts(svg, page)


main()
