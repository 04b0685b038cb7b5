#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""browser_open.py CUPEL RECORDING: runs `cupel report` in a terminal of 80 columns and 24 lines and
returns when its first screen is complete; then presses keys and prints how long each takes to be drawn
on standard error. The exit status is that of the report."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

KEYS = [("down", b"\x1bOB"), ("page down", b"\x1b[6~"), ("end", b"\x1bOF"), ("home", b"\x1bOH"),
        ("expand", b"+")]
terminal, program_end = pty.openpty()
fcntl.ioctl(program_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
began = time.monotonic()
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(program_end, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(program_end, fd)
    os.environ["TERM"] = "xterm"
    os.execv(sys.argv[1], [sys.argv[1], "report", "-i", sys.argv[2]])
os.close(program_end)
drawn = b""
while b"quit" not in drawn:
    drawn += os.read(terminal, 65536)
print("first screen %.0f ms" % (1000 * (time.monotonic() - began)), file=sys.stderr)
if len(sys.argv) > 3:
    for name, key in KEYS:
        pressed = last = time.monotonic()
        os.write(terminal, key)
        while select.select([terminal], [], [], 0.3 if last > pressed else 10)[0]:
            os.read(terminal, 65536)
            last = time.monotonic()
        print("%s %.1f ms" % (name, 1000 * (last - pressed)), file=sys.stderr)
os.write(terminal, b"\x03")
try:
    while os.read(terminal, 65536):
        pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
