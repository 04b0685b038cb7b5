#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Stops real programs at random moments: the stacks of all threads equal gdb's, except for known errors
# of gdb, which are rules in unwind_gdb.py. Programs that are not installed are skipped.
#
# Environment: SECONDS_EACH (2), how long each program is compared
set -eu
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
tools=$(dirname "$CUPEL")/test/live
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v gdb >/dev/null || ! gdb -batch -nx -ex 'python print(1)' >/dev/null 2>&1; then
	echo "needs gdb with Python"
	exit 77
fi
[ "$(uname -m)" = x86_64 ] || {
	echo "compares x86-64 code only"
	exit 77
}
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
failed=0

# compare NAME COMMAND…: the command runs until it is killed
compare() {
	name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		echo "not tested: $name: not installed"
		return 0
	fi
	"$@" >/dev/null 2>&1 </dev/null &
	pid=$!
	wait_for has_used $pid 10 || true # some wait most of the time
	: >"$name.result"
	UNWIND_LIVE=$tools/unwind_live PID=$pid SECONDS=${SECONDS_EACH:-2} RESULT=$name.result \
		timeout -k 5 $((${SECONDS_EACH:-2} + 60)) gdb -batch -nx -x "$here/unwind_gdb.py" \
		>"$name.log" 2>&1 </dev/null || {
		failed=1
		grep -v '^0x\|^Program received\|^$' "$name.log" | tail -n 5
	}
	kill -9 "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	pid=
	sed "s/^/$name: /" "$name.result"
}

for i in $(seq 3000); do
	echo "int f$i(int a, int *b) { int s = 0; while (a--) s += b[a] * $i; return s; }"
done >source.c
head -c 30000000 /dev/urandom | od -x >text
# Other files named python may be wrappers.
compare python3 /usr/bin/python3 -c '
import json
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
def deep(n): return deep(n - 1) if n else json.dumps(list(range(1000)))
while True: f(12); deep(200); sorted(range(10000), key=lambda v: -v)'
compare cc1 "$(gcc -print-prog-name=cc1)" -quiet -O2 source.c -o source.s
compare xz xz -6 -T2 -c text
compare gzip gzip -9 -c text
compare openssl openssl speed -seconds 30
compare sqlite3 sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c)
	select sum(x * x % 7), group_concat(x) from c'
# shellcheck disable=SC2016 # Perl's variables
compare perl perl -e 'while (1) { my %h; $h{$_ % 1000} .= chr(65 + $_ % 26) for 1 .. 40000;
	my $s = join ",", map { $h{$_} } sort keys %h; $s =~ s/A(.)/B$1/g }'
compare node node -e 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
	for (;;) { f(20); JSON.parse(JSON.stringify([...Array(10000).keys()])).sort() }'
exit $failed
