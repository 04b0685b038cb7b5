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
cat >sleeper.py <<'PY'
"""Waits for a line, sleeps 100 times for 5 ms, and says how often it lost its CPU otherwise."""
import resource, sys, time
open("ready", "w").close()
sys.stdin.readline()
for _ in range(100):
    time.sleep(0.005)
print(resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw)
PY
mkfifo line
# watch_sleeper RESULT TOOL…: the tool on that program from before its sleeps to its end
watch_sleeper() {
	result=$1
	shift
	rm -f ready
	python3 sleeper.py <line >"$result.preempted" &
	pid=$!
	exec 3>line
	wait_for test -e ready || exit 1
	"$CUPEL" "$@" -p "$pid" >"$result" &
	watching=$!
	wait_for is_watching $watching || exit 1
	echo >&3
	exec 3>&-
	wait $watching || exit 1
	wait $pid
}
watch_sleeper off.json cpudist -O --json
watch_sleeper runqlat.txt runqlat
watch_sleeper totals.txt cpudist -O -e
watch_sleeper pidnss.txt runqlat --pidnss
namespace=$(readlink /proc/self/ns/pid | tr -dc 0-9)
grep -qx "pidns = $namespace" pidnss.txt || {
	echo "not of namespace $namespace:"
	cat pidnss.txt
	exit 1
}
python3 - <<'PY' || exit 1
import json

def preempted(result):
    return int(open(result + ".preempted").read())

# Each sleep lasts 5 ms and until there is a CPU. There are a few other waits, as for the line.
buckets = json.load(open("off.json"))["histograms"][0]["buckets"]
slept = sum(b["count"] for b in buckets if b["from"] >= 4096)
waits = sum(b["count"] for b in buckets)
assert slept >= 100 and waits <= 110 + preempted("off.json"), (buckets, preempted("off.json"))
rows = [line.split() for line in open("runqlat.txt") if "->" in line]
woken = sum(int(row[4]) for row in rows)
assert 100 <= woken <= 110 + preempted("runqlat.txt"), (rows, preempted("runqlat.txt"))
average, total, count = (int(word) for line in open("totals.txt") if line.startswith("avg")
	for word in line.replace(",", "").split() if word.isdigit())
assert total >= 500000 and abs(total - average * count) <= count, (average, total, count)
print("%d waits of 100 sleeps of 5 ms" % waits)
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
began_ns=$(date +%s%N)
"$CUPEL" cpudist -I -e 1 1 >idle.txt || fail "cpudist -I"
elapsed_us=$((($(date +%s%N) - began_ns) / 1000))
"$CUPEL" cpudist -P 300ms 1 >others.txt || fail "cpudist -P"
grep -q '^pid = 0' others.txt && fail "an idle task without --idle: $(cat others.txt)"
sed -n 's/.*total: \([0-9]*\) usecs.*/\1/p' idle.txt |
	awk -v cpus="$(nproc --all)" -v most="$elapsed_us" '{ exit !(0.3e6 * cpus <= $1 && $1 <= most * cpus) }' ||
	fail "not the time of all CPUs: $(tail -n 1 idle.txt)"
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
pids=
for _ in 1 2 3 4; do
	timeout 600 taskset -c "$cpu" sh -c 'while :; do :; done' &
	pids="$pids $!"
done
for hog in $pids; do
	wait_for child_of "$hog" sh && wait_for has_used "$child" 2 || fail "a program does not get to run"
done
"$CUPEL" runqlen -C --json --heatmap length.svg 1 1 >length.json || fail "runqlen"
# On a busy machine it takes a while until one of the four runs right after another one.
for seconds in 1 4 16 64; do
	"$CUPEL" runqslower -d $seconds -P --heatmap delay.svg 1000 >slow.txt || fail "runqslower"
	awk '$2 == "sh" && $5 == "sh" { found = 1 } END { exit !found }' slow.txt && break
done
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
