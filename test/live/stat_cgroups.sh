#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts of cgroups: a program of known CPU time in a cgroup, seen from outside and by a counting
# program in the same cgroup; the times of all events of a cgroup agree, also those of the first.
set -u
[ "$(id -u)" -eq 0 ] || { echo "needs root: cgroups"; exit 77; }
command -v cc >/dev/null || { echo "no C compiler"; exit 77; }
mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
name=cupel-test-$$
here=$mount$(sed -n 's/^0:://p' /proc/self/cgroup)
work=$(mktemp -d)
[ -n "$mount" ] && mkdir "$mount/$name" 2>/dev/null || { echo "no cgroup can be made"; exit 77; }
tidy() {
	echo $$ >"$here/cgroup.procs"
	rmdir "$mount/$name"
	rm -rf "$work"
}
trap tidy EXIT
"$CUPEL" stat -a -e cs -G "$name" -o /dev/null true 2>/dev/null ||
	{ echo "no counters of cgroups"; exit 77; }
cat >"$work/spin.c" <<'EOF'
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	double until = argc > 1 ? atof(argv[1]) : 0;
	struct timespec used;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	while ((double)used.tv_sec + (double)used.tv_nsec / 1e9 < until);
	return 0;
}
EOF
cc -O1 -o "$work/spin" "$work/spin.c" || exit 1
cd "$work" || exit 1
failed=0
cat >check.awk <<'EOF'
# The time that the events ran: as the clock counted, within 3 ms, and the same for every event.
function differs(a, b) { return a - b > 3 || b - a > 3 }
BEGIN { FS = "," }
$3 == "task-clock" && differs($1, $5 / 1e6) { bad = 1 }
$4 == cgroup && differs($5 / 1e6, last) { bad = 1 }
{ cgroup = $4; last = $5 / 1e6 }
END { exit bad }
EOF
check() {
	awk -f check.awk out && return
	echo "$1: the times of the events differ:"
	cat out
	failed=1
}

# A program in the cgroup runs already when the events are enabled.
for cgroups in "$name" "/,$name" "$name,/"; do
	for _ in 1 2 3 4; do
		(echo $BASHPID >"$mount/$name/cgroup.procs" && exec ./spin 0.1) &
		"$CUPEL" stat -a -x, -o out -e cs,task-clock --for-each-cgroup "$cgroups" sleep 0.03
		grep , out >rows
		mv rows out
		check "$cgroups"
		wait
	done
done

# All of its CPU time.
"$CUPEL" stat -a -x, -o out -e task-clock -G "$name" \
	sh -c "echo \$\$ >'$mount/$name/cgroup.procs' && exec ./spin 0.2"
awk -F, '/task-clock/ { exit !($1 > 196 && $1 < 230) }' out || {
	echo "a program of 200 ms:"
	cat out
	failed=1
}

# Counted from within.
echo $$ >"$mount/$name/cgroup.procs"
for _ in 1 2 3 4; do
	"$CUPEL" stat -a -x, -o out -e cs,task-clock --for-each-cgroup "$name" ./spin 0.03
	grep , out >rows
	mv rows out
	check "from within"
done
exit $failed
