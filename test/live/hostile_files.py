# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings and texts with invalid contents, in every reading command, from a file and from a pipe. In
all cases: exit status 0 or 1, errors of one line, bounded time and memory, no control characters in
the output. Usage: hostile_files.py CUPEL FOLDER"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

from perf_data_bytes import *  # noqa: F403 the vocabulary of this file

CUPEL = sys.argv[1]
SANITIZED = b"__asan_init" in open(CUPEL, "rb").read()
MEMORY = 1 << 30
SECONDS = 60 if SANITIZED else 20


def many(count):
    """A count large enough to show quadratic time in a plain build; a tenth under the sanitizers."""
    return count // 10 if SANITIZED else count


COMMANDS = [
    ["report", "--stdio"],
    ["report", "--stdio", "--no-children", "-g", "fractal,caller", "-s", "comm,pid,dso,sym,srcline"],
    ["report", "--stdio", "-g", "folded", "-T", "-n"],
    ["report", "--json"],
    ["report", "--header-only", "-I"],
    ["report", "--stats"],
    ["script", "--show-task-events", "--show-mmap-events"],
    ["script", "-F", "+srcline,+brstack,+uregs,+iregs,+misc,+tod", "--header", "-I"],
    ["collapse", "--all", "--pid"],
    ["flamegraph", "-o", "-"],
    ["evlist", "-v"],
    ["buildid-list"],
]
failures = 0


def fail(name, command, why):
    global failures
    failures += 1
    print("FAIL: %s: cupel %s: %s" % (name, " ".join(command), why))


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(command, stdin):
    began = time.monotonic()
    try:
        done = subprocess.run([CUPEL] + command, stdin=stdin, capture_output=True, check=False,
                              timeout=SECONDS, preexec_fn=limit)
        return done.returncode, done.stdout, done.stderr, time.monotonic() - began
    except subprocess.TimeoutExpired:
        return "more than %d s" % SECONDS, b"", b"", SECONDS


def check(name, command, stdin, damaged=False):
    status, out, errors, took = run(command, stdin)
    if took > SECONDS / 4:
        print("slow: %s: %s: %.1f s" % (name, " ".join(command), took))
    if status not in (0, 1):
        return fail(name, command, "status %s: %s" % (status, errors[-3000:].decode("latin1")))
    if status == 1 and not re.fullmatch(rb"(cupel: [^\n]+\n)+", errors):
        fail(name, command, "message %r" % errors[:500])
    if re.search(rb"[^\n\t -~\x80-\xff]", out + errors):
        at = re.search(rb"[^\n\t -~\x80-\xff]", out + errors).start()
        fail(name, command, "control bytes: %r" % (out + errors)[max(0, at - 60):at + 40])
    if status == 0 and damaged and not errors and b"damage" not in out:
        if command[0] in ("report", "script", "collapse", "flamegraph") \
                and "--header-only" not in command:
            fail(name, command, "says nothing about the damage")
    if status == 0 and "--json" in command:
        try:
            json.loads(out)
        except ValueError as error:
            fail(name, command, "json: %s" % error)
    if status == 0 and command[0] == "flamegraph":
        check_svg(name, command, out)
    return out


def check_svg(name, command, svg):
    try:
        root = xml.etree.ElementTree.fromstring(svg)
    except xml.etree.ElementTree.ParseError as error:
        return fail(name, command, "svg: %s" % error)
    if len([e for e in root.iter() if e.tag.endswith("script")]) != 1:
        fail(name, command, "svg: not one script")
    for element in root.iter():
        for key in element.attrib:
            if key.startswith("on") and not re.fullmatch(r"[a-zA-Z_]+\([a-z]*\)", element.get(key)):
                fail(name, command, "svg: %s=%s" % (key, element.get(key)))


def base(w):
    """The valid part of every file."""
    return [w.comm(7, 7, "prog", True), w.mmap(7, 0x400000, 0x10000, "/nonexistent/prog"),
            *[w.sample(7, 0x401000 + i % 3 * 16, [USER_CHAIN, 0x401000 + i % 3 * 16, 0x402000])
              for i in range(30)], w.round()]


