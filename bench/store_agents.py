#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""200 agents that post to one server: what an agent of this machine sends in 10 seconds, many times,
each with a number of its own.

usage: store_agents.py CUPEL FOLDER    prints: batches a second, bytes and samples of a batch, CPU
                                       seconds of the server for a batch
"""
import http.client
import http.server
import json
import os
import struct
import subprocess
import sys
import threading
import time

CUPEL, FOLDER = sys.argv[1:]
AGENTS, EACH = 200, 5


class Catcher(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def catch():
    catcher = http.server.HTTPServer(("127.0.0.1", 0), Catcher)
    catcher.bodies = []
    threading.Thread(target=catcher.serve_forever, daemon=True).start()
    subprocess.run([CUPEL, "agent", "--to", "http://127.0.0.1:%d" % catcher.server_port,
                    "--spool", FOLDER + "/spool", "--duration", "12"], check=True,
                   stderr=subprocess.DEVNULL)
    catcher.shutdown()
    return max(catcher.bodies, key=len)


def cpu(pid):
    ticks, todo = 0, [pid]
    while todo:
        one = todo.pop()
        words = open("/proc/%d/stat" % one).read().rsplit(")", 1)[1].split()
        ticks += sum(map(int, words[11:15]))
        for task in os.listdir("/proc/%d/task" % one):
            todo += map(int, open("/proc/%d/task/%s/children" % (one, task)).read().split())
    return ticks / os.sysconf("SC_CLK_TCK")


def samples():
    text = subprocess.run([CUPEL, "query", "--store", FOLDER + "/agents", "series", "--json"],
                          capture_output=True, text=True, check=True).stdout
    return sum(json.loads(line)["samples"] for line in text.splitlines())


body = catch()
server = subprocess.Popen([CUPEL, "serve", "--store", FOLDER + "/agents", "--listen",
                           "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
for line in server.stderr:
    if "listening on" in line:
        port = int(line.rstrip("/\n").rsplit(":", 1)[1])
        break


def send(number):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for i in range(EACH):
        own = body[:8] + struct.pack("<Q", number * EACH + i + 1) + body[16:]
        connection.request("POST", "/cupel/v1/batch", own)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status


begin, before = time.time(), cpu(server.pid)
threads = [threading.Thread(target=send, args=(n,)) for n in range(AGENTS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
passed, used = time.time() - begin, cpu(server.pid) - before
server.terminate()
server.wait()
total = samples()
print("%.1f %d %d %.4f" % (AGENTS * EACH / passed, len(body), total // (AGENTS * EACH),
                           used / (AGENTS * EACH)))
