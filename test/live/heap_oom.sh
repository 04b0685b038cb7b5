#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap --oom in a cgroup with a limit: a program that leaks until the kernel kills it, a process that
# runs already, and a program that is not killed.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
cd "$work" || exit 1
group=
clean() {
	[ -z "$group" ] || rmdir "$group" 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
if [ -w /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
	name=/sys/fs/cgroup/memory/cupel-oom-$$
	limit=memory.limit_in_bytes
elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
	name=/sys/fs/cgroup/cupel-oom-$$
	limit=memory.max
else
	echo "no cgroup with a limit of memory can be made here"
	exit 77
fi
mkdir "$name" 2>log || {
	echo "no cgroup can be made here: $(cat log)"
	exit 77
}
group=$name
echo 64M >"$group/$limit" || exit 77
# Without this memory goes to swap instead.
for file in memory.memsw.limit_in_bytes memory.swap.max; do
	[ ! -e "$group/$file" ] || { [ $file = memory.swap.max ] && echo 0 || echo 64M; } >"$group/$file"
done
"$CUPEL" heap -o /dev/null -- true 2>log || {
	echo "allocations cannot be watched here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >leak.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HIDE __attribute__((noinline, noclone))
static void *volatile kept;

HIDE void cache(void) { kept = memset(malloc(8 << 20), 1, 8 << 20); }
HIDE void freed(void) { free(memset(malloc(1 << 20), 1, 1 << 20)); }
HIDE void leak(void) { kept = memset(malloc(100000), 1, 100000); }
int main(int argc, char **argv)
{
	FILE *group = fopen(argv[1], "w");
	char word;

	if (!group || fprintf(group, "%d", getpid()) < 0 || fclose(group))
		return 1;
	if (argc > 3 && (write(1, "ready\n", 6) != 6 || read(0, &word, 1) != 1))
		return 1;
	cache();
	for (int i = 0; i < atoi(argv[2]); i++) {
		freed();
		leak();
		usleep(100);
	}
	return 5;
}
C
cc -O1 -g -fno-builtin -o leak leak.c || exit 1

# check JSON: what the report of a kill has to have.
check() {
	python3 - "$1" "$group" <<'P' || fail "$2"
import json, sys
run = json.load(open(sys.argv[1]))
oom, MB = run['oom'], 1 << 20
bad = []
if oom['cgroup'] != sys.argv[2] or oom['kills'] != 1 or oom['limit'] != 64 * MB:
    bad.append(f'the kill: {oom}')
live = {}
for row in run['stacks']:
    for name in {f['function'] for f in row['stack']}:
        live[name] = live.get(name, 0) + row['live']
if not 25 * MB < live.get('leak', 0) < 70 * MB or live.get('freed', 0) > 2 * MB:
    bad.append(f'live: {live}')
for line in bad:
    print(line)
sys.exit(bool(bad))
P
}

echo "== a program"
"$CUPEL" heap --oom --rate 64K --json -o run.json -- ./leak "$group/cgroup.procs" 100000 2>log
[ $? -eq 137 ] || fail "status: $(cat log)"
check run.json "a program"
"$CUPEL" heap --oom --rate 64K -- ./leak "$group/cgroup.procs" 100000 >text 2>log
grep -q "killed for lack of memory: 1 process of $group, limit 64.00 MiB" text || fail "text: $(head -n 4 text)"
[ "$(cat /proc/self/oom_score_adj)" = "$("$CUPEL" heap --oom -o /dev/null -- cat /proc/self/oom_score_adj 2>log)" ] ||
	fail "the program is killed later than without cupel"

echo "== not killed"
"$CUPEL" heap --oom -o none -- ./leak "$group/cgroup.procs" 3 2>log
[ $? -eq 1 ] || fail "status without a kill: $(cat log)"
grep -q "no process was killed for lack of memory" log || fail "without a kill: $(cat log)"
[ ! -s none ] || fail "a report without a kill"

# The watched process only waits; another one of its cgroup is killed.
echo "== another process is killed"
mkfifo idle.in idle.out
./leak "$group/cgroup.procs" 0 wait <idle.in >idle.out &
pid=$!
exec 6>idle.in
until grep -q ready idle.out; do kill -0 $pid || break; done
"$CUPEL" heap --oom --save other.data -o other -p $pid 2>log &
cupel=$!
until [ -s other.data ] || ! kill -0 $cupel 2>/dev/null; do :; done
./leak "$group/cgroup.procs" 100000
wait $cupel || fail "another process: $(cat log)"
grep -q "process $pid, which is watched, was not killed" other || fail "another process: $(cat other)"
grep -q "live at the end  *unknown" other || fail "what was live: $(cat other)"
exec 6>&-
wait $pid

echo "== a process"
mkfifo in
./leak "$group/cgroup.procs" 100000 wait <in >out &
pid=$!
exec 5>in
until grep -q ready out; do kill -0 $pid || break; done
"$CUPEL" heap --oom --rate 64K --json -o run.json --save run.data -p $pid 2>log &
cupel=$!
# its header is written after the probes are on
until [ -s run.data ] || ! kill -0 $cupel 2>/dev/null; do :; done
printf g >&5
exec 5>&-
wait $pid
[ $? -eq 137 ] || fail "the process was not killed"
wait $cupel || fail "a process: $(cat log)"
check run.json "a process"
exit $failed
