# SPDX-License-Identifier: GPL-2.0-or-later
"""Hostile names in every command and every format. For all names (with escape sequences, newlines, tabs,
C1 controls, bytes that are not UTF-8) the output is UTF-8 without control characters, and no name
starts a line or a column. Commands and formats are taken from `cupel help` and `cupel convert --list`,
so new ones are tested without a change here.
Usage: hostile_names.py CUPEL FOLDER WHAT. WHAT is `files` for reading commands and all formats, or
`programs` for commands that watch programs."""
import concurrent.futures
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys

from perf_data_bytes import *  # noqa: F403 the vocabulary of this file

CUPEL, FOLDER, WHAT = sys.argv[1:4]
SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "seeds")
SECONDS = 120
HANDMADE = 6 # inputs of recordings(), which are first
# The plain build tests each seed in every command and format. Under the sanitizers each command and
# format gets some of the seeds, which suffices for memory errors.
STRIDE = 16 if b"__asan_init" in open(CUPEL, "rb").read() else 1
# parts of names; their words identify them in the output
HOSTILE = (b"\x1b]0;owned\x07\nFORGED\tFORGED\x1b[31m\xc2\x9b2J\x9b\xff\xe2\x80\xae\r\x7f"
           b"\xed\xa0\x80\xc0\x80")
FORGED = re.compile(r"(?:^|\t)FORGED", re.M)
CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
failures = []
printed = set()


def fail(what, why):
    if len(failures) < 40:
        print("FAIL: %s: %s" % (what, why))
    failures.append(what)


def check(what, data):
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return fail(what, "not UTF-8: %r" % data[max(0, error.start - 60):error.end + 20])
    for pattern, why in ((CONTROL, "control character"), (FORGED, "forged line or column")):
        found = pattern.search(text)
        if found:
            fail(what, "%s: %r" % (why, text[max(0, found.start() - 60):found.end() + 20]))


