#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A server that keeps what is posted, and a reader of its protocol buffers.

usage: push_to.py serve FOLDER    prints its port, then a request a file: N.json with the path, the
                                  headers and the body; those to /refuses are answered with 401,
                                  to /part that three were rejected, to /warns with a warning
       push_to.py show FILE       what the request says, as lines
       push_to.py json FILE URL   posts the request's OTLP to the URL as JSON, and prints the answer
"""
import base64
import gzip
import http.server
import json
import struct
import sys
import urllib.parse
import urllib.request


def serve(folder):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with open("%s/%d.json" % (folder, self.server.count), "w") as out:
                json.dump({"path": self.path, "headers": dict(self.headers),
                           "body": base64.b64encode(body).decode()}, out)
            self.server.count += 1
            self.send_response(401 if self.path.startswith("/refuses") else 200)
            self.end_headers()
            if self.path.startswith("/part"):  # ExportProfilesServiceResponse
                self.wfile.write(b"\x0a\x08\x08\x03\x12\x04full")
            elif self.path.startswith("/warns"):
                self.wfile.write(b"\x0a\x06\x12\x04slow")

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    server.count = 0
    print(server.server_port, flush=True)
    server.serve_forever()


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """{number: [values]} of a message."""
    ret, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            assert key & 7 == 2, key
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        ret.setdefault(key >> 3, []).append(value)
    return ret


def packed(data):
    ret, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        ret.append(value)
    return ret


def one(message, number, default=0):
    return message.get(number, [default])[0]


def show_pprof(data):
    profile = fields(gzip.decompress(data))
    strings = [s.decode() for s in profile[6]]
    functions = {one(f, 1): strings[one(f, 2)] for f in map(fields, profile[5])}
    names = {one(l, 1): [functions[one(fields(line), 1)] for line in l.get(4, [])]
             for l in map(fields, profile[4])}
    types = [(strings[one(t, 1)], strings[one(t, 2)]) for t in map(fields, profile[1])]
    print("types", " ".join("%s/%s" % t for t in types))
    print("time", one(profile, 9) // 10**9)
    for sample in map(fields, profile[2]):
        stack = [name for l in packed(one(sample, 1, b"")) for name in names[l]]
        print("sample", ";".join(reversed(stack)), *packed(one(sample, 2, b"")))


def value_of(message):
    value = fields(message)
    return value[1][0].decode() if 1 in value else one(value, 3)


def show_otlp(data):
    request = fields(data)
    tables = fields(request[2][0])
    for table in (1, 2, 3, 6, 7):
        assert tables[table][0] == b"", table
    strings = [s.decode() for s in tables[5]]
    assert strings[0] == ""
    functions = [strings[one(fields(f), 1)] for f in tables[3]]
    attributes = [(strings[one(a, 1)], value_of(one(a, 2, b""))) for a in map(fields, tables[6])]
    locations = [[functions[one(fields(line), 1)] for line in fields(l).get(3, [])]
                 for l in tables[2]]
    stacks = [[n for l in packed(one(fields(s), 1, b"")) for n in locations[l]] for s in tables[7]]
    for resource in map(fields, request[1]):
        for pair in fields(resource[1][0]).get(1, []):
            print("label", one(fields(pair), 1).decode(), value_of(fields(pair)[2][0]))
        for profile in map(fields, fields(resource[2][0])[2]):
            kind, period = fields(profile[1][0]), fields(one(profile, 5, b""))
            print("type", strings[one(kind, 1)], strings[one(kind, 2)], strings[one(period, 1)],
                  one(profile, 6))
            assert len(profile[7][0]) == 16
            for sample in map(fields, profile[2]):
                words = ["%s=%s" % attributes[a] for a in packed(one(sample, 2, b""))]
                times = struct.unpack("<%dQ" % (len(one(sample, 5, b"")) // 8), one(sample, 5, b""))
                print("sample", ";".join(reversed(stacks[one(sample, 1)])),
                      *packed(one(sample, 4, b"")), *(t // 10**9 for t in times), *words)


# Fields of OTLP: name, and what it is: a number n, a fixed f, a string s, or a message; * = several,
# ** = a packed list.
VALUE = {1: ("stringValue", "s"), 3: ("intValue", "n")}
PAIR = {1: ("key", "s"), 2: ("value", VALUE)}
TYPE = {1: ("typeStrindex", "n"), 2: ("unitStrindex", "n")}
SAMPLE = {1: ("stackIndex", "n"), 2: ("attributeIndices", "**n"), 4: ("values", "**n"),
          5: ("timestampsUnixNano", "**f")}
PROFILE = {1: ("sampleType", TYPE), 2: ("samples", [SAMPLE]), 3: ("timeUnixNano", "n"),
           4: ("durationNano", "n"), 5: ("periodType", TYPE), 6: ("period", "n"),
           7: ("profileId", "b")}
LOCATION = {1: ("mappingIndex", "n"), 2: ("address", "n"),
            3: ("lines", [{1: ("functionIndex", "n"), 2: ("line", "n")}]),
            4: ("attributeIndices", "**n")}
DICTIONARY = {1: ("mappingTable", [{4: ("filenameStrindex", "n"), 5: ("attributeIndices", "**n")}]),
              2: ("locationTable", [LOCATION]),
              3: ("functionTable", [{1: ("nameStrindex", "n"), 2: ("systemNameStrindex", "n"),
                                     3: ("filenameStrindex", "n")}]),
              4: ("linkTable", [{}]), 5: ("stringTable", "*s"),
              6: ("attributeTable", [{1: ("keyStrindex", "n"), 2: ("value", VALUE)}]),
              7: ("stackTable", [{1: ("locationIndices", "**n")}])}
REQUEST = {1: ("resourceProfiles", [{1: ("resource", {1: ("attributes", [PAIR])}),
                                     2: ("scopeProfiles", [{2: ("profiles", [PROFILE])}])}]),
           2: ("dictionary", DICTIONARY)}


def as_json(data, schema):
    """As exporters write it: 64-bit numbers are strings, absent fields are zero."""
    ret = {}
    for number, values in fields(data).items():
        name, kind = schema[number]  # a field that is not known is a mistake here
        if isinstance(kind, list):
            ret[name] = [as_json(value, kind[0]) for value in values]
        elif isinstance(kind, dict):
            ret[name] = as_json(values[0], kind)
        elif kind == "**n":
            ret[name] = [str(n) for value in values for n in packed(value)]
        elif kind == "**f":
            ret[name] = [str(n) for value in values
                         for n in struct.unpack("<%dQ" % (len(value) // 8), value)]
        elif kind == "*s":
            ret[name] = [value.decode() for value in values]
        elif kind == "s":
            ret[name] = values[0].decode()
        elif kind == "b":
            ret[name] = base64.b64encode(values[0]).decode()
        else:
            ret[name] = str(values[0]) if values[0] >= 1 << 31 else values[0]
    return ret


def post_json(path, url):
    body = base64.b64decode(json.load(open(path))["body"])
    request = urllib.request.Request(url, json.dumps(as_json(body, REQUEST)).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        print(answer.status, answer.headers["Content-Type"], answer.read().decode().strip())


def show(path):
    request = json.load(open(path))
    body, place = base64.b64decode(request["body"]), urllib.parse.urlsplit(request["path"])
    print("path", place.path)
    for name in ("Authorization", "X-API-Key", "Content-Type"):
        print("header", name, request["headers"].get(name))
    for name, value in urllib.parse.parse_qsl(place.query):
        print("label", name, value)
    if place.path.endswith("/v1development/profiles"):
        show_otlp(body)
    elif place.path.endswith("/v1/profiles"):
        show_pprof(body)
    else:
        series, = json.loads(body)["series"]
        labels, sample = series["labels"], series["samples"][0]
        for label in labels if isinstance(labels, list) else labels["labels"]:
            print("label", label["name"], label["value"])
        show_pprof(base64.b64decode(sample.get("rawProfile") or sample["raw_profile"]))


{"serve": serve, "show": show, "json": post_json}[sys.argv[1]](*sys.argv[2:])
