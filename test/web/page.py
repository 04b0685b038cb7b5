# SPDX-License-Identifier: GPL-2.0-or-later
"""Common functions of the tests of pages with a flame graph."""
import os
import subprocess
from pathlib import Path

from browser import Browser, check, wait_ready


def make(folder, name, *words, **inputs):
    """Has the program in $CUPEL write a page from inputs, which are written first by their names;
    gives its address. Words that are names of inputs become their paths."""
    for key, text in inputs.items():
        Path(folder, key).write_text(text)
    output = os.path.join(folder, name)
    words = [os.path.join(folder, word) if word in inputs else word for word in words]
    subprocess.run([os.environ["CUPEL"], words[0], "-o", output, *words[1:]], check=True)
    return Path(output).as_uri()


def load(browser, url):
    """From the beginning, even where only the part behind the # is new."""
    browser.open("about:blank")
    browser.open(url)
    wait_ready(browser)


def press(browser, element):
    browser.run("document.getElementById(arguments[0]).click()", element)


def is_pressed(browser, element):
    return browser.run("return document.getElementById(arguments[0]).getAttribute('aria-pressed')",
                       element) == "true"


def text_of(browser, element):
    return browser.run("return document.getElementById(arguments[0]).textContent", element)


def value_of(browser, element):
    return browser.run("return document.getElementById(arguments[0]).value", element)


def fragment(browser):
    url = browser.url()
    return url.split("#")[1] if "#" in url else ""


def table(browser):
    """The rows of the table of functions in their order."""
    return browser.run("""return Array.from(document.querySelectorAll("#fg-panel tbody tr"), r =>
        Array.from(r.children, c => c.textContent))""")


def test_each(url, tests, width=1220, height=900):
    """Runs every test on the newly opened page, in one browser; then the console must have no errors."""
    browser = Browser(width, height)
    try:
        for test in tests:
            load(browser, url)
            test(browser)
        check("no errors in the console", browser.messages(), [])
    finally:
        browser.close()


def test_schemes(url):
    """Light and dark follow the system."""
    for dark in (False, True):
        browser = Browser(dark=dark)
        try:
            load(browser, url)
            color = browser.run("""const page = document.querySelector("#background");
                const style = getComputedStyle(page || document.body);
                return page ? style.fill : style.backgroundColor""")
            level = int(color.split("(")[1].split(",")[0])
            check("dark scheme" if dark else "light scheme", level < 64, dark)
        finally:
            browser.close()
