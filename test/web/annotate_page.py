#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The page of cupel annotate in a real browser: source beside instructions with the shares of --json,
a click on one side marks the other, arrows outline the loop, and the address names the function."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, wait_for  # noqa: E402

SOURCE = """static unsigned mix(unsigned x)
{
	x ^= x << 13;
	return x ^ x >> 17;
}
__attribute__((noinline)) unsigned hot_loop(unsigned n)
{
	unsigned s = 1;
	for (unsigned i = 0; i < n; i++)
		s = mix(s) + i;
	return s;
}
int main(void)
{
	return hot_loop(300000000) == 1;
}
"""


def check(what, got, want=True):
    if got != want:
        raise AssertionError("%s: %r, not %r" % (what, got, want))
    print("ok", what)


def record(folder):
    cupel = os.environ["CUPEL"]
    Path(folder, "hot.c").write_text(SOURCE)
    subprocess.run(["cc", "-O2", "-g", "-o", "hot", "hot.c"], cwd=folder, check=True)
    subprocess.run([cupel, "record", "-q", "-e", "cpu-clock", "-o", "perf.data", "./hot"],
                   cwd=folder, stderr=subprocess.DEVNULL)
    subprocess.run([cupel, "annotate", "-q", "-o", "code.html", "--skip-missing"], cwd=folder,
                   check=True)
    text = subprocess.run([cupel, "annotate", "--json", "hot_loop"], cwd=folder, check=True,
                          stdout=subprocess.PIPE).stdout
    return json.loads(text)["functions"][0]


def look(browser, folder, function):
    browser.open(Path(folder, "code.html").as_uri() + "#hot_loop")
    wait_for(lambda: browser.run("return !!(window.cupel && window.cupel.page);"), "the page")
    check("the address names the function", browser.run(
        "return document.querySelector('#code h2').textContent.startsWith('hot_loop of ');"))
    rows = browser.run("""return [...document.querySelectorAll("#code tr[data-row]")].map(row =>
        row.querySelector(".an-share").textContent);""")
    total = function["events"][0]["weight"]
    check("instructions have the shares of --json", rows, [
        "%.2f" % (100 * row["counts"][0][1] / total) if row["counts"][0][0] else ""
        for row in function["instructions"]])
    check("the source is there", "x ^= x << 13;" in browser.run(
        "return document.getElementById('source').textContent;"))
    check("inlined code says where it is called", browser.run(
        "return document.getElementById('code').textContent.includes('mix inlined into hot_loop:10');"))
    check("a loop is outlined", browser.run(
        "return document.querySelectorAll('#code path.back').length > 0;"))
    browser.click(browser.find("#source tr[data-line='0:4']"))
    check("a line marks its instructions", browser.run("""
        return [...document.querySelectorAll("#code tr.an-marked")].length > 0 &&
            [...document.querySelectorAll("#code tr.an-marked")].every(row =>
                row.dataset.line === "0:4");"""))
    check("a note explains skid", browser.run(
        "return document.getElementById('notes').textContent.includes('is a suspect too');"))
    # a function that is only inlined is shown where it is
    browser.run("location.hash = '#mix';")
    wait_for(lambda: browser.run(
        "return document.querySelectorAll('#code tr.an-marked').length > 0;"), "marked instructions")
    check("an inlined function is found", browser.run("""return [
        document.querySelector('#code h2').textContent.startsWith('hot_loop of '),
        document.getElementById('notes').textContent.includes('no code of')];"""), [True, False])
    check("no messages of the browser", browser.messages(), [])


def main():
    with tempfile.TemporaryDirectory() as folder:
        function = record(folder)
        browser = Browser()
        try:
            look(browser, folder, function)
        finally:
            browser.close()


main()