def run(words, recording=False):
    try:
        done = subprocess.run([CUPEL, *words], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return fail(words, "more than %d s" % SECONDS) or b""
    if done.returncode not in (0, 1) and done.returncode != 7:
        fail(words, "status %s: %s" % (done.returncode, done.stderr[-1000:].decode("latin1")))
    if not recording and not done.stdout.startswith(b"\x1f\x8b"):
        check(words, done.stdout)
    check([*words, "2>"], done.stderr)
    if re.search(b"owned|FORGED", done.stdout):
        printed.add(words[0])
    return done.stdout


def registry():
    """Every command and subcommand with its usage line and its help."""
    def listed(words):
        text = subprocess.run([CUPEL, *words], capture_output=True, check=True, text=True).stdout
        return re.findall(r"^  ([a-z][-a-z]*) {2,}\S", text, re.M)

    for name in listed(["help"]):
        sub = listed([name, "--help"]) if name == "sched" else []
        for words in [[name, s] for s in sub] or [[name]]:
            text = subprocess.run([CUPEL, *words, "--help"], capture_output=True, check=True,
                                  text=True).stdout
            yield words, text.splitlines()[0], text


def formats():
    """The lines of `convert --list`: name, r or w or both, …"""
    text = subprocess.run([CUPEL, "convert", "--list"], capture_output=True, check=True,
                          text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return [row[0] for row in rows if len(row) > 1 and re.fullmatch("r?-?w", row[1])]


def recordings():
    """Names in every field of perf.data that can hold one."""
    w = Writer()
    for bad in (HOSTILE, b"x" + HOSTILE, HOSTILE[:15]):
        b = [w.comm(7, 7, bad, True), w.mmap(7, 0x400000, 0x10000, b"/dir/" + bad),
             w.mmap(7, 0x500000, 0x10000, b"/" + bad + b"/" + bad),
             w.mmap(7, 0x600000, 0x10000, b"//anon" + bad),
             w.mmap(2**32 - 1, 2**64 - 2**22, 2**20, b"[" + bad + b"]", 0, KERNEL),
             w.record(17, w.pack("QIHH", 2**64 - 2**20, 4096, 1, 0) + padded(bad) + w.trailer(0, 0)),
             w.record(19, w.pack("Q", 5) + padded(b"/" + bad) + w.trailer(0, 0)),
             *[w.sample(7, ip, [2**64 - 128, 2**64 - 2**20 + i, 2**64 - 2**22 + 16, USER_CHAIN, ip,
                                0x400020]) for i in range(9)
               for ip in (0x400010, 0x500010, 0x600010)], w.sample(8, 0x1)]
        desc = w.pack("II", 1, 128) + w.attr() + w.pack("I", 0) + w.string(bad)
        strings = {bit: w.string(bad) for bit in (3, 4, 5, 6, 8, 9)}
        build_ids = w.record(0, w.pack("I", 7) + b"\x01" * 24 + padded(b"/dir/" + bad))
        yield w.file(b, features={**strings, 2: build_ids, 12: desc,
                                  11: w.pack("I", 3) + w.string(bad) * 3})
        yield w.pipe(b)


def renamed(data, keep):
    """Replaces every string of a binary recording by one of the same length."""
    def hostile(match):
        if re.search(keep, match.group()):
            return match.group()
        return (b"a" + HOSTILE * 9)[:len(match.group())]
    return re.sub(rb"[\w/.:()@ -]{6,}(?=\0)", hostile, data)


def seeds():
    """Recordings of the corpus with hostile names, and texts with hostile bytes."""
    for path in sorted(glob.glob(SEEDS + "/sched/*") + glob.glob(SEEDS + "/perf_data/tra*")
                       + glob.glob(SEEDS + "/perf_data/*")[:12]):
        with open(path, "rb") as file:
            data = file.read()
        for keep in (rb"sched:|^tracing|^header|^/", rb"^tracing|^header"):
            yield renamed(data, keep)
    for folder in ("text_profile", "json_profile", "perf_script", "folded", "picture", "pprof",
                   "schedstat", "context"):
        for path in sorted(glob.glob(os.path.join(SEEDS, folder, "*"))):
            with open(path, "rb") as file:
                data = file.read()
            for bad in (b"\x1b[31m\x9b\xc2\x9b", b"\\u001b\\n\\tFORGED\\u009b"):
                yield re.sub(rb"(?<=[a-z]{2})(?=[a-z_]{2}[^\w:=-])", lambda _, bad=bad: bad, data)
    yield b"main;" + HOSTILE.replace(b"\n", b"") + b" 5\nmain;b 7\n"


def files():
    made = []
    for data in [*recordings(), *seeds()]:
        path = os.path.join(FOLDER, "in%d" % len(made))
        with open(path, "wb") as file:
            file.write(data)
        made.append(path)
    return made


def some(inputs, turn):
    """The generated inputs, and every STRIDE-th seed, other ones each turn."""
    return inputs[:HANDMADE] + inputs[HANDMADE + turn % STRIDE::STRIDE]


def readers(found, inputs):
    """Commands that read a file, selected by their usage lines."""
    options = {"report": [["--stdio"], ["--stdio", "-s", "comm,dso,sym,srcline,parent"], ["--json"],
                          ["--header", "-I"], ["--stdio", "-g", "folded"]],
               "script": [["--header", "-I", "--show-task-events", "--show-mmap-events"],
                          ["-F", "+srcline,+trace,+misc"]],
               "evlist": [["-v"], ["--trace-fields"]], "collapse": [["--all", "--pid"]],
               "flamegraph": [["-o", "-"], ["-o", "-", "--find", "FORGED"]],
               "diff": [["--json"], []], "timechart": [["-o", "-"]], "heatmap": [["-o", "-"]]}
    for turn, (words, usage, text) in enumerate(found):
        if words[-1] in ("record", "replay") or words == ["convert"] or "INPUT" not in usage and "FILE" not in usage \
                and "BEFORE" not in usage and not re.search(r"^ *(-i, )?--input", text, re.M):
            continue
        for i, more in enumerate(options.get(words[-1], [[]])):
            # further output modes print the same names, so they get the generated inputs only
            for path in some(inputs, turn) if i == 0 else inputs[:HANDMADE]:
                if re.search(r"^ *(-i, )?--input", text, re.M):
                    run([*words, *more, "-i", path], recording=words == ["inject"])
                elif "BEFORE" in usage or "FILE FILE" in usage:
                    run([*words, *more, path, inputs[0]])
                else:
                    run([*words, *more, path])


def every_format(inputs):
    for turn, name in enumerate(formats()):
        for path in some(inputs, turn):
            out = run(["convert", "--format", name, path])
            if not out:
                continue
            again = os.path.join(FOLDER, "again")
            with open(again, "wb") as file:
                file.write(out)
            run(["report", "--stdio", "-i", again])
            run(["collapse", again])


def watchers(found, program):
    """Commands that watch programs: a process with a hostile name, and files with such names."""
    if os.geteuid() != 0:
        return
    # what a command must be given, by its usage
    needed = {" PROBE...": ["c:getpid"], " FUNCTION...": ["c:getpid"],
              " -C SPEC": ["-C", "c:getpid():int:$retval"]}
    busy = subprocess.Popen([program])
    several = concurrent.futures.ThreadPoolExecutor(4)  # they mostly wait
    runs = []
    try:
        for words, usage, text in found:
            if "--input" in text and "program arguments" not in usage or words[0] == "help":
                continue
            if words == ["timechart"] or words == ["sched", "timechart"]:
                words = [*words, "record"]
            if words == ["mem"]:
                words = ["mem", "--stalls"]
            for mark, more in needed.items():
                words = [*words, *(more if mark in usage else [])]
            if "program arguments" in usage and words[-1] != "stats":
                out = ["-o", "-"] if words == ["flamegraph"] else \
                    ["-o", os.path.join(FOLDER, "watched-" + "-".join(words))] \
                    if words[-1] == "record" else []
                runs.append(several.submit(run, [*words, *out, "--", program, "1"],
                                           recording=words[-1] == "record"))
            elif words[-1] in ("tcpconnect", "tcpretrans"):
                runs.append(several.submit(run, [*words, "--duration", "1s"]))
                runs.append(several.submit(run, [*words, "-c", "1", "1"]))
            elif "interval" in usage:
                runs.append(several.submit(run, [*words, "1", "1"]))
            elif "--duration" in text:
                runs.append(several.submit(run, [*words, "--duration", "1s"]))
            elif words[-1] in ("version", "stats"):
                runs.append(several.submit(run, [*words, "record", "--", program, "1"]
                                           if words[-1] == "stats" else words))
        for one in runs:
            one.result()
    finally:
        several.shutdown()
        busy.kill()
        busy.wait()


def hostile_program():
    """A program that works and waits; its file and its threads have hostile names."""
    path = os.path.join(FOLDER, "bin\x1b[31m\nFORGED\t\x9b\udcff")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write("#!" + shutil.which("python3") + r"""
import ctypes, sys, threading, time
end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 1000)
def work():
    ctypes.CDLL(None).prctl(15, b"\nFORGED\t\x1b[3\xc2\x9b\xff", 0, 0, 0)
    while time.monotonic() < end:
        sum(range(20000))
        time.sleep(0.001)
threading.Thread(target=work).start()
work()
""")
    os.chmod(path, 0o755)
    return path


def main():
    found = list(registry())
    if WHAT == "programs":
        ctypes.CDLL(None).prctl(15, HOSTILE[:15], 0, 0, 0)
        watchers(found, hostile_program())
        show = {"flamegraph", "offcputime", "wall"}
    else:
        inputs = files()
        readers(found, inputs)
        every_format(inputs)
        print("%d formats, %d inputs" % (len(formats()), len(inputs)))
        show = {"report", "script", "collapse", "convert", "flamegraph", "buildid-list", "sched"}
    # a check of the test: these commands must have shown a hostile name
    for name in sorted(show - printed):
        fail(name, "no hostile name was shown")
    print("%d commands: %d failures, shown by %s" % (len(found), len(failures), sorted(printed)))
    sys.exit(1 if failures else 0)


main()
