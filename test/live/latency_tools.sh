#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# runqlat and cpudist on programs with sleeps of known length: the waits are in the correct buckets, and
# the counts equal the number of sleeps. runqlen and runqslower on four programs on one CPU: three of
# them always wait, longer than a time slice. Heat maps are well-formed.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" wall --json -o probe.json -- true 2>log || {
	echo "the scheduler cannot be watched here: $(head -n 1 log)"
	exit 77
}
python3 -c 'import time
open("ready", "w")
while True: time.sleep(0.005)' &
pid=$!
trap 'kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
wait_for test -e ready || exit 1
"$CUPEL" cpudist -O -p "$pid" --json 500ms 1 >off.json || exit 1
"$CUPEL" runqlat -p "$pid" 300ms 1 >runqlat.txt || exit 1
"$CUPEL" cpudist -O -e -p "$pid" 200ms 1 >totals.txt || exit 1
"$CUPEL" runqlat --pidnss -p "$pid" 200ms 1 >pidnss.txt || exit 1
namespace=$(readlink /proc/self/ns/pid | tr -dc 0-9)
kill "$pid"
wait "$pid" 2>/dev/null
grep -qx "pidns = $namespace" pidnss.txt || {
	echo "not of namespace $namespace:"
	cat pidnss.txt
	exit 1
}
python3 - <<'PY' || exit 1
import json
buckets = json.load(open("off.json"))["histograms"][0]["buckets"]
slept = sum(b["count"] for b in buckets if 4096 <= b["from"] <= 8192)
assert 30 <= slept <= 101, buckets
rows = [line.split() for line in open("runqlat.txt") if "->" in line]
average, total, count = (int(word) for line in open("totals.txt") if line.startswith("avg")
	for word in line.replace(",", "").split() if word.isdigit())
assert average >= 2500 and abs(total - average * count) <= count, (average, total, count)
assert 15 <= sum(int(row[4]) for row in rows) <= 130, rows
print("%d sleeps of 5 ms in half a second" % slept)
PY

failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
# With the idle tasks the CPUs are always busy, except at the ends of the second. On a busy machine the
# idle tasks may not run.
idle_ticks() {
	awk '$1 == "cpu" { print $5 }' /proc/stat
}
for _ in 1 2 3 4 5; do
	ticks=$(idle_ticks)
	"$CUPEL" cpudist -I -P 500ms 1 >idles.txt || fail "cpudist -I -P"
	grep -q '^pid = 0 swapper/' idles.txt && break
done
grep -q '^pid = 0 swapper/' idles.txt || [ $(($(idle_ticks) - ticks)) -lt 20 ] ||
	fail "no idle task: $(cat idles.txt)"
"$CUPEL" cpudist -I -e 1 1 >idle.txt || fail "cpudist -I"
"$CUPEL" cpudist -P 300ms 1 >others.txt || fail "cpudist -P"
grep -q '^pid = 0' others.txt && fail "an idle task without --idle: $(cat others.txt)"
sed -n 's/.*total: \([0-9]*\) usecs.*/\1/p' idle.txt |
	awk -v cpus="$(nproc --all)" '{ exit !(0.3e6 * cpus <= $1 && $1 <= 1.5e6 * cpus) }' ||
	fail "not the time of all CPUs: $(tail -n 1 idle.txt)"
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
pids=
for _ in 1 2 3 4; do
	timeout 100 taskset -c "$cpu" sh -c 'while :; do :; done' &
	pids="$pids $!"
done
for hog in $pids; do
	wait_for child_of "$hog" sh && wait_for has_used "$child" 2 || fail "a program does not get to run"
