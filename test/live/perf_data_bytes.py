# SPDX-License-Identifier: GPL-2.0-or-later
"""Generates perf.data files, valid or not, in either byte order.
Format: tools/perf/Documentation/perf.data-file-format.txt of the Linux kernel."""
import struct

MMAP, LOST, COMM, EXIT, THROTTLE, UNTHROTTLE, FORK, READ, SAMPLE, MMAP2 = range(1, 11)
ATTR, TRACING_DATA, BUILD_ID, ROUND, ID_INDEX = 64, 66, 67, 68, 69
AUXTRACE, UPDATE, FEATURE, COMPRESSED, COMPRESSED2 = 71, 78, 80, 81, 83

IP, TID, TIME, CALLCHAIN, PERIOD, RAW, IDENTIFIER = 1, 2, 4, 1 << 5, 1 << 8, 1 << 10, 1 << 16
SAMPLE_ID_ALL = 1 << 18
USER_CHAIN = 2**64 - 512
USER, KERNEL = 2, 1


class Writer:
    """The parts of a recording as bytes of one byte order."""

    def __init__(self, order="<", sample_type=IP | TID | TIME | CALLCHAIN | PERIOD):
        self.order = order
        self.sample_type = sample_type
        self.ns = 1_000_000_000

    def pack(self, fmt, *values):
        return struct.pack(self.order + fmt, *values)

    def record(self, kind, body, misc=0, size=None):
        body += bytes(-len(body) % 8)
        return self.pack("IHH", kind, misc, (len(body) + 8 if size is None else size)) + body

    def trailer(self, pid, tid):
        self.ns += 1000
        return self.pack("IIQ", pid, tid, self.ns)

    def comm(self, pid, tid, name, exec_=False):
        body = self.pack("II", pid, tid) + padded(name)
        return self.record(COMM, body + self.trailer(pid, tid), 1 << 13 if exec_ else 0)

    def fork(self, pid, ppid, tid=None, ptid=None):
        tid, ptid = tid or pid, ptid or ppid
        body = self.pack("IIIIQ", pid, ppid, tid, ptid, self.ns)
        return self.record(FORK, body + self.trailer(ppid, ptid))

    def exit(self, pid):
        body = self.pack("IIIIQ", pid, pid, pid, pid, self.ns)
        return self.record(EXIT, body + self.trailer(pid, pid))

    def mmap(self, pid, start, length, path, pgoff=0, misc=USER):
        body = self.pack("IIQQQ", pid, pid, start, length, pgoff) + padded(path)
        return self.record(MMAP, body + self.trailer(pid, pid), misc)

    def sample(self, pid, ip, chain=(), ns=None, nr=None, tid=None, period=1000):
        self.ns += 1000
        body = self.pack("Q", ip) + self.pack("II", pid, tid or pid)
        body += self.pack("QQ", self.ns if ns is None else ns, period)
        body += self.pack("Q", len(chain) if nr is None else nr)
        body += self.pack("%dQ" % len(chain), *chain)
        return self.record(SAMPLE, body, USER)

    def round(self):
        return self.record(ROUND, b"")

    def attr(self, size=128, extra=b"", config=0, claimed=None, kind=1):
        flags = SAMPLE_ID_ALL | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23  # mmap comm task mmap2
        bits = flags if self.order == "<" else int("{:064b}".format(flags)[::-1], 2)
        body = self.pack("IIQQQQQ", kind, size if claimed is None else claimed, config, 1000,
                         self.sample_type, 0, bits)
        return (body + bytes(size))[:size] + extra

    def file(self, records, attrs=None, features=None, ids=(1,), **lies):
        """features: {bit: bytes}. lies: false values for header fields."""
        attrs = [self.attr()] if attrs is None else attrs
        ids_at, ids_bytes = 104, self.pack("%dQ" % len(ids), *ids)
        attrs_at = ids_at + len(ids_bytes)
        table = b"".join(a + self.pack("QQ", ids_at, len(ids_bytes)) for a in attrs)
        data_at = attrs_at + len(table)
        data = b"".join(records)
        bits = [0, 0, 0, 0]
        sections, payload = b"", b""
        at = data_at + len(data) + 16 * len(features or {})
        for bit in sorted(features or {}):
            bits[bit // 64] |= 1 << bit % 64
            sections += self.pack("QQ", at + len(payload), len(features[bit]))
            payload += features[bit]
        head = {"size": 104, "stride": len(attrs[0]) + 16 if attrs else 144, "attrs_at": attrs_at,
                "attrs_size": len(table), "data": data_at, "data_size": len(data), **lies}
        magic = self.pack("Q", 0x32454C4946524550)
        return (magic + self.pack("7Q", head["size"], head["stride"], head["attrs_at"],
                                  head["attrs_size"], head["data"], head["data_size"], 0)
                + bytes(8) + self.pack("4Q", *bits) + ids_bytes + table + data + sections
                + payload)

    def pipe(self, records, attrs=None):
        head = self.pack("QQ", 0x32454C4946524550, 16)
        attrs = [self.attr()] if attrs is None else attrs
        return head + b"".join(self.record(ATTR, a + self.pack("Q", i + 1))
                               for i, a in enumerate(attrs)) + b"".join(records)

    def string(self, text):
        return self.pack("I", len(padded(text, 64))) + padded(text, 64)


def padded(text, to=8):
    text = text if isinstance(text, bytes) else text.encode()
    return text + bytes(to - len(text) % to)