def headers(w):
    whole = w.file(base(w))
    far = 2**64 - 8
    yield "honest", whole, False
    for size in (0, 1, 7, 8, 15, 16, 103):
        yield "first %d bytes" % size, whole[:size], False
    for field in ("size", "stride", "attrs_at", "attrs_size", "data", "data_size"):
        for value in (0, 1, 8, 64, 2**31, 2**32 - 1, 2**63, far):
            yield "%s %d" % (field, value), w.file(base(w), **{field: value}), False
    yield "data before the header", w.file(base(w), data=0, data_size=len(whole)), True
    yield "attr_size 0", w.file(base(w), attrs=[w.attr(claimed=0)]), False
    yield "attr_size huge", w.file(base(w), attrs=[w.attr(claimed=2**32 - 1)]), False
    yield "attr of tomorrow", w.file(base(w), attrs=[w.attr(size=512, extra=b"\xee" * 96)]), False
    yield "8000 events", w.file(base(w), attrs=[w.attr(size=64)] * 8000), False
    yield "100000 ids", w.file(base(w), ids=range(100000)), False
    yield "8000 events share 50000 ids", w.file(base(w), attrs=[w.attr(size=64)] * 8000,
                                                ids=range(50000)), False
    yield "unknown sample bits", w.file(base(w), attrs=[
        w.pack("IIQQQQQ", 1, 128, 0, 1000, 2**63 - 1, 2**64 - 1, 2**64 - 1) + b"\xff" * 80]), False


def records(w):
    b = base(w)
    late = w.ns + 10**9
    yield "chain of 2^61", b + [w.sample(7, 1, nr=2**61), *b], True
    yield "chain of 2^64-1", b + [w.sample(7, 1, nr=2**64 - 1), *b], True
    yield "record of 0 bytes", b + [w.record(SAMPLE, b"", size=0), *b], True
    yield "record of 7 bytes", b + [w.record(COMM, b"", size=7), *b], True
    yield "record of 65528 bytes at the end", b + [w.record(COMM, b"", size=65528)], True
    yield "name without end", b + [w.record(COMM, b"x" * 40)], True
    yield "types of tomorrow", b + [w.record(t, bytes(64)) for t in
                                    (0, 23, 24, 63, 87, 255, 256, 2**31, 2**32 - 1)], False
    yield "misc all ones", b + [w.record(t, bytes(104), 0xffff) for t in range(23)], False
    yield "short of every type", b + [w.record(t, bytes(8 * n)) for t in range(1, 90)
                                      for n in range(5) if t not in (TRACING_DATA, AUXTRACE)], False
    yield "times fall", [*b, *[w.sample(7, 0x401000, ns=late - i) for i in range(20000)]], False
    yield "times at the ends", [*b, *[w.sample(7, 0x401000, ns=n) for n in
                                      (0, 1, 2**63, 2**64 - 1, 2**64 - 2, 0, 5)] * 20], False
    yield "periods that wrap", [*b, *[w.sample(7, 0x401000, period=2**64 - 1)] * 9], False
    yield "maps of everything", [w.mmap(7, 0, 2**64 - 1, "/everything"), *b,
                                 w.mmap(7, 2**64 - 16, 4096, "/wraps"),
                                 w.mmap(2**32 - 1, 0, 2**64 - 1, "[kernel.kallsyms]_text", 1,
                                        KERNEL), *b], False
    yield "15000 maps", [w.mmap(7, i * 4096, 4096, "/m%d" % (i % 9))
                         for i in range(many(15000), 0, -1)] + b, False
    yield "forks of a large process", [w.mmap(7, i << 12, 4096, "/m") for i in range(many(8000))] + [
        r for i in range(many(3000)) for r in (w.fork(100 + i, 7), w.mmap(100 + i, 0, 4096, "/n"))] + b, \
        False
    yield "forks of themselves", [w.fork(7, 7) for _ in range(9000)] + b, False
    yield "execs", [w.comm(7, 7, "c%d" % i, True) for i in range(20000)] + b, False
    yield "9000 modules and build ids", [
        r for i in range(many(9000)) for r in (
            w.record(BUILD_ID, w.pack("I", 7) + bytes(24) + padded("/m%d" % i)),
            w.mmap(7, i << 12, 4096, "/m%d" % i))] + b, False
    yield "20000 threads", [w.sample(9 + i, 0x401000) for i in range(20000)] + b, False
    yield "deep chains", [w.sample(7, 1, [USER_CHAIN] + [0x401000 + i * 8 + k for i in range(8000)])
                          for k in range(15)] + b, False
    yield "lost 2^64", b + [w.record(LOST, w.pack("QQ", 1, 2**64 - 1) + w.trailer(7, 7))] * 3, False


