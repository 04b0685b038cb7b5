#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The search in the BPF program finds every row that user space published.
set -eu
if [ "$(id -u)" -ne 0 ]; then
	echo "needs root"
	exit 77
fi
if [ ! -r /sys/kernel/btf/vmlinux ]; then
	echo "the kernel has no BTF"
	exit 77
fi
libc=$(ldconfig -p | awk '$1 == "libc.so.6" { print $NF; exit }')
"$(dirname "$CUPEL")/test/live/unwind_search" "$(readlink -f "$libc")"
