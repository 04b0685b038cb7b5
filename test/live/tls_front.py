#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""TLS in front of a server that has none.

usage: tls_front.py CERT KEY PORT    prints its own port; connections go to 127.0.0.1:PORT
"""
import socket
import ssl
import sys
import threading


def copy(source, target):
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(raw, context, port):
    try:
        client = context.wrap_socket(raw, server_side=True)
        server = socket.create_connection(("127.0.0.1", port))
    except OSError:
        raw.close()
        return
    threading.Thread(target=copy, args=(server, client), daemon=True).start()
    copy(client, server)


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0], context, int(sys.argv[3])),
                     daemon=True).start()
