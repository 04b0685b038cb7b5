#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison page in a real browser: widths of either side, colours, new and gone stacks, what
is shown for a frame, the table, other views of the same data, state in the URL, both colour schemes,
scripts off."""
import os
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, check, wait_for  # noqa: E402
from page import (fragment, is_pressed, load, make, press, table, test_each,  # noqa: E402
                  test_schemes)

BEFORE = "app;parse 400\napp;parse;read 600\napp;draw 500\napp;old 500\n"
AFTER = "app;parse 800\napp;parse;read 2400\napp;draw 1180\napp;new 620\n"


def pixel(browser, row, x):
    """Colour at a row from the root and a share of the width; labels are avoided."""
    return browser.run("""const canvas = document.querySelector(".fg-picture canvas");
        const ratio = window.devicePixelRatio, height = canvas.clientHeight;
        const copy = document.createElement("canvas");
        copy.width = copy.height = 1;
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, Math.floor(canvas.clientWidth * arguments[1]) * ratio,
            Math.floor((height - arguments[0] * 16 - 2.5) * ratio), 1, 1, 0, 0, 1, 1);
        return Array.from(context.getImageData(0, 0, 1, 1).data).slice(0, 3)""", row, x)


def tip(browser, row, x):
    return browser.run("""const place = document.querySelector(".fg-picture canvas")
            .getBoundingClientRect();
        const event = { bubbles: true, clientX: place.left + place.width * arguments[1],
            clientY: place.bottom - arguments[0] * 16 - 8 };
        document.querySelector(".fg-picture").dispatchEvent(new MouseEvent("mousemove", event));
        return document.getElementById("tip").hidden ? [] :
            Array.from(document.getElementById("tip").children).map(e => e.textContent)""", row, x)


def is_red(color):
    return color[0] > color[2] + 40


def is_grey(color):
    return max(color) - min(color) < 5 and min(color) > 200


def is_blue(color):
    return color[2] > color[0] + 40


def test_widths(browser):
    # Both: draw, new, old, parse: .25, .124, .25, .48 + .2 of 1.304
    check("both: what is gone is there", tip(browser, 2, 0.40)[0], "old")
    check("both: what is new is there", tip(browser, 2, 0.25)[0], "new")
    press(browser, "df-before")
    check("before: nothing is new", [tip(browser, 2, x)[0] for x in (0.1, 0.3, 0.6)],
          ["draw", "old", "parse"])
    press(browser, "df-after")
    check("after: nothing is gone", [tip(browser, 2, x)[0] for x in (0.1, 0.3, 0.6)],
          ["draw", "new", "parse"])
    check("in the URL", fragment(browser), "show=after")
    browser.keys("u")
    browser.keys("u")
    check("undone", tip(browser, 2, 0.40)[0], "old")
    check("pressed", is_pressed(browser, "df-union"), True)


def test_colours(browser):
    wait_for(lambda: is_red(pixel(browser, 2, 0.25)), "new is red")
    check("gone is blue", is_blue(pixel(browser, 2, 0.45)), True)
    check("what may be chance is grey", is_grey(pixel(browser, 2, 0.15)), True)
    check("parse with what it called is red", is_red(pixel(browser, 2, 0.95)), True)
    press(browser, "df-self")
    check("parse itself is blue", is_blue(pixel(browser, 2, 0.95)), True)
    check("read itself is red", is_red(pixel(browser, 3, 0.60)), True)
    press(browser, "df-total")


def test_told(browser):
    lines = tip(browser, 2, 0.95)
    check("told: shares", lines[1], "before 50.00% → after 64.00% · ×1.28")
    check("told: interval", lines[2].startswith("including callees: +14.00 points [+11."), True)
    check("told: itself", lines[3].startswith("itself: before 20.00% → after 16.00%: −4.00"), True)
    check("told: gone", tip(browser, 2, 0.40)[1], "before 25.00% → after 0.00% · gone")
    check("told: chance", tip(browser, 2, 0.1)[2].endswith("may be chance"), True)


def test_table(browser):
    press(browser, "fg-table")
    rows = table(browser)
    check("the largest change first", rows[0], ["old", "25.00%", "0.00%", "−25.00"])
    check("chance is marked", [r[3] for r in rows if r[0] == "draw"], ["−1.40 ~"])
    browser.keys("t")


def test_too_few(url):
    """Rare frames have no verdict."""
    browser = Browser(1220, 700)
    try:
        load(browser, url)
        fills = {b["name"]: b["fill"] for b in browser.run("return cupel.view.boxes()")}
        check("rare is paler than chance", [fills["rare"], fills["common"]], ["#ebebe9", "#d4d4d2"])
        check("and hatched", hatched(browser), True)
        check("no errors", browser.messages(), [])
    finally:
        browser.close()


def hatched(browser):
    """In a picture by a pattern; on a canvas the frame's pixels are not all one colour."""
    if browser.run("return !!document.getElementById('rare')"):
        return browser.run("""const at = cupel.view.boxes().findIndex(b => b.name === "rare");
            const box = document.querySelectorAll("#frames > g")[at];
            return getComputedStyle(box.querySelector("rect")).fill.includes("#rare")""")
    return browser.run("""const canvas = document.querySelector("canvas"), ratio = devicePixelRatio;
        const box = cupel.view.boxes().find(b => b.name === "rare");
        const y = box.place.y - canvas.getBoundingClientRect().top - 14;
        const pixels = canvas.getContext("2d").getImageData(Math.ceil(box.left * ratio),
            Math.round(y * ratio), 4, 10).data;
        return new Set(pixels).size > 2 && pixels[3] === 255""")


