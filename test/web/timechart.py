#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages on a time axis in a real browser: the time chart of a small recording. Back and Forward, links
to what is not there, invalid searches, tooltips within the window, print, the document's title."""
import base64
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, check, wait_for  # noqa: E402
from page import fragment, load, make, press, text_of  # noqa: E402

RECORDING = Path(__file__).parents[1] / "fuzz/seeds/sched/plain"


def rows(browser):
    return browser.run("return cupel.page.lanes.map(lane => lane.name)")


def span(browser):
    return browser.run("return (cupel.page.view.to - cupel.page.view.from) / cupel.page.model.end")


def choose(browser, by):
    browser.run("""const menu = document.getElementById("by");
        menu.value = arguments[0];
        menu.dispatchEvent(new Event("change"))""", by)


def find(browser, text):
    browser.run("""const input = document.getElementById("find");
        input.value = arguments[0];
        input.dispatchEvent(new Event("input"))""", text)


def notice(browser):
    return browser.run("""const notice = document.getElementById("notice");
        return notice.hidden ? "" : notice.textContent""")


def test_title(browser, url):
    load(browser, url)
    title = browser.run("return document.title")
    check("the document's title: command, kind", title.split(" · ")[:2],
          [browser.run("return cupel.page.model.title"), "time chart"])
    check("a row for CPUs and threads", len(rows(browser)) > 1, True)


def test_history(browser, url):
    load(browser, url)
    everything = rows(browser)
    browser.run("cupel.page.show(0, cupel.page.model.end / 2, 'time')")
    choose(browser, "all")
    browser.run("""for (const button of document.querySelectorAll("#legend button"))
        if (button.textContent.startsWith("running")) button.click()""")
    check("all of it is in the address", [part.split("=")[0] for part in
                                          fragment(browser).split("&")], ["to", "by", "toggled"])
    link = browser.url()
    browser.run("history.back()")
    wait_for(lambda: "toggled" not in fragment(browser), "Back shows the kind again")
    check("its switch, too", browser.run("""return Array.from(document.querySelectorAll(
        "#legend button")).find(b => b.textContent.startsWith("running")).ariaPressed"""), "true")
    browser.run("history.back()")
    wait_for(lambda: rows(browser) == everything, "Back shows all rows")
    check("in the part of the time", span(browser), 0.5)
    browser.run("history.back()")
    wait_for(lambda: span(browser) == 1, "Back shows all time")
    browser.run("history.forward()")
    wait_for(lambda: span(browser) == 0.5, "Forward the part")
    load(browser, link)
    check("a link restores it", [browser.run("return document.getElementById('by').value"),
                                 round(span(browser), 3)], ["all", 0.5])
    for letter in ("n", "no", "non"):
        find(browser, letter)
    browser.run("history.back()")
    wait_for(lambda: browser.run("return cupel.page.filter") == "", "one step for a word")


def test_notices(browser, url):
    load(browser, url)
    check("nothing to say", notice(browser), "")
    name = rows(browser)[-1].split(":")[0]
    find(browser, "^" + name)
    check("rows are filtered by an expression", {row.split(":")[0] for row in rows(browser)}, {name})
    find(browser, "a(")
    check("an invalid one", notice(browser).split(" · ")[0],
          "“a(” is no regular expression: searched for as plain text")
    load(browser, url + "#from=900&to=901&by=gone&toggled=nothing")
    for word in ("gone", "nothing", "900–901 s"):
        check("the link names " + word, word in notice(browser), True)
    check("and shows the rest", span(browser), 1)
    press(browser, "all")
    check("until something is done", notice(browser), "")


def test_tooltip(browser, url):
    load(browser, url)
    box = browser.run("""const box = document.getElementById("lanes").getBoundingClientRect();
        return [box.right, Math.min(box.bottom, innerHeight)]""")
    browser.pointer_at(box[0] - 3, box[1] - 8)
    inside = browser.run("""const tip = document.getElementById("tip"),
        box = tip.getBoundingClientRect(); return [tip.hidden, box.left >= 0 && box.top >= 0 &&
        box.right <= innerWidth && box.bottom <= innerHeight]""")
    check("the tooltip of the last corner is in the window", inside, [False, True])


def test_print(browser, url, dark):
    load(browser, url)
    browser.run("""window.paper = []; addEventListener("beforeprint", () => {
        const style = getComputedStyle(document.documentElement);
        window.paper.push(style.getPropertyValue("--ink").trim(), cupel.page.pageWidth()) })""")
    pages = base64.b64decode(browser.call("POST", "/print", {"orientation": "landscape"}))
    check("print: one page", pages.count(b"/Type /Page\n"), 1)
    check("dark on light, as wide as paper", browser.run("return window.paper"), ["#000", 1040])
    check("afterwards as before", [browser.run("return cupel.page.pageWidth() === innerWidth"),
                                   browser.run("return getComputedStyle(document.documentElement)"
                                               ".getPropertyValue('--ink').trim()") == "#1d1d1f"],
          [True, not dark])


def test_svg(browser, folder, dark):
    make(folder, "chart.svg", "timechart", "-i", str(RECORDING))
    browser.open(Path(folder, "chart.svg").as_uri())
    title, texts = browser.run("""return [document.title, Array.from(
        document.querySelectorAll("text"), text => text.textContent)]""")
    check("a picture has a title, too", title, texts[0] + ("" if texts[0] == "Time chart" else
                                                          " · time chart"))
    colors = browser.run("""return ["rect", "text"].map(name => Math.min(...getComputedStyle(
        document.querySelector("svg > " + name)).fill.match(/\\d+/g).map(Number)) > 128)""")
    check("light on dark where the reader wants it", colors, [not dark, dark])


def main():
    with tempfile.TemporaryDirectory() as folder:
        url = make(folder, "chart.html", "timechart", "-i", str(RECORDING))
        for dark in (False, True):
            browser = Browser(500, 600, dark=dark) if dark else Browser()
            try:
                tests = (test_tooltip,) if dark else (test_title, test_history, test_notices,
                                                      test_tooltip)
                for test in tests:
                    test(browser, url)
                test_print(browser, url, dark)
                test_svg(browser, folder, dark)
                check("no errors in the console", browser.messages(), [])
            finally:
                browser.close()


main()
