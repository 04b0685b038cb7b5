#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole stacks and what they cost, beside stock perf (frame pointers, copies of 8 and 64 KB) and
# bpftrace, in one run over programs as the distribution ships them, without frame pointers. What is
# measured and how: doc/unwinding.md. Prints each command before its figures. Programs and tools that
# are not installed are left out, and the reason is printed. Ends with a table of all that is aimed at.
#
# Environment: CUPEL; BENCH_PARTS (all), of stacks,cost,tables,start,system,short,slowdown;
# BENCH_PROGRAMS (all); BENCH_SIZE (1), which scales the work of the programs of `stacks`;
# BENCH_ROUNDS (10), pairs of the slowdown; BENCH_SECONDS (10), length of the system-wide recording;
# BENCH_FIGURES, a file where the figures of runs of some parts come together for that table.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
for tool in perf python3 gcc; do
	command -v $tool >/dev/null || {
		echo "bench: $tool is missing" >&2
		exit 1
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" # perf keeps copies of binaries there
cd "$work"
PYTHONPATH=$here/../test/live python3 "$here/unwind.py"
