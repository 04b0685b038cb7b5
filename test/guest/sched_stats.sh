#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares sched stats with /proc/schedstat before and after the run: the CPU's numbers are between
# these readings, the counters are off again afterwards, and a report shows the recorded numbers.
cd /tmp || exit 1
switch=/proc/sys/kernel/sched_schedstats
before=$(cat "$switch")
echo 0 >"$switch"
# Numbers of cpu0 in one reading.
numbers() {
	awk '$1 == "cpu0" { print $4, $6, $8 }' /proc/schedstat
}
failed=0
outer=$(numbers)
"$CUPEL" sched stats record -o s.data -- sh -c 'for i in 1 2 3 4 5; do sleep 0.05; done' || failed=1
outer="$outer $(numbers)"
[ "$(cat "$switch")" = 0 ] || {
	echo "the counters stay on"
	failed=1
}
"$CUPEL" sched stats report -i s.data >report || failed=1
head -n 26 report
# schedule() was called at least once per sleep, and at most as often as between the outer readings
awk -v outer="$outer" '
	BEGIN { split(outer, o) }
	/^CPU 0$/ { mine = 1 }
	/DOMAIN/ { mine = 0 }
	mine && $1 == "sched_count" { if ($3 < 10 || $3 > o[4] - o[1]) bad = 1; seen++ }
	mine && $1 == "ttwu_count" { if ($3 < 5 || $3 > o[5] - o[2]) bad = 1; seen++ }
	mine && $1 == "rq_cpu_time" { if ($3 < 1 || $3 > o[6] - o[3]) bad = 1; seen++ }
	END { exit bad || seen != 3 }' report || {
	echo "not within the readings by hand: $outer"
	failed=1
}
"$CUPEL" sched stats -- true | grep -q '^CPU 0' || failed=1
"$CUPEL" sched stats diff s.data s.data | grep -q '^sched_count .*|     0.00% |' || failed=1
echo "$before" >"$switch"
exit "$failed"
