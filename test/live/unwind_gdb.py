# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares cupel's stacks of all threads of a live process with gdb's at random moments. Runs inside gdb:

  UNWIND_LIVE=PROGRAM PID=N SECONDS=N RESULT=FILE gdb -batch -nx -x unwind_gdb.py

The process is stopped; gdb supplies the registers and its own backtrace, UNWIND_LIVE cupel's. A
difference is accepted, and counted under its reason, only if cupel's stack reaches the root, every
return address that gdb does not have follows a call, and

  gdb-gave-up  gdb's stack is the start of cupel's, or
  no-table     no call frame information describes the last common frame, in generated code or in a file
               (assembly, the built-in functions of V8): gdb guesses from the instructions there

or if cupel reports an incomplete stack:

  we-gave-up   cupel's stack ends with a reason other than the root, in code without a table

With SNAPSHOT=FILE a moment with equal stacks, with frames in files only, is saved for unwind_replay.
Writes a line of counts and the first differences to RESULT. The exit status is 1 if a difference was not
accepted or nothing was compared.
"""
import collections
import os
import random
import struct
import subprocess
import sys
import time

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from eh_frame import open_elf  # in this folder

REGISTERS = "rax rbx rcx rdx rsi rdi rbp rsp rip r8 r9 r10 r11 r12 r13 r14 r15".split()
MASK = (1 << 64) - 1
SHOWN = 5

pid = int(os.environ["PID"])
counts = collections.Counter()


def report(line):
    with open(os.environ["RESULT"], "a", encoding="utf-8") as result:
        result.write(line + "\n")


def register(name):
    return int(gdb.selected_frame().read_register(name)) & MASK


def in_system_call():
    """Whether the thread is at the exit of a system call; the kernel stores its number in orig_rax."""
    return 0 <= int(gdb.parse_and_eval("$orig_rax")) < 1 << 31


def backtrace():
    """gdb's pcs without the frames that it adds from debug information: inlined functions, and functions
    that ended in a tail call."""
    frame, pcs = gdb.newest_frame(), []
    while frame and len(pcs) < 1024:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pcs.append(frame.pc())
        frame = frame.older()
    return pcs


def ours(live):
    words = ["%x" % pid, "%d" % in_system_call()] + ["%x" % register(r) for r in REGISTERS]
    live.stdin.write(" ".join(words) + "\n")
    live.stdin.flush()
    stop, *pcs = live.stdout.readline().split()
    return stop, [int(pc, 16) for pc in pcs]


def mapping_of(pc):
    """(start, file offset, path) of the mapping of a pc; the path is "" for code without a file."""
    with open("/proc/%d/maps" % pid, encoding="utf-8") as maps:
        for line in maps:
            words = line.split()
            start, end = (int(x, 16) for x in words[0].split("-"))
            if start <= pc < end:
                path = words[5] if len(words) > 5 and words[5][0] == "/" else ""
                return start, int(words[2], 16), path
    return pc, 0, ""


def has_table(pc):
    """Whether .eh_frame of the file describes the code at a pc."""
    start, offset, path = mapping_of(pc)
    elf = open_elf(path) if path else None
    return elf is not None and elf.fde(pc - start + offset) is not None


def save_snapshot(pcs):
    """Writes a snapshot in the format of unwind_replay.c. False if it would be large or depend on this
    machine's kernel."""
    places = [mapping_of(pc) for pc in pcs]
    sp = register("rsp")
    stack = bytes(gdb.selected_inferior().read_memory(sp, 8192))
    last = stack.rfind(struct.pack("<Q", pcs[-1]))
    if last < 0 or len(pcs) < 5 or not all(path for _, _, path in places):
        return False
    with open(os.environ["SNAPSHOT"], "w", encoding="ascii") as file:
        for start, offset, path in sorted(set(places)):
            print("map %x %x %s" % (start, offset, path), file=file)
        print("syscall %d" % in_system_call(), file=file)
        print("registers", *("%x" % register(name) for name in REGISTERS), file=file)
        print("stack %x %s" % (sp, stack[:last + 64].hex()), file=file)
        print("expect", *("%x" % pc for pc in pcs), file=file)
    return True


def follows_call(pc):
    """Whether the instruction before a pc may be a call."""
    code = bytes(gdb.selected_inferior().read_memory(pc - 8, 8))
    return code[-5] == 0xe8 or any(code[-n] == 0xff and code[1 - n] >> 3 & 7 == 2
                                   for n in (2, 3, 4, 6, 7))


def excuse(stop, pcs, theirs):
    """The reason to accept a difference, or None."""
    if stop != "root":
        return None if has_table(pcs[-1] - (len(pcs) > 1)) else "we-gave-up"
    same = 0
    while same < min(len(pcs), len(theirs)) and pcs[same] == theirs[same]:
        same += 1
    if not same or not all(follows_call(pc) for pc in pcs[same:]):
        return None
    if same == len(theirs):
        return "gdb-gave-up"
    if not has_table(pcs[same - 1] - (same > 1)):
        return "no-table"
    return None


def show(stop, pcs, theirs):
    report("different: ours %s %s" % (stop, " ".join("%x" % pc for pc in pcs)))
    report("           gdb       %s" % " ".join("%x" % pc for pc in theirs))
    for at, (a, b) in enumerate(zip(pcs + [0], theirs + [0])):
        if a != b and at:
            report(gdb.execute("info symbol 0x%x" % pcs[at - 1], to_string=True).strip())
            report(gdb.execute("x/i 0x%x" % pcs[at - 1], to_string=True).strip())
            break


def compare(live):
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        theirs = backtrace()
        gdb.newest_frame().select()
        stop, pcs = ours(live)
        counts["stacks"] += 1
        counts["frames"] += len(pcs)
        if pcs == theirs and stop == "root":
            counts["equal"] += 1
            if "SNAPSHOT" in os.environ and random.random() < 0.2 and save_snapshot(pcs):
                del os.environ["SNAPSHOT"]
            continue
        reason = excuse(stop, pcs, theirs)
        counts[reason or "different"] += 1
        if not reason and counts["different"] <= SHOWN:
            show(stop, pcs, theirs)


def run_on():
    """Runs the process for a moment and stops it."""
    stopper = subprocess.Popen(["sh", "-c", "sleep %.3f; kill -STOP %d" %
                                (random.uniform(0, 0.02), pid)])
    gdb.execute("continue", to_string=True)
    stopper.wait()
    return gdb.selected_inferior().pid == pid


def main():
    for setting in ("pagination off", "confirm off", "debuginfod enabled off", "style enabled off",
                    "backtrace past-main on", "backtrace past-entry on", "print thread-events off"):
        gdb.execute("set " + setting)
    gdb.execute("attach %d" % pid, to_string=True)
    gdb.execute("handle all nostop noprint pass", to_string=True)
    gdb.execute("handle SIGSTOP stop print nopass", to_string=True)
    end = time.monotonic() + float(os.environ["SECONDS"])
    with subprocess.Popen([os.environ["UNWIND_LIVE"]], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as live:
        while time.monotonic() < end and run_on():
            compare(live)
        live.stdin.close()
    report(", ".join("%s %d" % item for item in counts.items()))
    gdb.execute("kill", to_string=True)
    gdb.execute("quit %d" % (counts["different"] > 0 or not counts["stacks"]))


main()