def names(w):
    bad = "\x1b]0;owned\x07\x1b[31m\nx 1 2.0: 5 cpu-clock: \r\x7f<script>alert(1)</script>]]>&\"'"
    raw = b"\xff\xfe\xc0\x80\xed\xa0\x80\xc2\x9b31m" + b"y" * 300
    for text in (bad.encode(), raw, b"", b";;; 99", b" ", b"a" * 4000):
        b = [w.comm(7, 7, text), w.mmap(7, 0x400000, 0x10000, b"/" + text),
             w.record(17, w.pack("QIHH", 2**64 - 2**20, 4096, 1, 0) + padded(text)
                      + w.trailer(0, 0)),
             w.record(19, w.pack("Q", 5) + padded(b"/" + text) + w.trailer(0, 0)),
             *[w.sample(7, 0x400010 + i, [2**64 - 128, 2**64 - 2**20 + i, USER_CHAIN, 0x400010 + i])
               for i in range(9)], w.sample(8, 0x1)]
        desc = w.pack("II", 1, 128) + w.attr() + w.pack("I", 0) + w.string(text)
        strings = {bit: w.string(text) for bit in (3, 4, 5, 6, 8, 9)}
        words = w.pack("I", 3) + w.string(text) * 3
        build_ids = w.record(0, w.pack("I", 7) + b"\x01" * 24 + padded(b"/" + text))
        yield "named %r" % text[:12], w.file(b, features={**strings, 2: build_ids, 11: words,
                                                          12: desc}), False


