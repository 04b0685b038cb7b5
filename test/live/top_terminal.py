#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs `cupel top` in a terminal of 50 columns and 12 lines, sends keys, and checks the screen.
# top_terminal.py CUPEL PID [--stacks]
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

cupel, pid = sys.argv[1:3]
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 50, 0, 0))
before = termios.tcgetattr(theirs)
top = subprocess.Popen([cupel, "top", "-p", pid, "-d", "300ms"], stdin=theirs, stdout=theirs,
                       stderr=theirs)
drawn = ""


def wait_for(what, after=0):
    """Waits until `what` is drawn after that position, and returns its position."""
    global drawn
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found = re.search(what, drawn[after:], re.S)
        if found:
            return after + found.start()
        if select.select([ours], [], [], 0.2)[0]:
            drawn += os.read(ours, 65536).decode()
    sys.exit("%r is not drawn after %r" % (what, drawn[after:][-2000:]))


def press(key):
    place = len(drawn)
    os.write(ours, key)
    return place


wait_for(r"\x1b\[\?1049h\x1b\[\?25l")
at = wait_for(r"\x1b\[H.*hot.*\x1b\[J")
last = [s for s in drawn[at:].split("\x1b[H") if s.endswith("\x1b[J")][-1]
lines = re.sub(r"\x1b\[[KJ]|\r", "", last).split("\n")
if len(lines) > 12 or max(map(len, lines)) > 50:
    sys.exit("does not fit: %r" % lines)
wait_for(r"\[paused\]", press(b" "))
wait_for(r"\? help, /", press(b" "))
wait_for(r"\x1b\[H.*up, down.*any key: more.*\x1b\[J", press(b"?"))
wait_for(r"\x1b\[H.*# Overhead.*\x1b\[J", press(b"?"))
wait_for(r"\x1b\[H.*any key: more.*\x1b\[J", press(b"?"))
at = 0
while "any key: back" not in drawn[at:]:
    at = wait_for(r"\x1b\[H.*any key: .*\x1b\[J", press(b"x"))
wait_for(r"\x1b\[H.*# Overhead.*\x1b\[J", press(b"x"))
wait_for(r"\x1b\[7m +[0-9.]+%  spin.*\x1b\[m", press(b"\x1b[B"))
wait_for(r"filter: hot", press(b"\r"))
wait_for(r"\x1b\[H(?:(?!filter:).)*\x1b\[J", press(b"\x1b"))
at = press(b"/warm")
wait_for(r"filter: warm_", at)
wait_for(r"\x1b\[H(?:(?!\] hot).)*filter: warm  \(.*\x1b\[J", press(b"\r"))
wait_for(r"\x1b\[H.*\] hot.*\x1b\[J", press(b"\x1b"))
wait_for(r"\x1b\[H.*# Overhead.*\] hot.*\x1b\[J", press(b"zb"))  # without samples there are no panes
wait_for(r"Event count.*Shared O.*hot.*Enter.*menu", press(b"b"))
wait_for(r"Callers and callees of ", press(b"x"))
wait_for(r"Samples: ", press(b"q"))
wait_for(r"Symbol: warm", press(b"/warm\r"))
wait_for(r"\[7m.*Samples|# Overhead", press(b"q"))
wait_for(r"# Overhead  Symbol", press(b"s"))
wait_for(r"# Overhead  Command", press(b"s"))
for _ in range(3):
    wait_for(r"\x1b\[J", press(b"s"))
# Code from the table, and a recording of what is shown, which is as it was when the panes were opened.
wait_for(r"\x1b\[7m +[0-9.]+%  spin.*\x1b\[m", press(b"\x1b[H"))
wait_for(r"hot  .*Source and assembly.*hot\+0x", press(b"a"))  # a long path hides the samples
wait_for(r"written to perf.data.1", press(b"w"))
wait_for(r"Overhead", press(b"q"))
wait_for(r"written to perf.data.2", press(b"w"))
wait_for(r"perf version : cupel", press(b"i"))
wait_for(r"Overhead", press(b"q"))
wait_for(r"# Overhead", press(b"q"))
wait_for(r"written to perf.data.3", press(b"w"))
at = press(b"U")
wait_for(r"\x1b\[H(?:(?!hot).)*\x1b\[J", at)
wait_for(r"\x1b\[H.*hot.*\x1b\[J", press(b"U"))
wait_for(r"\x1b\[H.*# Children +Self.*\x1b\[J", press(b"c"))
wait_for(r"\x1b\[H.*# Overhead .*\x1b\[J", press(b"c"))
if "--stacks" in sys.argv:
    wait_for(r"\x1b\[H.*---hot.* main.*\x1b\[J", press(b"g"))
    press(b"g")
wait_for(r"\x1b\[H0 samples, lost", press(b"z"))
# A stopped terminal (^S) delays only drawing: keys take effect, and the last screen is drawn later.
termios.tcflow(theirs, termios.TCOOFF)
for _ in range(6):
    os.write(ours, b"?")
    end = time.monotonic() + 20
    while struct.unpack("i", fcntl.ioctl(theirs, termios.FIONREAD, b"\0" * 4))[0]:
        if time.monotonic() > end:
            sys.exit("does not take keys while the terminal is stopped")
        time.sleep(0.05)
    time.sleep(0.4)
at = len(drawn)
termios.tcflow(theirs, termios.TCOON)
wait_for(r"\x1b\[H.*hot.*\x1b\[J", at)
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 5, 100, 0, 0))
at = wait_for(r"\x1b\[H.*hot.*\x1b\[J", len(drawn))
at = press(b"q")
wait_for(r"\x1b\[\?25h\x1b\[\?1049l", at)
if top.wait(30):
    sys.exit("ended with %d" % top.returncode)
if termios.tcgetattr(theirs) != before:
    sys.exit("the terminal is not as it was")
