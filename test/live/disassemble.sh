#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All functions of this machine's programs and libraries have the same instruction boundaries, and jumps
# and calls the same targets, as in objdump -d.
set -eu
tools=$(dirname "$CUPEL")/test/live
here=$(dirname "$0")
for need in objdump python3; do
	if ! command -v "$need" >/dev/null; then
		echo "needs $need"
		exit 77
	fi
done

# libcrypto is omitted: its .text has tables of data, which disassemblers decode differently.
set --
for file in /bin/ls /bin/bash /usr/bin/perl /usr/bin/gcc /usr/bin/objdump \
	/usr/bin/make /usr/bin/find /usr/bin/awk /usr/bin/tar \
	/lib/*/libc.so.6 /lib/*/libm.so.6 /usr/lib/*/libstdc++.so.6 "$CUPEL"; do
	[ ! -e "$file" ] || set -- "$@" "$(readlink -f "$file")"
done
if [ $# -lt 10 ]; then
	echo "only $# programs and libraries to compare"
	exit 77
fi
python3 "$here/disassemble.py" "$tools/disassemble" "$@"
