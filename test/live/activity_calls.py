# SPDX-License-Identifier: GPL-2.0-or-later
"""Does a known number of things, in the current folder, for test/live/activity_calls.sh."""
import ctypes
import os
import signal
import subprocess
import sys

PAGES = 64
PAGE = 4096


def opens():
    for i in range(20):
        os.close(os.open("opened-%d" % i, os.O_CREAT | os.O_WRONLY))
    for i in range(5):
        try:
            os.open("missing-%d" % i, os.O_RDONLY)
        except FileNotFoundError:
            pass


def deep():
    """More names than are kept of a path."""
    for i in range(30):
        os.mkdir("d%d" % i)
        os.chdir("d%d" % i)
    os.close(os.open("deep", os.O_CREAT | os.O_WRONLY))


def lines():
    os.close(os.open("first\nsecond\tthird\033", os.O_CREAT | os.O_WRONLY))
    subprocess.run(["true", "first\nsecond\tthird\033"], check=True)


def stats():
    for _ in range(7):
        os.stat("known")
    for _ in range(3):
        try:
            os.stat("unknown")
        except FileNotFoundError:
            pass


def syncs():
    fd = os.open("synced", os.O_CREAT | os.O_WRONLY)
    for _ in range(3):
        os.fsync(fd)
    for _ in range(2):
        os.fdatasync(fd)


def kills():
    child = subprocess.Popen(["sleep", "100"])
    for _ in range(4):
        os.kill(child.pid, 0)
    os.kill(child.pid, signal.SIGTERM)
    child.wait()
    try:
        os.kill(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def execs():
    for i in range(5):
        subprocess.run(["true", "argument-%d" % i, "two words"], check=True)
    subprocess.run(["sh", "-c", "exit 3"], check=False)
    subprocess.run(["sh", "-c", "kill -9 $$"], check=False)
    if os.fork() == 0:
        try:
            os.execv("./no-such-program", ["no-such-program", "word"])
        except FileNotFoundError:
            os._exit(9)
    os.wait()


def files():
    fd = os.open("read-and-written", os.O_CREAT | os.O_RDWR)
    for _ in range(10):
        os.write(fd, b"x" * 1000)
    for i in range(6):
        os.pread(fd, 500, i * 500)
    os.fsync(fd)


def cache():
    fd = os.open("cached", os.O_CREAT | os.O_RDWR)
    os.write(fd, b"x" * PAGE * PAGES)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    for _ in range(10):
        os.lseek(fd, 0, os.SEEK_SET)
        while os.read(fd, 16 * PAGE):
            pass


def calls():
    libc = ctypes.CDLL(None)
    for _ in range(1000):
        libc.getpriority(0, 0)


globals()[sys.argv[1]]()
