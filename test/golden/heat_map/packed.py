# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the packed data of a page, unpacked: what the heat map shows, without how."""
import base64
import re
import sys
import textwrap
import zlib

for name, packed in re.findall(r'<script type="application/octet-stream" id="([^"]+)">([^<]*)<', sys.stdin.read()):
    data = zlib.decompress(base64.b64decode(packed))
    text = "".join(chr(byte) if 33 <= byte < 127 else "\\%02x" % byte for byte in data)
    print(name)
    print("\n".join(textwrap.wrap(text, 96)))
