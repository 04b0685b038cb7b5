#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# Stacks of real programs without frame pointers, recorded by stock perf: none is shorter than in perf,
# and nearly all reach the root or the end of the recorded stack.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
tools=$(dirname "$CUPEL")/test/live
here=$(cd "$(dirname "$0")" && pwd)
for need in perf python3; do
	if ! command -v $need >/dev/null; then
		echo "needs $need"
		exit 77
	fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if ! perf record -q -F 99 --call-graph dwarf -o probe.data -- true 2>errors; then
	tail -n 1 errors
	exit 77
fi

# try NAME COMMAND...: skips a program that is not installed
try() {
	name=$1
	shift
	command -v "$1" >/dev/null || return 0
	if ! perf record -q -B -N -F 499 --call-graph dwarf -o "$name.data" -- "$@" >output 2>&1; then
		echo "$name: perf record failed:"
		tail -n 3 output
		failed=1
		return 0
	fi
	python3 "$here/unwind_perf.py" "$tools/unwind_stacks" "$name.data" || failed=1
	rm "$name.data"
}
failed=0
for i in $(seq 200); do
	echo "int f$i(int a, int *b) { int s = 0; while (a--) s += b[a] * $i; return s; }"
done >source.c
head -c 3000000 /proc/kallsyms >text
try python3 "$(python3 -c 'import sys; print(sys.executable)')" -c '
import json
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
f(21); json.loads(json.dumps(list(range(100000)))); sorted(range(100000), key=lambda v: -v)'
try cc1 gcc -O2 -c source.c -o source.o
try xz xz -2 -T2 -c text
try sqlite3 sqlite3 :memory: "with recursive c(x) as (select 1 union all select x+1 from c
	where x < 300000) select sum(x * x % 7) from c"
# shellcheck disable=SC2016 # Perl's variables
try perl perl -e 'my %h; $h{$_ % 1000} .= chr(65 + $_ % 26) for 1 .. 400000;
	my $s = join ",", map { $h{$_} } sort keys %h; $s =~ s/A(.)/B$1/g'
try openssl openssl speed -seconds 1 sha256
exit $failed
