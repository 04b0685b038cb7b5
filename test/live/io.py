# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes known requests for I/O, for test/live/io.sh: io.py DEVICE FOLDER. Says at its end what the kernel
counted of it (/proc/self/io), in counted.txt."""
import mmap
import os
import socket
import sys
import threading
import time

DEVICE, FOLDER = sys.argv[1:]
PAGE = mmap.mmap(-1, 65536)
MAIN = threading.get_native_id()
READ, RECEIVE = {"x86_64": (0, 45), "aarch64": (63, 207)}[os.uname().machine]


def wait_until_main_is_in(call):
    while True:
        with open(f"/proc/self/task/{MAIN}/syscall", encoding="ascii") as file:
            if file.read().split()[0] == str(call):
                return
        time.sleep(0.001)


def direct():
    fd = os.open(DEVICE, os.O_RDWR | os.O_DIRECT)
    for i in range(40):
        assert os.pwrite(fd, PAGE, i * 65536) == 65536
    for i in range(60):
        assert os.preadv(fd, [memoryview(PAGE)[:4096]], (i * 37 % 60) * 65536) == 4096
    os.close(fd)


def buffered():
    fd = os.open(FOLDER + "/buffered", os.O_CREAT | os.O_RDWR)
    for _ in range(64):
        os.write(fd, b"x" * 16384)
    os.fsync(fd)
    for _ in range(5):
        os.lseek(fd, 0, os.SEEK_SET)
        while os.read(fd, 16384):
            pass
    os.close(fd)


def written_back():
    fd = os.open(FOLDER + "/written-back", os.O_CREAT | os.O_RDWR)
    os.write(fd, b"y" * 1048576)
    os.sync()
    os.close(fd)


def waits():
    out, into = os.pipe()

    def late():
        wait_until_main_is_in(READ)
        time.sleep(0.1)
        os.write(into, b"z" * 10)

    writer = threading.Thread(target=late)
    writer.start()
    os.read(out, 100)
    writer.join()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()

    def serve():
        connection, _ = listener.accept()
        wait_until_main_is_in(RECEIVE)
        time.sleep(0.1)
        connection.sendall(b"w" * 5000)

    server = threading.Thread(target=serve)
    server.start()
    client = socket.create_connection(listener.getsockname())
    got = 0
    while got < 5000:
        got += len(client.recv(10000))
    server.join()


direct()
buffered()
written_back()
waits()
with open("/proc/self/io", encoding="ascii") as counters, open("counted.txt", "w", encoding="ascii") as to:
    text = counters.read()
    to.write(text)
