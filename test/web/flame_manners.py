#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How flame graphs behave: Back and Forward, links to what is not there, what can be copied, short
names, touch, small windows, deep pictures, print."""
import base64
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, check, wait_for  # noqa: E402
from page import fragment, load, make, text_of  # noqa: E402

LONG = "std::map<std::string, std::vector<int, std::allocator<int> > >::operator[]"
FOLDED = f"app;main;parse 60\napp;main;{LONG} 30\napp;main;write 10\n"


def box(browser, name):
    return [b for b in browser.run("return cupel.view.boxes()") if b["name"] == name][0]


def zoomed(browser):
    return browser.run("return cupel.view.state().zoom")


def go(browser, way, name):
    browser.run("history.%s()" % way)
    wait_for(lambda: (zoomed(browser) or [""])[-1] == name, way + " shows " + (name or "all"))
    check(way + " shows " + (name or "all"), (zoomed(browser) or [""])[-1], name)


def zoom(browser, name):
    browser.run("cupel.view.zoomTo(arguments[0])", box(browser, name)["node"])


def test_history(browser, url):
    load(browser, url)
    zoom(browser, "main")
    zoom(browser, "parse")
    go(browser, "back", "main")
    go(browser, "back", "")
    go(browser, "forward", "main")
    for letter in ("w", "wr", "wri"):
        browser.run("cupel.view.setFind(arguments[0])", letter)
    browser.run("history.back()")
    wait_for(lambda: browser.run("return cupel.view.state().find") == "", "one step for a word")


def test_notices(browser, url):
    load(browser, url)
    check("nothing to complain about", browser.run(
        "return document.getElementById('fg-notice').hidden"), True)
    browser.run("cupel.view.setFind('par(')")
    check("an invalid expression", text_of(browser, "fg-notice"),
          "“par(” is no regular expression: searched for as plain text")
    load(browser, url + "#zoom=app;main;gone;deeper")
    check("a dead link", text_of(browser, "fg-notice"),
          "the link names gone, which is not in this profile")
    check("as far as it goes", box(browser, "main")["width"], box(browser, "all")["width"])
    load(browser, url + "#sandwich=nobody")
    check("a dead name", "names nobody" in text_of(browser, "fg-notice"), True)


# Two functions of one name stand on one caller: of two modules, or one of them inlined.
TWINS = """prog 100/100 1.000000: 1 cpu-clock:
\t100 deep (/lib/ld.so)
\t200 _start (/lib/ld.so)

""" + "".join(f"""prog 100/100 1.0{i}0000: 1 cpu-clock:
\t{leaf} (/bin/prog)
\t500 f {how}
\t500 main (/bin/prog)
\t600 _start (/bin/prog)

