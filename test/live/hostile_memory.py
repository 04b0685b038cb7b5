# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures the memory of reading commands. Usage: hostile_memory.py CUPEL FOLDER"""
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import zlib

from perf_data_bytes import USER_CHAIN, Writer

CUPEL, FOLDER = sys.argv[1:3]
SEEDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "seeds")
SECONDS = 20
failures = 0


def fail(name, command, why):
    global failures
    failures += 1
    print("FAIL: %s: cupel %s: %s" % (name, " ".join(command), why))


def run(name, command, *paths, refused=False, done=False):
    """Runs the command and compares its peak memory with the size of its inputs on disk."""
    disk = sum(min(os.stat(path).st_blocks * 512, os.path.getsize(path)) for path in paths)
    with open(os.path.join(FOLDER, "errors"), "w+b") as errors:
        child = subprocess.Popen([CUPEL, *command], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        errors.seek(0)
        said = errors.read()
    peak, most = usage.ru_maxrss << 10, (64 << 20) + 16 * disk
    if peak > most:
        fail(name, command, "%d MB for %d KB" % (peak >> 20, disk >> 10))
    if not os.WIFEXITED(status) or os.WEXITSTATUS(status) not in (0, 1):
        fail(name, command, "status %#x: %s" % (status, said[-500:].decode("latin1")))
    if refused and not (os.WIFEXITED(status) and os.WEXITSTATUS(status) == 1 and
                        re.search(rb"cupel: .*\n(cupel: hint: .*\n)?$", said)):
        fail(name, command, "not refused: %r" % said[-500:])
    if done and os.waitstatus_to_exitcode(status) != 0:
        fail(name, command, "status %#x: %s" % (status, said[-500:].decode("latin1")))
    if usage.ru_utime > SECONDS:
        fail(name, command, "%.0f s" % usage.ru_utime)


def put(name, data):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def packed(make, count):
    """gzip of head, count times the body, and tail, without storing all of it."""
    head, body, tail = make
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = [pack.compress(head)]
    at_once = max(1, 1000000 // len(body))  # what we need counts as our child's, too
    for _ in range(count // at_once):
        data.append(pack.compress(body * at_once))
    return b"".join(data) + pack.compress(tail) + pack.flush()


def bombs():
    speedscope = json.dumps({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "f"}]},
        "profiles": [{"type": "sampled", "name": "x", "unit": "none", "startValue": 0,
                      "endValue": 1, "weights": [1], "samples": ["?"]}]}).encode()
    head, tail = speedscope.split(b'"?"')
    yield "bomb.speedscope.json", packed((head, b"[0],", b"[0]" + tail), 20000000)
    # one line, one string
    yield "bomb.folded", packed((b"main;work 5\n", b"main;" * 1000, b"work 5\n"), 40000)
    # a sample type, then a string of 200,000,000 bytes
    yield "bomb.pb.gz", packed((b"\x0a\x04\x08\x01\x10\x01\x32\x80\x84\xaf\x5f", bytes(1000),
                                b"\x32\x00"), 200000)


def honest_packed():
    """Profiles that repeat themselves: a few stacks, a hundred times as many bytes as on disk."""
    stacks = ["main;" + ";".join("function_%d_%d" % (i % 37, j) for j in range(i % 20 + 3))
              for i in range(1000)]
    lines = "".join(stack + " 1\n" for stack in stacks).encode()
    yield "packed.folded", packed((b"", lines, b""), 1000)
    sample = b"".join(b"\x12\x69\x0a\x64" + bytes(1 + (i + j) % 100 for j in range(100)) +
                      b"\x12\x01\x01" for i in range(100))
    tables = b"".join(b"\x22\x06\x08" + bytes([i]) + b"\x22\x02\x08" + bytes([i])
                      for i in range(1, 101))
    tables += b"".join(b"\x2a\x04\x08" + bytes([i]) + b"\x10\x01" for i in range(1, 101))
    names = b"\x32\x00\x32\x01f\x32\x07samples\x32\x05count"
    yield "packed.pb.gz", packed((b"\x0a\x04\x08\x02\x10\x03", sample, tables + names), 8000)


