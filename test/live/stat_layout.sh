#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Compares the layout of counts with stock perf, for the same commands: the same lines in the same
# order, with the same length and words. Numbers differ between runs, so the test replaces them; columns
# of fixed width keep the length of a line. Additional lines of cupel are removed by name.
set -u
command -v perf >/dev/null || { echo "no perf here"; exit 77; }
perf stat -e cs true >/dev/null 2>&1 || { echo "perf stat does not count here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# The shape of a text: every line with its length, and its words with numbers as N.
shape() {
	awk '
	/peak resident memory$/ || /^not counted here:/ { next }
	/^# started on/ { print "# started on"; next }
	{
		line = $0
		len = length(line)
		gsub(/[KMG]\/sec/, "/sec", line)
		gsub(/-?[0-9][0-9,]*(\.[0-9]+)?/, "N", line)
		gsub(/\( \+-? *N% \)/, "", line) # none if all runs agree; at 100 % the N has the -
		gsub(/ +/, " ", line)
		sub(/ $/, "", line)
		if ($0 ~ /time elapsed/)
			len = 0 # digits follow the error
		print fixed == "text" ? len ":" line : line
	}' fixed="$1"
}

# compare KIND OPTIONS…: both programs write to separate files.
failed=0
compare() {
	kind=$1
	shift
	for _ in 1 2 3; do # an event may have run in only one of them
		perf stat "$@" >/dev/null 2>perf.txt
		"$CUPEL" stat "$@" >/dev/null 2>cupel.txt
		shape "$kind" <perf.txt >perf.shape
		shape "$kind" <cupel.txt >cupel.shape
		cmp -s perf.shape cupel.shape && return
	done
	echo "stat $*: perf (-) and cupel (+)"
	diff -u perf.shape cupel.shape
	failed=1
}

task='task-clock,cs,migrations,page-faults'
cpu='cpu-clock,cs,page-faults'
compare text -- true
compare text -d -- true
compare text -d -d -- true
compare text -d -d -d -- true
compare text -e $task -- true
compare text -e cs:u,cs:k -- true
compare text -e '{cs,faults}' -- true
compare text --no-big-num -e page-faults -- ls /
compare text -B -e page-faults -- ls /
compare csv -r 3 -e $task -- true # the error column exists only for errors above 0
compare text --null -- true
compare text -a -- true
compare text -C 0 -e $cpu -- true
for place in -A --per-core --per-socket --per-die --per-node; do
	compare text -a $place -e $cpu -- true
	compare csv -x, -a $place -e $cpu -- true
done
! grep -q ' cgroup2\? ' /proc/mounts || compare text -a --for-each-cgroup / -e cs -- true
compare text --metric-only -e $task -- true
compare text -I 1000 -e $task -- true
compare text -a -A -I 1000 -e $cpu -- true
compare text -a --per-core -I 1000 -e $cpu -- true
compare text -a --per-socket -I 1000 -e $cpu -- true
compare text -I 1000 --summary -e $task -- true
compare csv -x, -- true
compare csv -x@ -e $task -- true
compare csv '-x\t' -e $task -- true
compare csv -x, -r 2 -e $task,cycles -- true
compare csv -x, -I 1000 -e $task -- true
compare csv -x, -I 1000 --summary -e $task -- true
compare csv -x, -I 1000 --summary --no-csv-summary -e $task -- true
compare csv -x, -a -A -I 1000 -e cs -- true
! grep -q ' cgroup2\? ' /proc/mounts || compare csv -x, -a --for-each-cgroup / -e cs -- true
compare csv -j -e $task -- true
compare csv -j -r 2 -e $task -- true
compare csv -j -a -A -e $cpu -- true
compare csv -j -a --per-core -e $cpu -- true
compare csv -j -a --per-socket -e $cpu -- true
compare csv -j -I 1000 -e $task -- true
compare csv -j -d -- true
compare csv -x, -d -d -d -- true
compare text -a -A -d -- true
compare csv -x, -a --per-die -I 1000 -e $cpu -- true
compare csv -j -a --per-die -I 1000 -e $cpu -- true

sleep 60 &
sleeper=$!
compare text -p $sleeper -e cs -- sleep 0.1
compare text -t $sleeper -e cs -- sleep 0.1
compare text -p $sleeper --per-thread -e cs -- sleep 0.1
kill $sleeper

perf stat -e cs -o perf.file -- true
perf stat -e cs -o perf.file --append -- true
"$CUPEL" stat -e cs -o cupel.file -- true
"$CUPEL" stat -e cs -o cupel.file --append -- true
diff <(shape text <perf.file) <(shape text <cupel.file) || failed=1

# Numbers without commas, as stock perf prints them in this locale.
ungrouped() {
	sed -E ':again; s/ ([0-9]+),([0-9]{3})/  \1\2/; t again'
}

# Recordings of counts: each program reads those of the other and prints the same text.
perf stat record -o perf.data -e $task -- true 2>/dev/null
perf stat record -a -A -o perf-all.data -e $cpu -- true 2>/dev/null
"$CUPEL" stat record -o cupel.data -e $task -- true 2>/dev/null
"$CUPEL" stat record -a -o cupel-all.data -e $cpu -- true 2>/dev/null
for file in perf.data perf-all.data cupel.data cupel-all.data; do
	for place in '' -A --per-socket; do
		case $file$place in
		perf.data-* | cupel.data-*) continue ;; # counts of a program have no CPU
		esac
		perf stat report $place -i $file 2>perf.txt
		"$CUPEL" stat report $place -i $file 2>&1 | ungrouped >cupel.txt
		cmp perf.txt cupel.txt || { failed=1 && diff perf.txt cupel.txt; }
	done
done
perf stat record -o - -e cs -- true 2>/dev/null | "$CUPEL" stat report -i - 2>&1 | grep -q "stats for 'pipe'" ||
	failed=1
"$CUPEL" stat record -o - -e cs -- true 2>/dev/null | perf stat report -i - 2>&1 | grep -q ' cs ' || failed=1
"$CUPEL" stat record -I 10 -o cupel.data -e cs,cpu-clock -a -- sleep 0.05 2>live.txt
"$CUPEL" stat report -i cupel.data 2>report.txt
cmp live.txt report.txt || failed=1
exit $failed
