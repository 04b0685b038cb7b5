# SPDX-License-Identifier: GPL-2.0-or-later
"""Binaries, perf maps and jitdumps with invalid contents, of other file types, or that shrink during
reading.
Usage: hostile_modules.py CUPEL FOLDER"""
import os
import random
import resource
import struct
import subprocess
import sys
import time

from perf_data_bytes import *  # noqa: F403 the vocabulary of this file

CUPEL, FOLDER = sys.argv[1:3]
SANITIZED = b"__asan_init" in open(CUPEL, "rb").read()
SECONDS = 60 if SANITIZED else 20
MUTATIONS = 60 if SANITIZED else 120
failures = 0


def fail(name, why):
    global failures
    failures += 1
    print("FAIL: %s: %s" % (name, why))


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def cupel(name, *command):
    """The output of cupel, which must end with status 0."""
    began = time.monotonic()
    try:
        done = subprocess.run([CUPEL, *command], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False, timeout=SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return fail(name, "more than %d s" % SECONDS) or b""
    if done.returncode != 0:
        fail(name, "status %d: %s" % (done.returncode, done.stderr[-3000:].decode("latin1")))
    if time.monotonic() - began > SECONDS / 2:
        print("slow: %s: %.1f s" % (name, time.monotonic() - began))
    if any(c < 32 and c not in (9, 10) for c in done.stdout):
        fail(name, "control bytes")
    return done.stdout


def path(*parts):
    return os.path.join(FOLDER, *parts)


def put(where, data):
    with open(where, "wb") as file:
        file.write(data)


def recording(size, pid=7, at=0x10000000, name="/bin/prog", samples=400):
    """Samples all over a file of `size` bytes, mapped as a whole."""
    w = Writer()
    step = max(1, size // samples)
    places = [at + i * step for i in range(samples)]
    put(path("perf.data"), w.file([
        w.comm(pid, pid, "prog", True), w.mmap(pid, at, size + 4096, name),
        *[w.sample(pid, p, [USER_CHAIN, p, places[i // 2] + 1]) for i, p in enumerate(places)],
        w.round()]))


def look(name):
    cupel(name, "report", "--stdio", "-g", "caller", "-s", "sym,srcline", "-i", path("perf.data"),
          "--symfs", path("root"))
    return cupel(name, "script", "-i", path("perf.data"), "--symfs", path("root"))


def build(source, *flags):
    out = path("built")
    subprocess.run(["cc", "-x", "c", "-o", out, *flags, "-"], input=source, check=True)
    with open(out, "rb") as file:
        return file.read()


SOURCE = b"""
static inline __attribute__((always_inline)) int in(int x) { return x * x + 3; }
int one(int x) { return in(x) + 1; }
int two(int x) { return one(x) + in(x); }
int main(int argc, char **argv) { (void)argv; return two(argc); }
"""


def damaged_binaries():
    rng = random.Random(2)
    for flags in (["-g", "-O1"], ["-g3", "-O2", "-gdwarf-4", "-gz"], ["-O2", "-s"], ["-c", "-g"]):
        elf = build(SOURCE, *flags)
        recording(len(elf))
        for i in range(MUTATIONS):
            copy = bytearray(elf)
            if i % 4 == 0:
                del copy[rng.randrange(len(copy)):]
            spans = [(0, 64), (64, 800), (max(0, len(copy) - 2600), len(copy)), (0, len(copy))]
            for _ in range(rng.choice((1, 3, 40)) if copy else 0):
                low, high = spans[i % 4 if i % 4 else 3]
                at = rng.randrange(min(low, len(copy) - 1), min(high, len(copy)))
                width = rng.choice((1, 4, 8))
                copy[at:at + width] = rng.choice((bytes(width), b"\xff" * width, b"\x7f" * width,
                                                  rng.randbytes(width)))[:len(copy) - at]
            put(path("root/bin/prog"), bytes(copy))
            look("%s, mutation %d" % (" ".join(flags), i))


def long_name():
    source = SOURCE + b"int " + b"x" * 1000 + b"(void) { return 1; }\n"
    elf = bytearray(build(source, "-O1"))
    at = elf.rindex(b"x" * 1000)
    # the string table of the symbols moves to the end and holds one name of 100 MB
    head = struct.unpack_from("<Q", elf, 40)[0]
    for i in range(struct.unpack_from("<H", elf, 60)[0]):
        offset, size = struct.unpack_from("<QQ", elf, head + i * 64 + 24)
        if offset <= at < offset + size:
            struct.pack_into("<QQ", elf, head + i * 64 + 24, len(elf), at - offset + 100000000)
            elf += elf[offset:at] + b"y" * 99999999 + b"\0"
            break
    put(path("root/bin/prog"), bytes(elf))
    recording(16384, samples=8000)
    if b"yyyyyyyy" not in cupel("a name of 100 MB", "report", "-g", "none", "-s", "sym", "-i",
                                path("perf.data"), "--symfs", path("root")):
        fail("a name of 100 MB", "is not shown")
    os.truncate(path("root/bin/prog"), 0)


def no_files():
    where = path("root/bin/prog")
    recording(10000)

    def instead(name, make):
        if os.path.lexists(where):
            os.remove(where)
        make()
        look(name)
    instead("a FIFO", lambda: os.mkfifo(where))
    instead("a symbolic link to itself", lambda: os.symlink("prog", where))
    instead("a symbolic link to /dev/zero", lambda: os.symlink("/dev/zero", where))
    instead("a symbolic link to /proc/kmsg", lambda: os.symlink("/proc/kmsg", where))
    instead("a folder", lambda: os.mkdir(where))
    os.rmdir(where)
    for command in (["report"], ["script", "-F", "ip"], ["evlist"], ["flamegraph"]):
        for kind in ("folder", "loop"):
            name = "%s of a %s" % (command[0], kind)
            if kind == "folder":
                os.makedirs(path("dir"), exist_ok=True)
                if not os.path.exists(path("dir/data")):
                    os.mkfifo(path("dir/data"))
            elif not os.path.lexists(path("loop")):
                os.symlink("loop", path("loop"))
            target = path("dir" if kind == "folder" else "loop")
            args = command + ([target] if command[0] == "flamegraph" else ["-i", target])
            try:
                done = subprocess.run([CUPEL, *args], stdin=subprocess.DEVNULL, check=False,
                                      capture_output=True, timeout=SECONDS)
                if done.returncode != 1 or not done.stderr.startswith(b"cupel: "):
                    fail(name, "status %d: %s" % (done.returncode, done.stderr))
            except subprocess.TimeoutExpired:
                fail(name, "waits for ever")


def anonymous(pid):
    w = Writer()
    put(path("perf.data"), w.file([w.comm(pid, pid, "jit", True), w.mmap(pid, 4096, 2**40, "//anon"),
                                   *[w.sample(pid, 4096 * i) for i in range(1, 60)], w.round()]))


def jit_files():
    pid = 4194303  # above the pid of any process here
    where, dump = path("root/tmp/perf-%d.map" % pid), path("root/tmp/jit-%d.dump" % pid)
    rng = random.Random(3)
    anonymous(pid)
    honest = b"".join(b"%x 1000 f%d\n" % (4096 * i, i) for i in range(1, 99))
    maps = {
        "big": b"".join(b"%x 10 function_%d\n" % (i * 16, i) for i in range(1000000)),
        "garbage": rng.randbytes(3000000),
        "one line of 30 MB": b"1000 1000 " + b"n" * 30000000,
        "NULs and escapes": b"1000 1000 a\0b\n2000 1000 \x1b]0;x\x07\n3000 1000 \r\n" * 3,
        "overlaps": b"".join(b"%x %x o%d\n" % (i, 2**40 - i, i) for i in range(200000)),
        "numbers": b"ffffffffffffffff ffffffffffffffff a\n0 0 b\n-1 5 c\n0x 1 d\n"
                   b"11111111111111111 1 e\n" + honest,
    }
    for name, text in maps.items():
        put(where, text)
        look("perf map: " + name)
    os.remove(where)
    os.mkfifo(where)
    look("perf map: a FIFO")
    os.remove(where)
    head = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, pid, 0, 0)

    def load(i, size=4096, code=8, total=None):
        body = struct.pack("<IIQQQQ", pid, pid, 4096 * i, 4096 * i, size, i) + b"j%d\0" % i
        body += bytes(code)
        return struct.pack("<IIQ", 0, len(body) + 16 if total is None else total, i) + body
    good = head + b"".join(load(i) for i in range(1, 60))
    dumps = {"cut": good[:len(good) // 2 + 5], "no size": head + load(1, total=0) + good[40:],
             "size of 4 GB": head + load(1, total=2**32 - 1) + good[40:],
             "code of 2^63": head + load(1, size=2**63) + good[40:],
             "garbage": head + rng.randbytes(1000000), "empty": b"",
             "lines": head + struct.pack("<IIQQQ", 2, 4096, 0, 4096, 2**63) + bytes(4064) + good[40:]}
    for i in range(MUTATIONS // 4):
        copy = bytearray(good)
        for _ in range(5):
            copy[rng.randrange(len(copy))] = rng.randrange(256)
        dumps["mutation %d" % i] = bytes(copy)
    for name, data in dumps.items():
        put(dump, data)
        look("jitdump: " + name)
    os.remove(dump)


def shrinking(name, victim, to, *command):
    """Truncates the file while cupel waits for its output to be read."""
    process = subprocess.Popen([CUPEL, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(1)
    os.truncate(victim, to)
    out, errors = process.communicate(timeout=SECONDS)
    if process.returncode not in (0, 1):
        fail(name, "status %d: %s" % (process.returncode, errors[-2000:]))
    if b"truncated while it was read" not in errors:
        fail(name, "no warning: %s" % errors[-500:])
    return out


def shrinking_files():
    w = Writer()
    records = [w.comm(7, 7, "prog", True), w.mmap(7, 0x400000, 0x10000, "/bin/prog")]
    for i in range(60):
        records += [w.sample(7, 0x401000 + k % 5, [USER_CHAIN, 0x401000 + k % 5])
                    for k in range(2000)] + [w.round()]
    put(path("perf.data"), w.file(records))
    shrinking("recording", path("perf.data"), 5000, "script", "-i", path("perf.data"), "--symfs",
              path("root"))


for folder in ("root/bin", "root/tmp"):
    os.makedirs(path(folder))
for test in (damaged_binaries, long_name, no_files, jit_files, shrinking_files):
    began = time.monotonic()
    test()
    print("%s: %.0f s" % (test.__name__, time.monotonic() - began))
sys.exit(failures > 0)