def honest_json():
    """The same in JSON: 20 MB that a few stacks make, which would take 200 MB as a whole."""
    frames = ",".join('{"name":"function_%d"}' % i for i in range(100)).encode()
    stacks = b"".join(b",[%s]" % b",".join(b"%d" % ((i * 7 + j) % 100) for j in range(i % 30 + 1))
                      for i in range(1000))
    yield "packed.speedscope.json", packed(
        (b'{"shared":{"frames":[' + frames + b']},"profiles":[{"type":"sampled","name":"x",'
         b'"unit":"none","samples":[[0]', stacks, b"]}]}"), 500)
    events = b"".join(b',{"ph":"X","ts":%d,"dur":1,"pid":1,"tid":1,"name":"work","args":{"a":[1,2]}}'
                      % i for i in range(1000))
    yield "packed.trace.json", packed((b'[{"ph":"M"}', events, b"]"), 250)
    nodes = b'{"id":1,"callFrame":{"functionName":"(root)"}}' + b"".join(
        b',{"id":%d,"parent":%d,"callFrame":{"functionName":"f%d"}}' % (i, i // 2, i)
        for i in range(2, 1000))
    ids = b"".join(b",%d" % i for i in range(1, 1000))
    yield "packed.cpuprofile", packed(
        (b'{"nodes":[' + nodes + b'],"startTime":0,"endTime":9,"samples":[1', ids,
         b'],"timeDeltas":[0]}'), 5000)
    yield "packed.firefox.json", packed(
        (b'{"meta":{"preprocessedProfileVersion":50},"libs":[],"threads":[{"stringArray":["f","g"],'
         b'"funcTable":{"name":[0,1]},"frameTable":{"func":[0,1]},"stackTable":{"frame":[0,1],'
         b'"prefix":[null,0]},"samples":{"stack":[0', b",1,0" * 1000, b']}}]}'), 5000)


def renumbered(seed, number):
    """The scheduler recording with other CPU numbers. Its samples: id, ip, pid and tid, time, stream id,
    CPU, …, as its attribute says."""
    with open(os.path.join(SEEDS, "sched", seed), "rb") as file:
        data = bytearray(file.read())
    attrs, = struct.unpack_from("<Q", data, 24)
    at, size = struct.unpack_from("<QQ", data, 40)
    sample_type, = struct.unpack_from("<Q", data, attrs + 24)
    end, changed = at + size, 0
    place = 8 * sum(1 for bit in (1 << 16, 1, 2, 4, 8, 1 << 6, 1 << 9) if sample_type & bit)
    while at + 8 <= end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if length < 8:
            break
        if kind == 9 and length > 8 + place + 4 and sample_type & 1 << 7:
            struct.pack_into("<I", data, at + 8 + place, number(changed))
            changed += 1
        at += length
    if not changed:
        fail(seed, [], "no sample was changed")
    return bytes(data)


def cpu_numbers():
    yield "one far CPU", renumbered("plain", lambda i: 65535 if i == 3 else i % 2)
    yield "all CPUs far", renumbered("plain", lambda i: 65535 - i)
    yield "CPU 2^32", renumbered("plain", lambda i: 2**32 - 1 - i)


def sparse():
    """A sparse recording and a sparse text of 3 GB."""
    for name, head in (("sparse.data", b"PERFILE2" + struct.pack("<Q", 104)), ("sparse", b"a;b 1\n")):
        path = put(name, head + bytes(5000))
        os.truncate(path, 3 << 30)
        yield name, path


def symbols_of_3_gb(path):
    """A program with a symbol table of 3 GB, of which 24 symbols are on disk."""
    table = b"".join(struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x400000 + 16 * i, 16) for i in range(24))
    sections = [(0,) * 10, (0, 2, 0, 0, 4096, 3 << 30, 2, 0, 8, 24), (0, 3, 0, 0, 1024, 3, 0, 0, 1, 0)]
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0x400000, 64, 256, 0, 64, 56,
                       1, 64, len(sections), 0)
    head += struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 4096, 4096, 4096)
    head = head.ljust(256, b"\0") + b"".join(struct.pack("<IIQQQQIIQQ", *s) for s in sections)
    with open(path, "wb") as file:
        file.write(head.ljust(1024, b"\0") + b"\0f\0")
        file.seek(4096)
        file.write(table)
        file.truncate(4096 + (3 << 30))


