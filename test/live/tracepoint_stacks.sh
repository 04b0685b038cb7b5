#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record of tracepoints, with and without -g: samples have their data and whole stacks without frame
# pointers, with and without a filter, of a program and of the machine, and no copies of stacks. Each
# stack is the one of its sample: the caller of a system call is known by what it was called with.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >calls.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>

static volatile long sum;

__attribute__((noinline)) static void call(long argument)
{
	sum += syscall(SYS_getpgid, argument);
}

__attribute__((noinline)) void odd_caller(long i)
{
	call(2 * i + 1000001);
	sum++;
}

__attribute__((noinline)) void even_caller(long i)
{
	call(2 * i + 1000000);
	sum++;
}

int main(void)
{
	for (long i = 0; i < 20000; i++) {
		odd_caller(i);
		even_caller(i);
	}
	return 0;
}
C
cc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls -o calls calls.c || exit 1
bad=0
fail()
{
	echo "FAILED: $*"
	bad=1
}
event=syscalls:sys_enter_getpgid
if ! timeout -k 1 20 "$CUPEL" record -g -e $event -o a.data -- ./calls 2>log; then
	cat log
	exit 1
fi
if grep -q 'copied instead' log; then
	echo "no BPF programs here: $(head -n 1 log)"
	exit 77
fi

# check FILE SAMPLES: that many, each whole with its caller, but for those that come before the tables
# of the program, which can be most of them on a busy machine.
check()
{
	"$CUPEL" script -i "$1" -F comm,event,trace,ip,sym >text 2>/dev/null
	"$CUPEL" report --json -i "$1" >json 2>/dev/null
	python3 - "$1" "$2" <<'PYTHON' || bad=1
import json, re, sys

name, want = sys.argv[1], int(sys.argv[2])
samples = callers = wrong = 0
for block in open("text").read().split("\n\n"):
    head = re.search(r"^ *calls .*getpgid: pid: (0x[0-9a-f]+)", block, re.M)
    if not head:
        continue
    samples += 1
    caller = re.search(r"(odd|even)_caller", block)
    callers += caller is not None
    wrong += caller is not None and (caller[1] == "odd") != (int(head[1], 16) & 1)
event = next(e for e in json.load(open("json"))["events"] if "getpgid" in e["name"])
whole = event["stacks"]["complete"] / max(event["stacks"]["total"], 1)
stopped = event["stacks"].get("stopped", {})
early = sum(stopped.get(reason, 0) for reason in ("no-table", "no-mapping", "not-taken"))
print(f"{name}: {samples} samples, {callers} with a caller, {wrong} with a wrong one, "
      f"{whole:.1%} whole, {event['stacks'].get('stopped')}")
if early > 0.1 * want:
    print(f"not tested: {name}: {early} of {want} samples came before the tables")
open("callers", "w").write(str(callers))
sys.exit(not (samples == want and callers and callers + early >= 0.99 * want and not wrong))
PYTHON
}

check a.data 40000
callers=$(cat callers)
size=$(stat -c %s a.data)
echo "$((size / 40000)) bytes a sample"
[ "$size" -lt $((40000 * 400)) ] || fail "$size bytes for 40,000 samples"

# -g is the default.
timeout -k 1 20 "$CUPEL" record -e $event -o plain.data -- ./calls 2>log || fail "$(cat log)"
check plain.data 40000

# perf's filter decides; hits that it refuses have no stacks walked.
timeout -k 1 20 "$CUPEL" record -g -e $event --filter 'pid & 1' -o odd.data -- ./calls 2>log ||
	fail "$(cat log)"
check odd.data 20000
walked=$("$CUPEL" report --stats -i odd.data 2>/dev/null | awk '/unwound in the kernel/ { print $1 }')
[ "${walked:-0}" -gt 0 ] && [ "$walked" -lt 25000 ] ||
	fail "$walked stacks walked for 20,000 samples"

# The whole machine, and two events of one tracepoint at one hit.
timeout -k 1 20 "$CUPEL" record -a -g -e $event -e sched:sched_switch -o all.data -- ./calls 2>log ||
	fail "$(cat log)"
check all.data 40000

# Stock perf reads it.
if command -v perf >/dev/null; then
	lines=$(perf script -i a.data -F comm,ip,sym 2>/dev/null | grep -c '_caller$')
	[ "$lines" -ge "$callers" ] || fail "perf script finds $lines callers"
fi
exit $bad
