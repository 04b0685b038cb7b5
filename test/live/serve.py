#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of cupel serve: each rule of access has a request that must be refused; profiles in all
protocols are stored to the last sample, also when processes are killed in between."""
import base64
import gzip
import http.client
import http.server
import json
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

CUPEL = os.environ["CUPEL"]
FOLDED = b"main;f 30\nmain;g 12\n"
KILLS = int(os.environ.get("CUPEL_KILLS", 6))  # of a server that receives batches, or parts of it
SENDERS = 3


def check(what, got, want=True):
    if got != want:
        raise AssertionError("%s: %r, not %r" % (what, got, want))
    print("ok", what)


class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


class Server:
    def __init__(self, store, *words):
        self.process = subprocess.Popen([CUPEL, "serve", "--store", store, *words],
                                        stderr=subprocess.PIPE, text=True)
        self.places = []
        wanted = max(words.count("--listen"), 1)
        for line in self.process.stderr:
            if "listening on" in line:
                self.places.append(line.split()[-1])
            if len(self.places) == wanted:
                return
        raise RuntimeError("cupel serve does not start")

    def ask(self, method, target, body=None, place=0, **headers):
        """(status, body)"""
        where = self.places[place]
        if where.startswith("/"):
            connection = Unix(where)
        elif where.startswith("https"):
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            port = int(where.rstrip("/").rsplit(":", 1)[1])
            connection = http.client.HTTPSConnection("127.0.0.1", port, context=context)
        else:
            connection = http.client.HTTPConnection(where[7:].rstrip("/"))
        connection.request(method, target, body, {k.replace("_", "-"): v
                                                  for k, v in headers.items()})
        answer = connection.getresponse()
        found = answer.status, answer.read()
        connection.close()
        return found

    def status(self, *words, **headers):
        return self.ask(*words, **headers)[0]

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()


def children(pid):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if fields[0] != "Z" and int(fields[1]) == pid:
                found += [int(entry)] + children(int(entry))
    return found


def parent(pid):
    return int(Path("/proc", str(pid), "stat").read_text().rsplit(")", 1)[1].split()[1])


def wait_until(condition, what):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("never came true: " + what)


def stored(store, selector="{}"):
    """Samples, by service."""
    words = [CUPEL, "query", selector, "--store", store, "--from", "2000-01-01",
             "--to", "2100-01-01", "series", "--json"]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    sums = {}
    for line in text.splitlines():
        series = json.loads(line)
        service = series["labels"].get("service", "")
        sums[service] = sums.get(service, 0) + series["samples"]
    return sums


def test_loopback(folder):
    store = folder + "/loopback"
    server = Server(store, "--listen", "127.0.0.1:0", "--listen", folder + "/socket",
                    "--request-size", "1M")
    try:
        check("a profile is received", server.status("POST", "/ingest?name=a", FOLDED), 200)
        for place, name in enumerate(("TCP", "a unix socket")):
            check("the page over " + name, server.status("GET", "/", place=place), 200)
            check("its samples", server.ask("GET", "/export?format=folded", place=place),
                  (200, b"main;f 30\nmain;g 12\n"))
        for what, status, request in (
                ("another host", 421, ("GET", "/", {"Host": "evil.example"})),
                ("a page of another site", 403,
                 ("GET", "/api/labels", {"Sec-Fetch-Site": "cross-site"})),
                ("a post of a page", 403,
                 ("POST", "/ingest?name=a", {"Origin": "http://127.0.0.1"})),
                ("a wrong token", 401, ("GET", "/", {"Authorization": "Bearer cupel_x"})),
                ("a wrong key", 401, ("POST", "/v1/profiles", {"X-API-Key": "cupel_x"})),
                ("another method", 405, ("DELETE", "/", {})),
                ("a path that is none", 404, ("GET", "/tokens", {})),
                ("a path outside", 404, ("GET", "/asset/../../etc/passwd", {})),
                ("an invalid selector", 400, ("GET", "/flame?selector=%7B", {})),
                ("a long address", 414, ("GET", "/flame?selector=" + 20000 * "x", {})),
                ("a large body", 413, ("POST", "/ingest", {"Content-Length": "2000000"}))):
            method, target, headers = request
            check("refused: " + what, server.status(method, target, **headers), status)
        check_other_user(server)
    finally:
        server.end()
    check("the socket is gone", os.path.exists(folder + "/socket"), False)


def check_other_user(server):
    """As nobody: own samples only, and what it sends is its own."""
    if os.geteuid():
        print("not tested: other users: only root can become one")
        return
    os.chmod(server.places[1], 0o666)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setgid(65534)
            os.setuid(65534)
            answers = [server.ask("GET", "/export?format=folded", place=place)[1].decode()
                       for place in (0, 1)]
            answers.append(server.status("POST", "/v1/profiles?service.name=mine&uid=0",
                                         b"own;code 5\n"))
            answers.append(server.ask("GET", "/export?format=folded")[1].decode())
            os.write(writer, json.dumps(answers).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader) as answers:
        tcp, local, status, after = json.load(answers)
    for name, text in (("TCP", tcp), ("a unix socket", local)):
        check("another user sees no names over " + name, "main" in text, False)
        check("but the sum", sum(int(line.split()[-1]) for line in text.splitlines()), 42)
    check("another user may send", status, 200)
    check("and sees what is its own", ("own;code 5" in after, "main" in after), (True, False))


def make_token(store, *words):
    return subprocess.run([CUPEL, "serve", "token", "add", *words, "--store", store],
                          capture_output=True, text=True, check=True).stdout.strip()


def test_tls(folder):
    if not shutil.which("openssl"):
        print("not tested: TLS: no openssl to make a certificate")
        return
    store, cert, key = folder + "/tls", folder + "/cert", folder + "/key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj",
                    "/CN=localhost", "-keyout", key, "-out", cert], check=True,
                   stderr=subprocess.DEVNULL)
    read = make_token(store, "anna")
    sends = make_token(store, "ci", "--right", "ingest", "--tenant", "build")
    tenant = make_token(store, "ci-read", "--tenant", "build")
    narrow = make_token(store, "ben", "--uid", "1234")
    server = Server(store, "--listen", "0.0.0.0:0", "--tls-cert", cert, "--tls-key", key)

    def bearer(token):
        return {"Authorization": "Bearer " + token}
    try:
        check("refused: no token", server.status("GET", "/"), 401)
        check("refused: no token for a page that is none", server.status("GET", "/x"), 401)
        check("refused: a wrong token", server.status("GET", "/", **bearer("cupel_x")), 401)
        check("a token", server.status("GET", "/", **bearer(read)), 200)
        basic = base64.b64encode(b"any:" + read.encode()).decode()
        check("a token as password", server.status("GET", "/", Authorization="Basic " + basic), 200)
        check("refused: a reader sends",
              server.status("POST", "/ingest?name=a", FOLDED, **bearer(read)), 403)
        check("refused: a sender reads", server.status("GET", "/api/labels", **bearer(sends)), 403)
        check("a sender sends", server.status("POST", "/v1/profiles?service.name=s&uid=1", FOLDED,
                                              X_API_Key=sends), 200)
        check("into its tenant's store", stored(store + "/tenant-build"), {"s": 42})
        check("which its reader sees", server.ask("GET", "/export?format=folded", **bearer(tenant)),
              (200, b"main;f 30\nmain;g 12\n"))
        check("refused: another tenant's reader",
              server.status("GET", "/export?format=folded", **bearer(read)) in (404, 500))
        subprocess.run([CUPEL, "push", "-q", "--store", store, "-l", "uid=1", "-"], input=FOLDED,
                       check=True)
        check("a token with a user sees no others'", b"main" in server.ask(
            "GET", "/export?format=folded", **bearer(narrow))[1], False)
        check("that of all does", b"main" in server.ask(
            "GET", "/export?format=folded", **bearer(read))[1])
        subprocess.run([CUPEL, "serve", "token", "remove", "anna", "--store", store], check=True)
        check("refused: a token that was removed", server.status("GET", "/", **bearer(read)), 401)
        port = int(server.places[0].rstrip("/").rsplit(":", 1)[1])
        plain = http.client.HTTPConnection("127.0.0.1", port)
        try:
            plain.request("GET", "/", headers=bearer(tenant))
            refused = plain.getresponse().status != 200
        except (http.client.HTTPException, OSError):
            refused = True
        check("refused: no TLS", refused)
    finally:
        server.end()


def weight_of(path):
    text = subprocess.run([CUPEL, "report", "--json", "-i", path], capture_output=True, check=True)
    return sum(event["samples"] for event in json.loads(text.stdout)["events"])


def test_protocols(folder):
    """Real profiles through every protocol."""
    corpus = Path(os.environ.get("CUPEL_CORPUS", Path(__file__).parents[3] / "shared/corpus"),
                  "pprof")
    if not corpus.is_dir():
        print("not tested: real pprof files: no corpus (set CUPEL_CORPUS)")
        return
    store = folder + "/protocols"
    server = Server(store, "--listen", "127.0.0.1:0")
    wanted = {}
    try:
        for number, name in enumerate(("gobench.cpu", "gobench.heap", "java.cpu", "cppbench.cpu")):
            data = (corpus / name).read_bytes()
            encoded = base64.b64encode(gzip.compress(data)).decode()
            push = {"series": [{"labels": [{"name": "service_name", "value": "push%d" % number}],
                                "samples": [{"rawProfile": encoded}]}]}
            parca = {"series": [{"labels": {"labels": push["series"][0]["labels"]},
                                 "samples": push["series"][0]["samples"]}]}
            parca_text = json.dumps(parca).replace("push%d" % number, "parca%d" % number)
            for service, words in (
                    ("ingest%d", ("/ingest?name=ingest%d&format=pprof", data, {})),
                    ("coroot%d", ("/v1/profiles?service.name=coroot%d", gzip.compress(data),
                                  {"Content-Encoding": "gzip"})),
                    ("push%d", ("/push.v1.PusherService/Push?%d", json.dumps(push),
                                {"Content-Type": "application/json"})),
                    ("parca%d", ("/api/profiles/writeraw?%d", parca_text,
                                 {"Content-Type": "application/json"}))):
                target, body, headers = words
                if server.status("POST", target % number, body, **headers) != 200:
                    raise AssertionError(target + " refuses " + name)
                wanted[service % number] = weight_of(corpus / name)
        check("real profiles through every protocol", stored(store), wanted)
        if shutil.which("curl"):
            words = ["curl", "-s", "-f", "-F", "profile=@%s" % (corpus / "gobench.cpu"),
                     server.places[0] + "ingest?name=form"]
            check("a form of curl", subprocess.run(words).returncode, 0)
            check("is stored", stored(store, "service=form"), {"form": wanted["ingest0"]})
    finally:
        server.end()


def test_many_and_killed(folder):
    """What was answered with success is there, whichever process is killed."""
    store = folder + "/many"
    server = Server(store, "--listen", "127.0.0.1:0")
    answered = []

    def send(number):
        for _ in range(10):
            try:
                if server.status("POST", "/ingest?name=s%d" % number, FOLDED) == 200:
                    answered.append(42)
            except (http.client.HTTPException, OSError):
                return
    try:
        threads = [threading.Thread(target=send, args=(n,)) for n in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check("120 profiles of 12 senders", (len(answered), sum(stored(store).values())),
              (120, 120 * 42))
        threads = [threading.Thread(target=send, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            before = len(answered)
            wait_until(lambda: len(answered) > before or not threads[0].is_alive(), "progress")
            for process in children(server.process.pid):
                try:  # those that answer and write, not the two that start them
                    if parent(process) != server.process.pid:
                        os.kill(process, signal.SIGKILL)
                except (FileNotFoundError, ProcessLookupError):
                    pass  # it has ended meanwhile
        for thread in threads:
            thread.join()
        check("what was answered is stored after kills",
              sum(stored(store).values()) >= sum(answered))
        server.ask("GET", "/flame")
        left = children(server.process.pid)
    finally:
        server.end(signal.SIGKILL)
    wait_until(lambda: not any(os.path.exists("/proc/%d" % p) for p in left),
               "no process is left after SIGKILL")
    print("ok no process is left")
    check("and all is there", sum(stored(store).values()) >= sum(answered))


def test_without_forks(folder):
    """Without one of the processes that start others the server ends, and says why."""
    store = folder + "/forks"
    for which in range(2):
        server = Server(store, "--listen", "127.0.0.1:0")
        check("a profile is received", server.status("POST", "/ingest?name=a", FOLDED), 200)
        forks = [p for p in children(server.process.pid) if parent(p) == server.process.pid]
        check("two processes start others", len(forks), 2)
        os.kill(forks[which], signal.SIGKILL)
        said = server.process.stderr.read()
        check("the server says why it ends", "cupel-forks" in said and "killed" in said)
        check("its exit status", server.process.wait(), 1)
        wait_until(lambda: not any(os.path.exists("/proc/%d" % p) for p in forks), "all have ended")
        check("what was answered is stored", stored(store), {"a": 42 * (which + 1)})


class Catcher(http.server.BaseHTTPRequestHandler):
    """Keeps the body of what is posted."""

    def do_POST(self):
        self.server.body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def batch_of_agent():
    """A batch as agents send it, but for its number (bytes 8 to 16)."""
    catcher = http.server.HTTPServer(("127.0.0.1", 0), Catcher)
    thread = threading.Thread(target=catcher.handle_request)
    thread.start()
    subprocess.run([CUPEL, "push", "-q", "--store", "http://127.0.0.1:%d" % catcher.server_port,
                    "-l", "service=agents", "-"], input=FOLDED, check=True,
                   env=dict(os.environ, no_proxy="127.0.0.1"))
    thread.join()
    catcher.server_close()
    return catcher.body


def test_agents(folder):
    """200 agents at once; some send a batch again, as if its answer had been lost."""
    store, body = folder + "/agents", batch_of_agent()
    server = Server(store, "--listen", "127.0.0.1:0")
    statuses = []

    def send(number):
        for _ in range(2 if number % 10 == 0 else 1):
            own = body[:8] + struct.pack("<Q", number + 1) + body[16:]
            statuses.append(server.status("POST", "/cupel/v1/batch", own))
    try:
        threads = [threading.Thread(target=send, args=(n,)) for n in range(200)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check("200 agents were answered", statuses, [200] * 220)
        check("each batch is stored once", stored(store), {"agents": 200 * 42})
        check("refused: a damaged batch", server.status("POST", "/cupel/v1/batch", body[:-1]), 400)
        check("refused: no batch", server.status("POST", "/cupel/v1/batch", FOLDED), 415)
    finally:
        server.end()


def kill_some(server, which):
    """The server; the server and all it has started, at once; or the process that stores."""
    below = children(server.process.pid)
    last = [process for starter in below for process in children(starter)]
    for process in ([server.process.pid], [server.process.pid] + below, last)[which]:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has ended meanwhile
    if which < 2:
        server.process.wait()


def test_killed_servers(folder):
    """Senders repeat what was not answered: all is stored, and stored once."""
    store, body = folder + "/killed", batch_of_agent()
    place = folder + "/killed.socket"  # a port can be taken between two servers
    servers = [Server(store, "--listen", place)]
    answered, repeated, failures, ending = [0] * SENDERS, [0] * SENDERS, [], threading.Event()

    def send(number):
        while not ending.is_set():
            batch = number << 32 | answered[number] + 1
            own = body[:8] + struct.pack("<Q", batch) + body[16:]
            while True:
                try:
                    status = servers[-1].status("POST", "/cupel/v1/batch", own)
                except (http.client.HTTPException, OSError):
                    status = 503
                if status == 200:
                    break
                if status < 500:
                    failures.append(status)
                    return
                repeated[number] += 1
                time.sleep(0.005)
            answered[number] += 1

    threads = [threading.Thread(target=send, args=(n,)) for n in range(SENDERS)]
    for thread in threads:
        thread.start()
    try:
        for i in range(KILLS):
            before = sum(answered)
            # each sender may have had one answer of the server before
            wait_until(lambda: sum(answered) > before + SENDERS + i % 3 or failures, "progress")
            time.sleep(i * 7 % 10 / 1000)
            kill_some(servers[-1], i % 3)
            if i % 3 < 2:
                servers.append(Server(store, "--listen", place))
        ending.set()
        for thread in threads:
            thread.join()
        check("no batch was refused", failures, [])
        check("after %d kills, %d batches of which %d were sent again: each is stored once" %
              (KILLS, sum(answered), sum(repeated)), stored(store), {"agents": sum(answered) * 42})
    finally:
        ending.set()
        servers[-1].end()
    check("and after its end", stored(store), {"agents": sum(answered) * 42})


def main():
    # other users cannot look into the folder of a test run
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        for test in (test_loopback, test_tls, test_protocols, test_many_and_killed,
                     test_without_forks, test_agents, test_killed_servers):
            test(folder)


if __name__ == "__main__":
    sys.exit(main())