done
"$CUPEL" runqlen -C --json --heatmap length.svg 1 1 >length.json || fail "runqlen"
"$CUPEL" runqslower -d 1 -P --heatmap delay.svg 1000 >slow.txt || fail "runqslower"
"$CUPEL" runqslower -d 1 --comm sh --json 1000 >slow.json || fail "runqslower --json"
"$CUPEL" runqslower -d 300ms --comm nobody --json 0 >none.json || fail "runqslower --comm"
"$CUPEL" runqlat --comm sh --heatmap lat.svg 300ms 2 >lat.txt || fail "runqlat --heatmap"
# shellcheck disable=SC2086
kill $pids
[ -s none.json ] && fail "--comm lets others through"
python3 - "$cpu" <<'PY' || failed=1
import json, sys
import xml.dom.minidom as dom
queues = json.load(open("length.json"))["queues"]
queue = next(q for q in queues if q["cpu"] == int(sys.argv[1]))
waiting = sum(r["count"] for r in queue["lengths"] if r["length"] >= 3)
assert waiting >= 0.9 * queue["samples"] > 0, queue
rows = [line.split() for line in open("slow.txt")][2:]
own = [row for row in rows if row[1] == "sh"]
assert own and all(int(row[3]) >= 1000 for row in own), rows[:5]
assert any(row[4] == "sh" for row in own), own[:5]
slow = [json.loads(line) for line in open("slow.json")]
assert slow and all(r["comm"] == "sh" and r["delay_ns"] >= 1000000 for r in slow)
for name in "length.svg", "delay.svg", "lat.svg":
    assert dom.parse(name).getElementsByTagName("rect").length > 1, name
print("3 wait in %d of %d samples, %d long delays" % (waiting, queue["samples"], len(own)))
PY

# A tool with targets ends when they exit.
for tool in "runqlat --json" "runqslower --json"; do
	sleep 60 &
	pid=$!
	# shellcheck disable=SC2086 # words
	"$CUPEL" $tool -p $pid >ended.json &
	watching=$!
	wait_for is_watching $watching || fail "$tool does not watch"
	kill $pid
	has_ended() {
		! kill -0 $watching 2>/dev/null
	}
	wait_for has_ended && wait $watching || fail "$tool does not end with its target"
done
timeout 60 sleep 60 &
pid=$!
"$CUPEL" runqlat -L --json -t "$pid,$$" 300ms 1 >tids.json || fail "runqlat -t"
kill "$pid"
python3 - "$pid" $$ <<'PY' || failed=1
import json, sys
tids = [h["tid"] for h in json.load(open("tids.json"))["histograms"]]
assert tids == sorted(int(tid) for tid in sys.argv[1:]), tids
PY

# Selection by cgroup, if version 2 is mounted: only a sleeping program in it and its children.
for root in /sys/fs/cgroup/unified /sys/fs/cgroup; do
	[ "$(stat -f -c %T "$root" 2>/dev/null)" = cgroup2fs ] || continue
	mkdir "$root/cupel_test_$$" 2>/dev/null || break
	sh -c "echo \$\$ >$root/cupel_test_$$/cgroup.procs
		exec timeout 300 sh -c 'while :; do sleep 0.02; done'" &
	pid=$!
	wait_for grep -q . "$root/cupel_test_$$/cgroup.procs" || exit 1
	# On a busy machine few of them run in a second.
	for seconds in 1 4 16; do
		"$CUPEL" runqlat -c "$root/cupel_test_$$" --comms --json $seconds 1 >lat.json || fail "runqlat -c"
		"$CUPEL" cpudist --cgroup "$root/cupel_test_$$" --comms --json $seconds 1 >dist.json ||
			fail "cpudist -c"
		status=0
		python3 - >only 2>&1 <<'PY' || status=$?
import json, sys
for name in "lat.json", "dist.json":
    comms = {h["comm"]: sum(b["count"] for b in h["buckets"]) for h in json.load(open(name))["histograms"]}
    assert set(comms) <= {"sh", "sleep", "timeout"}, comms
    print("%s: only the cgroup's: %s" % (name, comms))
    if comms.get("sleep", 0) < 5:
        sys.exit(3)
PY
		[ $status = 3 ] || break
	done
	cat only
	[ $status = 0 ] || fail "selection by cgroup"
	"$CUPEL" runqlat -c "$root/no_such_cgroup" 1 1 2>>log && fail "runqlat -c: a missing cgroup"
	kill "$pid"
	wait "$pid"
	while ! rmdir "$root/cupel_test_$$" 2>/dev/null; do sleep 0.05; done
	break
done
exit $failed