def features(w):
    b = base(w)
    noise = bytes((i * 7 + i // 13) & 255 for i in range(3000))
    for what, text in (("zeros", bytes(64)), ("ones", b"\xff" * 64), ("noise", noise),
                       ("nothing", b""), ("small numbers", w.pack("I", 3) * 60),
                       ("many", w.pack("II", 2**20, 2**31) * 16),
                       ("strings", w.pack("I", 40) + w.string("a") * 40)):
        yield "features of " + what, w.file(b, features={f: text for f in range(2, 40)}), False
    whole = w.file(b, features={f: b"" for f in range(2, 256)})
    at = whole.rindex(w.round()) + 8
    table = w.pack("QQ", 0, len(whole)) * 254
    yield "features are the file", whole[:at] + table, False
    yield "features outside", whole[:at] + w.pack("QQ", 2**63, 2**63) * 254, True
    yield "features cut off", whole[:at + 40], True
    yield "groups", w.file(b, attrs=[w.attr(size=64)] * 3000, features={
        17: w.pack("I", 2**32 - 1) + (w.string("g") + w.pack("II", 0, 2**32 - 1)) * 5000}), False


def pipes(w):
    b = base(w)
    yield "pipe", w.pipe(b), False
    for size in (0, 4, 2**31, 2**32 - 8):
        yield "tracing data of %d" % size, w.pipe(
            [w.record(TRACING_DATA, w.pack("I", size)), *b]), size > 4
    for size in (2**40, 2**63, 2**64 - 8):
        yield "auxtrace of %d" % size, w.pipe(
            b + [w.record(AUXTRACE, w.pack("Q", size) + bytes(40)), *b]), True
    yield "attr after attr", w.pipe([*b, *[w.record(ATTR, w.attr() + w.pack("Q", i))
                                           for i in range(7000)], *b]), False
    yield "pipe without an event", w.pipe(b, attrs=[]), True
    for f in (0, 9, 12, 255, 256, 2**63):
        yield "feature %d of noise" % f, w.pipe(
            [w.record(FEATURE, w.pack("Q", f) + b"\x07\x00\x00\x00" * 40), *b]), False
    yield "renamed", w.pipe([w.record(UPDATE, w.pack("QQ", 2, 1) + padded("n" * 60000)),
                             *b] * 12), False
    yield "garbage unpacked", w.pipe([*b, w.record(COMPRESSED, b"\x28\xb5\x2f\xfd" + bytes(60)),
                                      w.record(COMPRESSED2, w.pack("Q", 2**63) + bytes(60)), *b]), \
        True
    if shutil.which("zstd"):
        yield from bombs(w)


def bombs(w):
    """Compressed records that expand to many times their size."""
    for what, text in (("zeros", bytes(200 << 20)), ("names", w.comm(7, 7, "x") * many(4 << 20))):
        packed = subprocess.run(["zstd", "-3", "-c"], input=text, capture_output=True,
                                check=True).stdout
        chunks = [packed[i:i + 60000] for i in range(0, len(packed), 60000)]
        level = w.pack("IIIII", 1, 1, 3, 99, 2**32 - 1)
        yield "bomb of " + what, w.file(
            base(w) + [w.record(COMPRESSED2, w.pack("Q", len(c)) + c) for c in chunks] * 4,
            features={27: level}), False


def cases():
    w = Writer()
    for name, data, damaged in headers(w):
        yield name, data, damaged
    for name, parts, damaged in records(w):
        yield name, w.file(parts), damaged
        if len(b"".join(parts)) < 100000:
            yield name + ", in a pipe", w.pipe(parts), damaged
    for make in (names, features, pipes):
        yield from make(w)


def every_command(name, data, damaged, path):
    with open(path, "wb") as file:
        file.write(data)
    # the valid and the damaged inputs run in every command, others in one of STRIDE
    for i, command in enumerate(COMMANDS):
        if (i + hash_of(name)) % STRIDE and damaged is False and name != "honest":
            continue
        check(name, on(command, path), subprocess.DEVNULL, damaged)
        if i % 3 == 0:
            with open(path, "rb") as file:
                piped = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL)
                check(name + " from a pipe", on(command, "-"), piped.stdout, damaged)
                piped.stdout.close()
                piped.wait()


def on(command, path):
    return command + ([path] if command[0] in ("collapse", "flamegraph") else ["-i", path])


def hash_of(name):
    return sum(name.encode())


def either_byte_order(folder):
    outputs = []
    for order in "<>":
        w = Writer(order)
        path = os.path.join(folder, "order.data")
        with open(path, "wb") as file:
            file.write(w.file(base(w)))
        outputs.append([check("byte order " + order, on(c, path), subprocess.DEVNULL)
                        for c in COMMANDS[:4] + COMMANDS[6:7] + COMMANDS[8:9]])
    if outputs[0] != outputs[1]:
        print(outputs[0], outputs[1])
        fail("byte order", [], "the two orders are not shown equally")


SAMPLE_LINE = b"prog 7 1.000000: 5 cpu-clock: \n"


def texts():
    """Folded stacks and perf script text."""
    yield "depth 60000", b";".join(b"f%d" % i for i in range(many(60000))) + b" 5\n"
    yield "depth 100000 of one", b";".join([b"f"] * 100000) + b" 5\na;b 4\n"
    yield "300000 frames", b"".join(b"root;f%d %d\n" % (i, i % 7 + 1) for i in range(many(300000)))
    yield "a name of 20 MB", b"a" * 20000000 + b";b 3\nc;d 4\n"
    yield "bytes of all kinds", b"a\0b;c 4\nx;\xff\xfe\x80;y 3\nn\x1b[31m;\xc2\x9b z 9\n" * 9
    yield "counts", (b"a;b 99999999999999999999999\nc;d 18446744073709551615\nx;y -3\nx;z 1e5\n"
                     b"x;w nan\nx;v inf\nx;q 0x10\nx;p .\nx;o 1.2.3\n" + b"g;h 7\n" * 60)
    yield "line ends", b"a;b 4\r\nc;d 5\r\n\r\n\n;;; 4\n; 4\n 3\n" + b"g;h 7\n" * 20
    yield "utf-16", "a;b 4\nc;\u00e4\ud83d\ude00 5\n".encode("utf-16", "surrogatepass")
    yield "markup", (b'a;"><script>alert(1)</script> 5\na;]]></script><script>alert(2)</script> 6\n'
                     b"a;' onload=alert(1) x=' 7\na;&lt;b&gt; \\u0041 4\n")
    yield "a stack of 100000", (SAMPLE_LINE + b"".join(
        b"\t%x f%d+0x1 (/bin/x)\n" % (i + 4096, i) for i in range(many(100000))) + b"\n") * 2
    yield "a symbol of 9 MB", SAMPLE_LINE + b"\t400000 " + b"f" * many(9000000) + b" (/x)\n\n"
    yield "NULs in script", (SAMPLE_LINE + b"\t40000 f\0oo\x1b[2J (/bin/\0x)\n\n") * 4
    yield "cut off in a header", (SAMPLE_LINE + b"\t1 g (/x)\n\n") * 5 + b"prog 7 1.0"


def every_view(name, data, path):
    with open(path, "wb") as file:
        file.write(data)
    for command in COMMANDS[0:2] + COMMANDS[3:4] + COMMANDS[8:10]:
        check(name, on(command, path), subprocess.DEVNULL)


STRIDE = int(os.environ.get("STRIDE", "3"))
either_byte_order(sys.argv[2])
count = 0
for case in cases():
    every_command(*case, os.path.join(sys.argv[2], "hostile.data"))
    count += 1
for case in texts():
    every_view(*case, os.path.join(sys.argv[2], "hostile.text"))
    count += 1
print("%d inputs, %d failures" % (count, failures))
sys.exit(failures > 0)
