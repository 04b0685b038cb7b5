#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The BPF build path: if the kernel permits it, a program compiled at build time loads and runs.
set -eu
if [ "$(id -u)" -ne 0 ]; then
	echo "needs root"
	exit 77
fi
if [ ! -r /sys/kernel/btf/vmlinux ]; then
	echo "the kernel has no BTF"
	exit 77
fi
"$CUPEL" version --build-options
"$CUPEL" version --build-options | grep -q '^ *bpf: yes$'
# Without privileges the program prints no with the reason; the exit status is 0.
setpriv --bounding-set=-all --inh-caps=-all "$CUPEL" version --build-options |
	grep -q '^ *bpf: no (.*: Operation not permitted)$'
# Each feature is tested at run time, not assumed from the build.
for part in 'whole stacks' off-cpu wall; do
	"$CUPEL" version --build-options | grep -q "^ *$part: yes\$"
done