""" for i, leaf, how in ((1, "100 same", "(inlined)"), (2, "400 same", "(/bin/prog)"),
                         (3, "400 same", "(/bin/prog)"), (4, "450 other", "(/bin/prog)")))


def test_twins(browser, url):
    load(browser, url)
    zoom(browser, "main")
    check("names lead past the other one", [fragment(browser), text_of(browser, "fg-notice")],
          ["zoom=prog;_start;main", ""])
    load(browser, url)
    for twin in [b for b in browser.run("return cupel.view.boxes()")
                 if b["name"] in ("_start", "f", "same", "other")]:
        def shown():
            boxes = browser.run("return cupel.view.boxes()")
            return [zoomed(browser)[-1:], text_of(browser, "fg-notice"), boxes[0]["width"] in
                    [b["width"] for b in boxes if b["node"] == twin["node"]]]

        wanted = [[twin["name"]], "", True]
        load(browser, url)
        browser.run("cupel.view.zoomTo(arguments[0])", twin["node"])
        link = browser.url()
        check("zoomed: %s of %d px, as %s" % (twin["name"], twin["width"], fragment(browser)),
              shown(), wanted)
        browser.run("cupel.view.unzoom()")
        go(browser, "back", twin["name"])
        check("Back finds it", shown(), wanted)
        load(browser, link)
        check("the link finds it", shown(), wanted)
    load(browser, url + "#zoom=prog;_start@7;main")
    check("a wrong number does no harm", [zoomed(browser), text_of(browser, "fg-notice")],
          [["prog", "_start", "main"], ""])


def test_copy(browser, url):
    load(browser, url)
    node = box(browser, "main")["node"]
    check("folded", browser.run("return flameCopy.folded(cupel.view.shown(), arguments[0])", node),
          "".join(sorted(FOLDED.splitlines(True), key=lambda line: line.split(";")[2])))
    check("stack", browser.run("return flameCopy.stack(cupel.view.shown(), arguments[0])", node),
          ["app", "main"])
    place = box(browser, "main")["place"]
    browser.pointer_at(place["x"] + 9, place["y"] - 8, 2)
    rows = browser.run("""return Array.from(document.querySelectorAll("#fg-menu button"),
        b => b.textContent)""")
    check("the menu copies", [r for r in rows if r.startswith("Copy ")],
          ["Copy name", "Copy stack", "Copy folded stacks from here", "Copy link to this view"])
    browser.keys("\ue00c")


def test_names(browser, url):
    load(browser, url)
    for name, short in ((LONG, "std::map<…>::operator[]"), ("operator<< <char>", None),
                        ("std::ostream& operator<< <std::char_traits<char> >(int)",
                         "std::ostream& operator<< <…>(int)"),
                        ("std::operator< <char, std::allocator<char> >", "std::operator< <…>"),
                        ("<alloc::vec::Vec<T> as core::ops::Drop>::drop", None),
                        ("a<b<c, d>, e->f>::g", "a<…>::g"), ("broken<x", None), ("f<int>", None)):
        check("short: " + name, browser.run("return flameText.elide(arguments[0])", name),
              short or name)
    place = box(browser, LONG)["place"]
    browser.pointer_at(place["x"] + 9, place["y"] - 8)
    lines = browser.run("""return Array.from(document.querySelectorAll("#tip div"),
        line => line.textContent)""")
    check("tooltip: the short name, then counts", [lines[0], lines[1].split(" · ")[0]],
          ["std::map<…>::operator[]", "30 samples"])
    check("and the whole name", lines[-1], LONG)


TAP = """const place = document.elementFromPoint(arguments[0], arguments[1]);
place.dispatchEvent(new PointerEvent("click", { bubbles: true, clientX: arguments[0],
    clientY: arguments[1], pointerType: "touch" }))"""


def test_touch(browser, url):
    load(browser, url)
    place = box(browser, "parse")["place"]
    at = (place["x"] + 9, place["y"] - 8)
    browser.run(TAP, *at)
    check("a tap says what it is", [zoomed(browser), browser.run(
        "return document.getElementById('tip').hidden")], [[], False])
    browser.run(TAP, *at)
    check("the second zooms", zoomed(browser)[-1], "parse")


def test_small(url):
    browser = Browser(500, 600)  # the narrowest window
    try:
        load(browser, url)
        place = box(browser, LONG)["place"]
        browser.pointer_at(place["x"] + 9, place["y"] - 8)
        left, right, width = browser.run("""const tip = document.getElementById("tip")
            .getBoundingClientRect(); return [tip.left, tip.right, window.innerWidth]""")
        check("the tooltip is in the window", 0 <= left and right <= width, True)
        check("nothing is wider than the window",
              browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), True)
        sizes = browser.run("""return Array.from(document.querySelectorAll(
            ".fg-bar button, .fg-bar input, .fg-meaning select"), e => e.getBoundingClientRect())
            .filter(r => r.width).map(r => Math.min(r.width, r.height))""")
        check("targets of 24 px", min(sizes) >= 24, True)
    finally:
        browser.close()


def test_small_svg(url):
    """Text in an SVG does not wrap by itself, and controls that do must not hide frames."""
    browser = Browser(500, 600)
    try:
        load(browser, url)
        lines, right = browser.run("""const lines = Array.from(document.querySelectorAll(
            "#fg-head text"), line => line.getBoundingClientRect());
            return [lines.length, Math.max(...lines.map(l => l.right), innerWidth) +
                Math.min(...lines.map(l => l.left), 0)]""")
        check("all lines are in the window", [lines > 2, right], [True, 500])
        controls, frames = browser.run("""return [
            document.querySelector(".fg-host").getBoundingClientRect().bottom,
            Math.min(...Array.from(document.querySelectorAll("#frames > * > rect"),
                box => box.getBoundingClientRect().top))]""")
        check("frames begin below the controls (%d, %d)" % (controls, frames), controls <= frames,
              True)
        words = browser.run("return document.getElementById('remedies').textContent")
        check("what helps is there, whole", words.startswith("few samples: record longer"), True)
    finally:
        browser.close()


def test_map(browser, folder):
    load(browser, make(folder, "deep.html", "flamegraph", "deep",
                       deep=";".join(f"f{i}" for i in range(300)) + " 1\n"))
    top = browser.run("return document.querySelector('.fg-picture').scrollTop")
    map_place = browser.run("""const map = document.querySelector(".fg-map")
        .getBoundingClientRect(); return [map.left, map.top, map.right, map.bottom]""")
    picture = browser.run("return document.querySelector('canvas').getBoundingClientRect().right")
    check("a deep picture has a map beside it", picture <= map_place[0] < map_place[2], True)
    browser.pointer_at(map_place[0] + 20, map_place[1] + 5, 0)
    wait_for(lambda: browser.run("return document.querySelector('.fg-picture').scrollTop") < top / 4,
             "the map scrolls")


# What there is of controls, and how far frames are outside of the window.
PRINTED = """const seen = Array.from(document.querySelectorAll(
    ".fg-bar, .fg-bar button, #find, .fg-map"), e => e.getBoundingClientRect())
    .filter(box => box.width).length;
