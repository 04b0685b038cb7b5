#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every row in the compact tables of real binaries has the rules of its call frame information.
set -eu
tools=$(dirname "$CUPEL")/test/live
libraries() {
	for name in libc.so.6 libstdc++.so.6 libcrypto.so.3 libpython3.11.so.1.0 libgcc_s.so.1; do
		ldconfig -p | awk -v name="$name" '$1 == name { print $NF; exit }'
	done
	ls /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 2>/dev/null || :
	for name in perl python3 xz node busybox; do
		command -v "$name" || :
	done
}
libraries | while read -r file; do readlink -f "$file"; done | sort -u |
	while read -r file; do
		# scripts and the like have no tables
		[ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || echo "$file"
	done | xargs "$tools/unwind_compact"
