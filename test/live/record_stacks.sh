#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: stacks are complete only if unwind tables are built in time
# Complete stacks without frame pointers: the test records programs of the distribution without
# options. Nearly all user stacks reach the root, and stock perf reads the same number of samples. A
# killed recorder leaves no BPF programs. Without privileges one line says what is missing.
set -eu
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
if [ "$(id -u)" != 0 ] || ! "$CUPEL" version --build-options | grep -q '^ *bpf: yes$'; then
	echo "needs root and BPF"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# number KEY: the first value of a key in the report.
number() {
	sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" json | head -n 1
}

# share NAME: nearly all user stacks in the report are complete.
share() {
	sed 's/.*"stacks":\({[^}]*}\)}.*/\1/; q' json >stacks
	total=$(sed 's/.*"total":\([0-9]*\).*/\1/' stacks)
	complete=$(sed 's/.*"complete":\([0-9]*\).*/\1/' stacks)
	echo "$1: $complete of $total stacks are whole"
	[ "$total" -gt 5 ] || fail "$1: only $total stacks"
	[ $(((complete + 2) * 1000)) -ge $((total * 995)) ] || fail "$1: $(cat stacks)" # two by chance
}

# asked NAME OPTIONS: with -g, stacks of events without a BPF sampler are complete, too. What comes in the
# first milliseconds of a program, before its tables, is not; so dd waits for its input. A fast CPU copies
# that in 3 ms.
asked() {
	name=$1
	shift
	{
		sleep 1
		for _ in 1 2 3 4 5; do cat input; done
	} | "$CUPEL" record -q -g "$@" -o c.data -- dd of=/dev/null bs=2048 iflag=fullblock 2>said ||
		fail "$name: $(cat said)"
	"$CUPEL" report -i c.data --json >json
	share "$name"
}

# whole NAME PROGRAM…: at least 99.5 % of user stacks are complete.
whole() {
	name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		echo "without $1"
		return
	fi
	if ! "$CUPEL" record -o c.data -- "$@" >/dev/null 2>said; then
		fail "$name: $(cat said)"
		return
	fi
	grep -q ', 0 lost' said || fail "$name: $(cat said)"
	"$CUPEL" report -i c.data --json >json
	share "$name"
	samples=$(number samples)
	command -v perf >/dev/null || return 0
	n=$(perf script --no-inline -f -i c.data -F event 2>errors | grep -c . || true)
	[ "$n" = "$samples" ] || fail "$name: cupel reports $samples samples, perf $n: $(cat errors)"
	[ ! -s errors ] || fail "$name: perf says $(cat errors)"
}

cat >deep.py <<'PYTHON'
import sys
sys.setrecursionlimit(5000)
def down(n):
    return down(n - 1) + 1 if n else sum(range(300))
for _ in range(300):
    down(60)
PYTHON
awk 'BEGIN {
	for (i = 0; i < 150; i++)
		printf "static int f%d(int a) { int s = %d; while (a--) s = s * 3 ^ a; return s; }\n", i, i
	printf "int main(int c, char **v) { int s = 0;"
	for (i = 0; i < 150; i++)
		printf " s += f%d(c);", i
	print " return s; }"
}' >many.c
head -c 3000000 "$(readlink -f "$CUPEL")" >input
whole python3 python3 deep.py
# shellcheck disable=SC2016 # perl expands it
whole perl perl -e 'sub f { $_[0] ? f($_[0] - 1) + 1 : length join ",", 1 .. 300 } f(40) for 1 .. 2000'
whole xz xz -kc -1 input
whole gzip gzip -kc input
whole cc1 gcc -O2 -c many.c -o /dev/null
whole openssl openssl speed -seconds 1 rsa2048
whole sqlite3 sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c
	where x < 300000) select sum(x * x % 7) from c'

asked "-g" -c 20000
asked "tracepoint" -e syscalls:sys_enter_write
asked "tracepoint and clock" -e cpu-clock/period=20000/,syscalls:sys_enter_write
asked "data addresses" -d -c 20000 -e cpu-clock

# A thousand processes: no sample is lost, not even the first ones.
# shellcheck disable=SC2016 # the inner shell expands it
"$CUPEL" record -F 4000 -o c.data -- sh -c 'i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); /bin/true
	done' 2>said || fail "new processes: $(cat said)"
grep -q ', 0 lost' said || fail "new processes: $(cat said)"
"$CUPEL" report -i c.data --json >json
share "new processes"

# A killed recorder leaves no BPF program and no map.
"$CUPEL" record -o c.data -- sleep 60 2>/dev/null &
recorder=$!
has_program() {
	id=$(sed -n 's/^prog_id:[[:space:]]*//p' /proc/$recorder/fdinfo/* 2>/dev/null | head -n 1)
	program=$(pgrep -P $recorder) && [ -n "$id" ]
}
wait_for has_program || fail "the recorder has no BPF program"
kill -9 $recorder
wait $recorder 2>/dev/null || true
[ -z "$program" ] || kill "$program" 2>/dev/null || true
if command -v bpftool >/dev/null && [ -n "$id" ]; then
	is_freed() { # a little later
		! bpftool prog show id "$id" >/dev/null 2>&1
	}
	wait_for is_freed || fail "program $id is still there"
fi

# Without privileges: complete stacks from copies, and one line with the reason. With the capabilities
# in the manual: stacks are walked in the kernel.
if command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	chmod 777 "$work"
	cp "$CUPEL" cupel
	setpriv --reuid 65534 --regid 65534 --clear-groups ./cupel record -o u.data -- \
		gzip -kc input >/dev/null 2>said || fail "unprivileged: $(cat said)"
	[ "$(grep -c 'copied instead of walked in the kernel: .*CAP_BPF and CAP_PERFMON' said)" = 1 ] ||
		fail "unprivileged: $(cat said)"
	"$CUPEL" report --json -i u.data >u.json
	python3 -c 'import json, sys
stacks = json.load(open("u.json"))["events"][0]["stacks"]
sys.exit(not (stacks["total"] > 20 and stacks["complete"] > 0.9 * stacks["total"]))' ||
		fail "unprivileged: stacks are not whole: $(grep -o '"stacks":{[^}]*}' u.json)"
	if command -v setcap >/dev/null && setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep cupel; then
		setpriv --reuid 65534 --regid 65534 --clear-groups ./cupel record -o v.data -- \
			gzip -kc input >/dev/null 2>said || fail "capabilities: $(cat said)"
		! grep -q 'instead of walked' said || fail "capabilities: $(cat said)"
		setpriv --reuid 65534 --regid 65534 --clear-groups ./cupel report -i v.data >/dev/null ||
			fail "capabilities: report"
	fi
fi
exit $failed