const parts = document.querySelectorAll("canvas:not(.fg-map), #frames > * > rect");
const boxes = Array.from(parts, e => e.getBoundingClientRect());
const beyond = Math.max(0, -Math.min(...boxes.map(box => Math.min(box.left, box.top))),
    Math.max(...boxes.map(box => Math.max(box.right - innerWidth))), document.querySelector("canvas")
    ? 0 : Math.max(...boxes.map(box => box.bottom - innerHeight)));
return [seen, Math.round(beyond)]"""

# Whether the first row and the last one are there: the canvas is as high as all of them.
ROWS = """const canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
const { data } = pen.getImageData(5, 0, 1, canvas.height);
return [3, canvas.height - 5].map(y => data[4 * y + 3])"""


def media(browser, name):
    browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia",
                                               "params": {"media": name}})
    browser.drawn()


def test_print(browser, url):
    load(browser, url)
    pages = browser.call("POST", "/print", {"orientation": "landscape"})
    check("print: one page", base64.b64decode(pages).count(b"/Type /Page\n"), 1)
    before = browser.run("return document.querySelector('canvas')?.height")
    media(browser, "print")
    check("no controls on paper, and all frames", browser.run(PRINTED), [0, 0])
    if url.endswith("svg"):
        check("as wide as paper", browser.run("""const svg = document.documentElement;
            return [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height] + ''"""),
            browser.run("""const svg = document.documentElement;
            return [svg.clientWidth, svg.height.baseVal.value] + ''"""))
    else:
        check("the first row and the last", browser.run(ROWS), [255, 255])
    media(browser, "")
    check("the window is as before",
          browser.run("return document.querySelector('canvas')?.height"), before)


def test_loaded(browser, url):
    load(browser, url)
    check("a page that has loaded has been drawn", browser.run("""return performance
        .getEntriesByType("navigation")[0].loadEventStart >=
        performance.getEntriesByName("drawn")[0].startTime"""), True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser()
        try:
            for kind in ("html", "svg"):
                url = make(folder, "f." + kind, "flamegraph", "names", names=FOLDED)
                for test in (test_history, test_notices, test_copy, test_names, test_touch):
                    test(browser, url)
            test_map(browser, folder)
            page = make(folder, "f.html", "flamegraph", "names", names=FOLDED)
            test_loaded(browser, page)
            deep = ";".join(f"f{i}" for i in range(100)) + " 1\n"
            for kind in ("html", "svg"):
                test_twins(browser, make(folder, "twins." + kind, "flamegraph", "twins", twins=TWINS))
                test_print(browser, make(folder, "paper." + kind, "flamegraph", "deep", deep=deep))
            check("no errors in the console", browser.messages(), [])
        finally:
            browser.close()
        test_small(page)
        few = "a very long name of a program that is there to be wider than its window;main 12\n"
        test_small_svg(make(folder, "few.svg", "flamegraph", "--title", "a title " * 9, "few",
                            few=few))


main()
