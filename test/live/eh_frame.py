# SPDX-License-Identifier: GPL-2.0-or-later
"""A reader of .eh_frame that shares no code with cupel: the reference for tests and benchmarks of
unwinding."""
import bisect
import functools
import struct

PT_LOAD = 1
PT_GNU_EH_FRAME = 0x6474e550
UNDEFINED_PC = b"\x07\x10"  # DW_CFA_undefined of rip: glibc marks the start of threads with it


class ElfFile:
    """Segments and the sorted table of .eh_frame_hdr, in the encoding that linkers write."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.entry, at, size, count = struct.unpack_from("<24xQQ14xHH", self.data)
        headers = [struct.unpack_from("<IIQQQQ", self.data, at + i * size) for i in range(count)]
        self.loads = [(offset, vaddr, length) for kind, _, offset, vaddr, _, length in headers
                      if kind == PT_LOAD]
        self.table, self.header = [], (0, 0)
        for kind, _, offset, vaddr, _, length in headers:
            if kind == PT_GNU_EH_FRAME:
                self.header = offset, length
                count = struct.unpack_from("<I", self.data, offset + 8)[0]
                pairs = self.data[offset + 12:offset + 12 + 8 * count]
                self.table = [(vaddr + a, vaddr + b) for a, b in struct.iter_unpack("<ii", pairs)]

    def file_offset(self, address):
        """The reverse of address()."""
        for offset, vaddr, length in self.loads:
            if vaddr <= address < vaddr + length:
                return address - vaddr + offset
        return None

    def address(self, file_offset):
        """The linked address of a file offset, or None."""
        for offset, vaddr, length in self.loads:
            if offset <= file_offset < offset + length:
                return file_offset - offset + vaddr
        return None

    def fde(self, file_offset):
        """The bytes of the FDE that describes the code at an offset, or None."""
        address = self.address(file_offset)
        if address is None:
            return None
        found = bisect.bisect(self.table, (address, 1 << 64)) - 1
        if found < 0:
            return None
        function, at = self.table[found]
        at = self.file_offset(at)
        size, covered = struct.unpack_from("<I8xi", self.data, at)
        return self.data[at:at + 4 + size] if address < function + covered else None

    def frame_sections(self):
        """(file offset, size) of .eh_frame_hdr and of .eh_frame up to its terminator."""
        start, size = self.header
        yield start, size
        vaddr = self.address(start)
        start = self.file_offset(vaddr + 4 + struct.unpack_from("<i", self.data, start + 4)[0])
        end = start
        while struct.unpack_from("<I", self.data, end)[0]:
            end += 4 + struct.unpack_from("<I", self.data, end)[0]
        yield start, end + 4 - start

    def cut(self, offsets):
        """The file with only program headers, the code around some offsets, and .eh_frame without rules for
    other functions: small when compressed."""
        keep = bytearray(len(self.data))
        ranges = [(0, 0x400)] + [(max(0, offset - 64), 128) for offset in offsets]
        for start, size in ranges + list(self.frame_sections()):
            keep[start:start + size] = self.data[start:start + size]
        keep[40:48] = bytes(8)  # no section headers
        keep[60:64] = bytes(4)
        places = [self.address(offset) for offset in offsets]
        for i, (function, at) in enumerate(self.table):
            end = self.table[i + 1][0] if i + 1 < len(self.table) else 1 << 64
            if not any(function <= place <= end for place in places):
                start = self.file_offset(at)
                last = start + 4 + struct.unpack_from("<I", self.data, start)[0]
                start += 17  # after length, CIE, pc range and the length of the augmentation
                keep[start:last] = bytes(last - start)
        return bytes(keep)

    def is_root(self, file_offset):
        """Whether this code has no caller: a program's entry point, or the start of a thread."""
        address = self.address(file_offset)
        if address is not None and self.entry <= address < self.entry + 64:
            return True
        return UNDEFINED_PC in (self.fde(file_offset) or b"")[16:]


@functools.lru_cache(None)
def open_elf(path):
    """The file, or None if it is not an ELF file."""
    try:
        return ElfFile(path)
    except (OSError, struct.error):
        return None
