#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# sched record of two processes that pass a byte through a pipe on one CPU: the file has at most 40
# bytes per switch besides its fixed parts (20 on an idle machine: bench/sched.sh), and stock perf reads
# it. Without compression it is several times as large. A switch of these two makes three records; those
# of other processes count too, because all of the machine is recorded.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
: "${CUPEL:?path of the cupel binary}"
for tool in python3 taskset; do
	command -v "$tool" >/dev/null || {
		echo "$tool is not installed"
		exit 77
	}
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME="$work" LC_ALL=C
cat >pass.py <<'P'
import os

there, back = os.pipe(), os.pipe()
if os.fork() == 0:
    os.close(there[1])
    while os.read(there[0], 1):
        os.write(back[1], b"x")
    os._exit(0)
for _ in range(15000):
    os.write(there[1], b"x")
    os.read(back[0], 1)
P
"$CUPEL" sched record -q -z -o try.data -- true 2>log || {
	echo "cannot record the scheduler here: $(head -n 1 log)"
	exit 77
}
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
failed=0
fixed=$(stat -c %s try.data)

# record NAME OPTIONS…: bytes, switches and records
record() {
	name=$1
	shift
	"$CUPEL" sched record -q -m 8M -o "$name" "$@" -- taskset -c "$cpu" python3 pass.py || exit 1
	bytes=$(stat -c %s "$name")
	switches=$("$CUPEL" sched timehist -s -i "$name" | awk '/context switches:/ { print $NF }')
	records=$("$CUPEL" report --stats -i "$name" | awk '/TOTAL events:/ { print $3 }')
	echo "$name: $bytes bytes, $switches switches, $records records"
	[ "$switches" -ge 25000 ] || failed=1
}

record plain.data
! "$CUPEL" report --header-only -i plain.data | grep "^# compressed" || failed=1 # for other readers
[ "$((bytes / switches))" -gt 150 ] || failed=1
record compact.data -z
[ "$(((bytes - fixed) * 3 / records))" -le 40 ] || failed=1
if command -v perf >/dev/null; then
	perf script -i compact.data -F event 2>log | grep -c 'sched:sched_switch' >seen
	echo "stock perf sees $(cat seen) of them"
	[ "$(cat seen)" = "$switches" ] || failed=1
	perf report --header-only -i compact.data 2>/dev/null | grep '^# compressed'
fi
"$CUPEL" report --header-only -i compact.data | grep '^# compressed : Zstd, level = ' || failed=1
exit "$failed"