def symbol_tables():
    """Names of code as large as their writers like. The lines of the map are a tenth of those that
    once took 3.9 GB."""
    pid = 4194303  # above the pid of any process here
    os.makedirs(os.path.join(FOLDER, "root", "tmp"))
    os.makedirs(os.path.join(FOLDER, "root", "bin"))
    jit = os.path.join("root", "tmp", "perf-%d.map" % pid)
    code, program, w = put(jit, b""), put(os.path.join("root", "bin", "prog"), b""), Writer()
    recording = put("perf.data", w.file([
        w.comm(pid, pid, "jit", True), w.mmap(pid, 0x400000, 4096, "/bin/prog"),
        w.mmap(pid, 1 << 32, 1 << 40, "//anon"),
        *[w.sample(pid, at, [USER_CHAIN, at]) for i in range(24)
          for at in ((1 << 32) + i, 0x400000 + 16 * i)], w.round()]))
    with open(code, "wb") as file:
        for i in range(29):
            file.write(b"".join(b"%x 1 f\n" % ((1 << 32) + k) for k in range(100000 * i, 100000 * i + 100000)))
    symbols_of_3_gb(program)
    for name in "all", "a sparse perf map":
        for command in (["report", "--stdio"], ["script"]):
            run("symbol tables: " + name, [*command, "-i", recording, "--symfs",
                                           os.path.join(FOLDER, "root")],
                recording, code, program, done=True)
        os.truncate(code, 0)
        os.truncate(code, 3 << 30)


def nested(count):
    """Stacks as deep as the file is long, and a sample at each depth."""
    names = ["f%d" % i for i in range(count)]
    yield "nested.json", {"traceEvents": [
        {"ph": "B", "ts": i, "pid": 1, "tid": 1, "name": name} for i, name in enumerate(names)] + [
        {"ph": "E", "ts": count + i, "pid": 1, "tid": 1, "name": name}
        for i, name in enumerate(reversed(names))]}
    yield "nested.speedscope.json", {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": name} for name in names]},
        "profiles": [{"type": "evented", "name": "x", "unit": "none", "startValue": 0,
                      "endValue": 2 * count,
                      "events": [{"type": "O", "frame": i, "at": i} for i in range(count)] +
                                [{"type": "C", "frame": count - 1 - i, "at": count + i}
                                 for i in range(count)]}]}
    yield "nested.cpuprofile", {
        "nodes": [{"id": i + 1, "hitCount": 1, "children": [i + 2] if i + 1 < count else [],
                   "callFrame": {"functionName": name, "scriptId": "1", "url": "",
                                 "lineNumber": 0, "columnNumber": 0}}
                  for i, name in enumerate(names)],
        "startTime": 0, "endTime": count, "samples": list(range(1, count + 1)),
        "timeDeltas": [1] * count}


def main():
    readers = [["report", "--stdio", "-i"], ["report", "--json", "-i"], ["collapse"],
               ["convert", "--format", "speedscope"], ["flamegraph", "-o", "-"]]
    for name, data in bombs():
        path = put(name, data)
        for command in readers:
            run(name, [*command, path], path)
    for name, data in itertools.chain(honest_packed(), honest_json()):
        path = put(name, data)
        run(name, ["report", "--json", "-i", path], path, done=True)
    for name, data in cpu_numbers():
        path = put("cpus.data", data)
        for command in (["sched", "map"], ["sched", "map", "--compact"], ["sched", "latency"],
                        ["sched", "timehist"], ["timechart", "-o", "-"], ["script"]):
            run(name, [*command, "-i", path], path)
    for name, path in sparse():
        for command in readers:
            run(name, [*command, path], path, refused=True)
    symbol_tables()
    for name, data in nested(30000):
        path = put(name, json.dumps(data).encode())
        for command in readers:
            # text repeats every stack and may exceed the limit
            run(name, [*command, path], path, done=command[0] in ("report", "flamegraph"))
    honest = put("honest", b"main;work 5\n")
    run("honest", ["report", "--stdio", "-i", honest], honest)
    sys.exit(1 if failures else 0)


main()
