#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The flame graph in a real browser: zoom, search, reset, tooltip, keyboard, state in the URL, both
colour schemes, scripts off. Draws a small profile with the program in $CUPEL."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, wait_for  # noqa: E402

CONTROL = "\ue009"
ESCAPE = "\ue00c"

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


def check(what, got, wanted):
    if got != wanted:
        raise AssertionError("%s: got %r, wanted %r" % (what, got, wanted))
    print("ok", what)


def group(browser, name, nth=0):
    """The nth frame of that name."""
    return browser.run("""
        const f = Array.from(document.querySelectorAll("#frames g")).filter(g =>
            (g.dataset.t || g.querySelector("title").textContent).startsWith(arguments[0] + " ("));
        return f[arguments[1]].querySelector("rect");""", name, nth)


def element_of(answer):
    return list(answer.values())[0]


def width_of(browser, name, nth=0):
    return browser.run("return parseFloat(arguments[0].getAttribute('width'))",
                       group(browser, name, nth))


def text_of(browser, identity):
    return browser.run("return document.getElementById(arguments[0]).textContent", identity)


def hidden(browser, name, nth=0):
    return browser.run("return getComputedStyle(arguments[0].parentNode).display === 'none'",
                       group(browser, name, nth))


def search(browser, text):
    browser.keys(CONTROL, "f")
    wait_for(lambda: browser.run("return !!document.getElementById('find')"), "search box")
    browser.run("document.getElementById('find').select()")
    browser.type(text)


def test_zoom(browser):
    check("whole picture: a", round(width_of(browser, "a"), 1), 59.7)
    browser.click(element_of(group(browser, "a")))
    check("zoomed: a fills the width", width_of(browser, "a"), 100)
    check("zoomed: x in a", round(width_of(browser, "x"), 2), 66.67)
    check("zoomed: b is hidden", hidden(browser, "b"), True)
    check("zoomed: parents are shown", hidden(browser, "main"), False)
    check("state in the URL", browser.url().split("#")[1], "zoom=app;main;a")
    browser.click(browser.find("#unzoom"))
    check("reset", round(width_of(browser, "a"), 1), 59.7)
    check("reset: b is back", hidden(browser, "b"), False)


def test_search(browser):
    search(browser, "^a$")
    check("recursion counts once", text_of(browser, "matched").split(";")[0], "Matched: 59.70%")
    browser.run("document.getElementById('find').select()")
    browser.type("^x$;^b$")
    check("two terms", text_of(browser, "matched").split(";")[0],
          "Matched: 69.65% (^x$ 59.70%, ^b$ 29.85%)")
    colors = browser.run("""return Array.from(document.querySelectorAll("#frames .hit rect"))
        .map(r => r.getAttribute("fill"))""")
    check("own colours", len(set(colors)), 2)
    browser.keys(ESCAPE)
    check("closed: nothing is marked",
          browser.run("return document.querySelectorAll('#frames .hit').length"), 0)
    check("closed: no box", browser.run("return document.getElementById('find')"), None)
    search(browser, "X")
    check("case counts", text_of(browser, "matched").split(";")[0], "Matched: 0.00%")
    browser.keys(CONTROL, "i")
    check("case ignored", text_of(browser, "matched").split(";")[0], "Matched: 60.20%")
    browser.keys(CONTROL, "i")
    browser.keys(ESCAPE)
    search(browser, "(")
    check("not a regular expression: text", text_of(browser, "matched").split(";")[0],
          "Matched: 0.50%")
    browser.keys(ESCAPE)


def test_search_in_zoom(browser):
    browser.click(element_of(group(browser, "b")))
    search(browser, "^x$")
    check("share of the zoomed frame and of all", text_of(browser, "matched").split(";")[0],
          "Matched: 66.66% of the zoomed frame, 59.70% of all")
    link = browser.url()
    browser.keys(ESCAPE)
    browser.keys(ESCAPE)
    browser.open("about:blank")
    browser.open(link)
    check("a link restores both", text_of(browser, "matched").split(";")[0],
          "Matched: 66.66% of the zoomed frame, 59.70% of all")
    check("a link restores the zoom", width_of(browser, "b"), 100)
    browser.keys(ESCAPE)
    browser.keys(ESCAPE)


def test_tooltip(browser):
    browser.hover(element_of(group(browser, "a")))
    wait_for(lambda: not browser.run(
        "return document.getElementById('tip').classList.contains('hide')"), "tooltip")
    lines = browser.run("""return Array.from(document.querySelectorAll("#tip text"))
        .map(t => t.textContent)""")
    check("tooltip: name", lines[0], "a")
    check("tooltip: shares", lines[-1], "60 samples · 59.70% of all · 19.90% in itself")
    check("details", text_of(browser, "details"), "Function: a (60 samples, 59.70%)")
    browser.hover(browser.find("#title"))
    check("tooltip goes", browser.run(
        "return document.getElementById('tip').classList.contains('hide')"), True)


def test_hostile_name(browser):
    name = browser.run("""return Array.from(document.querySelectorAll("#frames title"))
        .map(t => t.textContent).find(t => t.includes("evil"))""")
    check("hostile name is text", name, "<evil>&\"']]> (0.50 samples, 0.50%)")


def test_resize(browser):
    browser.call("POST", "/window/rect", {"width": 700, "height": 800})
    wait_for(lambda: browser.run(
        "return parseFloat(document.getElementById('frames').getAttribute('width'))") < 700,
        "frames follow the window")
    print("ok follows the width of the window")


def draw(folder):
    svg = os.path.join(folder, "flame.svg")
    source = os.path.join(folder, "in.folded")
    Path(source).write_text(FOLDED)
    subprocess.run([os.environ["CUPEL"], "flamegraph", "--minwidth", "0.05", "-o", svg, source],
                   check=True)
    return Path(svg).as_uri()


def test_interaction(url):
    browser = Browser()
    try:
        browser.open(url)
        for test in (test_zoom, test_search, test_search_in_zoom, test_tooltip,
                     test_hostile_name, test_resize):
            browser.open("about:blank")
            browser.open(url)
            test(browser)
        check("no errors in the console", browser.messages(), [])
    finally:
        browser.close()


def test_scheme(url, dark):
    browser = Browser(dark=dark)
    try:
        browser.open(url)
        color = browser.run(
            "return getComputedStyle(document.getElementById('background')).fill")
        level = int(color.split("(")[1].split(",")[0])
        check("dark scheme" if dark else "light scheme", level < 64, dark)
    finally:
        browser.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        url = draw(folder)
        test_interaction(url)
        test_scheme(url, False)
        test_scheme(url, True)


main()
