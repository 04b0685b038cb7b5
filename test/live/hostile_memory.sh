#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Small inputs that expand to gigabytes: memory stays below 64 MB plus 16 times the input on disk,
# and larger inputs are refused with one message. See hostile_memory.py.
set -eu
command -v python3 >/dev/null || {
	echo "needs python3"
	exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -B "$here/hostile_memory.py" "$CUPEL" "$scratch"
