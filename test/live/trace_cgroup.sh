#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Threads of a cgroup or of a user, and those of the whole machine while a program runs: calls under way
# are there at the beginning, calls, stacks and events are theirs alone, and sums can be by cgroup.
set -u
: "${CUPEL:?path of the cupel binary}"
. "$(dirname "$0")/wait_for.bash"
for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -f -c %T "$root" 2>/dev/null)" = cgroup2fs ] && break
done
group=$root/cupel-trace-$$
mkdir "$group" 2>/dev/null || {
	echo "no cgroup of version 2 can be made here"
	exit 77
}
work=$(mktemp -d)
pids=()
finish() {
	kill -KILL "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	for _ in $(seq 100); do
		rmdir "$group" && break
		sleep 0.1
	done 2>/dev/null
	rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
"$CUPEL" trace -o out -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# Two programs that do the same; one is in the cgroup, and runs as another user.
cat >busy.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) void opens(void) { close(open("/etc/passwd", O_RDONLY)); }

int main(void)
{
	if (fork() == 0)
		return pause();
	for (;;) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		*page = 1;
		munmap(page, 4096);
		opens();
		usleep(1000);
	}
}
C
cc -O1 -g -fno-optimize-sibling-calls -o inside busy.c && cp inside outside || exit 1
chmod 755 "$work" inside
(echo "$BASHPID" >"$group/cgroup.procs" && exec setpriv --reuid 65534 --clear-groups ./inside) &
inside=$!
./outside &
pids+=("$inside" $!)
disown -a
wait_for child_of "$inside" inside || exit 1
pids+=("$child" "$(pgrep -P "${pids[1]}" -x outside)")
wait_for is_asleep "$child" inside

# looks CONDITION -- OPTION…: traces until the condition holds for the lines, then ends it
looks() {
	local condition=$1
	shift 2
	rm -f out
	timeout -k 1 -s INT 100 "$CUPEL" trace -o out "$@" 2>log &
	tracer=$!
	pids+=("$tracer")
	wait_for "$condition" || fail "$*: $(tail -n 20 out) $(cat log)"
	kill -INT "$(pgrep -P "$tracer")"
	wait "$tracer"
	! grep -q 'outside/' out || fail "$*: the other program: $(grep -m 3 outside/ out)"
}
has_calls() { [ "$(grep -c 'inside/.* openat(' out)" -ge 3 ]; } 2>/dev/null
looks has_calls -- --cgroup "$group"
grep -q "inside/$child pause( <unfinished" out || fail "calls under way: $(head -n 5 out)"
has_stacks() { has_calls && grep -q '^ *opens (inside)' out; } 2>/dev/null
looks has_stacks -- -g -e openat --cgroup "$group"
looks has_stacks -- -g -e openat -u 65534
has_events() { has_calls && grep -q 'inside/.* minfault ' out && grep -q 'inside/.* sched:sched_switch(' out; } 2>/dev/null
looks has_events -- -F min -e openat,sched:sched_switch --cgroup "$group"
looks has_events -- -F min -e openat,sched:sched_switch -u 65534

# Sums by cgroup; without a target, of the whole machine.
"$CUPEL" trace -s --summary-mode cgroup --json --timeout 500ms -o sums.json || fail "sums by cgroup"
python3 - "/${group##*/}" <<'PY' || fail "sums by cgroup: $(head -c 2000 sums.json)"
import json, sys
sums = json.load(open("sums.json"))
groups = {g["cgroup"]: g for g in sums["groups"] if "cgroup" in g}
assert sums["by"] == "cgroup" and sum(g["calls"] for g in sums["groups"]) == sums["calls"], sums
inside = {c["name"]: c["calls"] for c in groups[sys.argv[1]]["syscalls"]}
assert inside["openat"] >= 1 and len(groups) >= 2, groups.keys()
PY

# The whole machine, while a program runs.
"$CUPEL" trace -a -e openat,execve -o out -- sh -c 'sleep 0.2; exec true' || fail "status of -a with a program"
for call in 'inside/.* openat(' 'outside/.* openat(' 'sh/.* execve("[^"]*/sh"' 'true/.* execve('; do
	grep -q "$call" out || fail "-a with a program: no $call: $(head -n 20 out)"
done
program=$(sed -n 's,.* sh/\([0-9]*\) execve(.*,\1,p' out | head -n 1)
! grep -q "cupel/$program " out || fail "calls before the program: $(grep -m 3 "cupel/$program " out)"
"$CUPEL" trace -a -s -o out -- sh -c 'exit 7'
[ $? -eq 7 ] || fail "the program's status"
exit "$failed"