def test_other_views(browser):
    browser.keys("r")
    names = {tip(browser, 1, (i + 0.5) / 40)[0] for i in range(40)}
    check("leaf first", names, {"draw", "new", "old", "parse", "read"})
    lines = tip(browser, 1, 0.1)
    check("tested in this view", lines[-1].startswith("tested in this view"), True)
    browser.keys("r")


def test_link(browser):
    load(browser, browser.url() + "#zoom=app;parse&show=before&by=self")
    check("a link restores widths and colours",
          [is_pressed(browser, i) for i in ("df-before", "df-self")], [True, True])
    check("and the zoom", tip(browser, 2, 0.95)[0], "parse")


def test_svg(url):
    browser = Browser()
    try:
        load(browser, url)
        check("picture: buttons", is_pressed(browser, "df-union"), True)
        labels = """return Array.from(document.querySelectorAll("#frames text"))
            .map(t => t.textContent)"""
        check("picture: both sides", {"× old", "+ new"} <= set(browser.run(labels)), True)
        press(browser, "df-before")
        check("picture: before", "+ new" in browser.run(labels), False)
        check("picture: state in the URL", fragment(browser), "show=before")
        browser.keys("r")
        check("picture: leaf first", "parse" in browser.run(labels), True)
        check("picture: no errors", browser.messages(), [])
    finally:
        browser.close()
    browser = Browser(scripts=False)
    try:
        browser.open(url)
        titles = browser.call("POST", "/elements", {"using": "css selector",
                                                    "value": "#frames title"})
        check("picture without scripts: all frames", len(titles), 8)
    finally:
        browser.close()


def test_without_scripts(url):
    browser = Browser(scripts=False)
    try:
        browser.open(url)
        text = browser.call("GET", "/element/%s/text" % browser.find("noscript"))
        check("without scripts there is the table", "+14.00 [" in text and "parse" in text, True)
    finally:
        browser.close()


def test_small_window(url):
    """The root is visible, although buttons take room after the first drawing."""
    browser = Browser(1000, 480)
    try:
        load(browser, url)
        root, bottom = browser.run("""return [cupel.view.boxes()[0].place.y,
            document.querySelector(".fg-picture").getBoundingClientRect().bottom]""")
        check("small window: the root is in sight (%d of %d)" % (root, bottom), root <= bottom + 1,
              True)
        browser.run("cupel.view.setOwn('show', 'before')")
        check("no errors", browser.messages(), [])
    finally:
        browser.close()


def test_around(browser):
    """A function of a comparison between callers and callees."""
    wide = "return cupel.view.boxes().map(b => [b.row, b.name, Math.round(b.width)])"
    load(browser, browser.url().split("#")[0] + "#sandwich=parse")
    rows = browser.run(wide)
    middle = [r for r in rows if r[1].endswith("parse")]
    check("around: the function is as wide as the picture", middle[0][2],
          max(r[2] for r in rows))
    check("around: callers fit", [r for r in rows if r[0] < middle[0][0] and r[2] > middle[0][2] + 1],
          [])


def test_titles(path):
    root = ElementTree.parse(path).getroot()
    titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    check("picture: a removed stack is reported",
          [t.split(")")[0] for t in titles if t.startswith("old ")], ["old (0 samples, 0.00%; -24.94%"])
    check("picture: hostile name is text", any("<evil>&\"']]>" in t for t in titles), True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        url = make(folder, "diff.html", "diff", "before", "after", before=BEFORE, after=AFTER)
        text = Path(folder, "diff.html").read_text()
        check("nothing from outside", "http:" in text.replace("http://www.w3.org", ""), False)
        test_each(url, (test_widths, test_colours, test_told, test_table, test_other_views,
                        test_link, test_around), 1220, 700)
        test_schemes(url)
        test_without_scripts(url)
        deep = ";".join("f%d" % i for i in range(40))
        test_small_window(make(folder, "deep.html", "diff", "before", "after",
                               before="app;%s;a 50\napp;%s;b 50\n" % (deep, deep),
                               after="app;%s;a 90\napp;%s;b 10\n" % (deep, deep)))
        for name in ("few.html", "few.svg"):
            test_too_few(make(folder, name, "diff", "before", "after",
                              before="app;common 500\napp;other 490\napp;rare 3\n",
                              after="app;common 505\napp;other 485\napp;rare 4\n"))
        check("rare is pale in the picture itself", 'rgb(235,235,233)' in
              Path(folder, "few.svg").read_text(), True)
        url = make(folder, "diff.svg", "diff", "before", "after",
                   before=BEFORE + "app;<evil>&\"']]> 5\n", after=AFTER)
        test_titles(os.path.join(folder, "diff.svg"))
        test_svg(url)


main()
