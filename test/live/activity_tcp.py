# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends a known number of bytes through TCP connections over the loopback, for activity_tcp.sh. Prints
the ports that listen, of IPv4 and of IPv6 (0 = there is none)."""
import socket
import threading

SENT, ANSWERED = 102400, 2048


def serve(listener):
    connection, _ = listener.accept()
    while connection.recv(65536):
        pass
    connection.sendall(b"y" * ANSWERED)
    connection.close()


def talk(family, address):
    try:
        listener = socket.socket(family)
        listener.bind((address, 0))
    except OSError:
        return 0
    listener.listen()
    port = listener.getsockname()[1]
    server = threading.Thread(target=serve, args=(listener,))
    server.start()
    client = socket.create_connection((address, port))
    client.sendall(b"x" * SENT)
    client.shutdown(socket.SHUT_WR)
    while client.recv(4096):
        pass
    client.close()
    server.join()
    listener.close()
    try:  # nothing listens there now
        socket.create_connection((address, port))
    except OSError:
        pass
    return port


four, six = talk(socket.AF_INET, "127.0.0.1"), talk(socket.AF_INET6, "::1")
with open("ports.txt", "w") as ports:
    print(four, six, file=ports)
