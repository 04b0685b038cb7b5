#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# Stock perf reads every kind of recording without a warning and with the same number of samples, also
# of a killed recorder and on a full disk. The CPU's identity equals that in perf's recordings.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
if ! command -v perf >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "needs perf and root"
	exit 77
fi
folder=$(mktemp -d)
mounted=
cleanup() {
	[ -z "$mounted" ] || umount "$folder/disk"
	rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
cat >load.sh <<'END'
for i in 1 2 3 4; do gzip -c /bin/sh >/dev/null; done
END

fail() {
	echo "$*"
	exit 1
}

# samples FILE: the number of samples according to stock perf.
samples() {
	perf script --no-inline -i "$1" -F comm,tid,time,event 2>>errors | grep -c ' [0-9]*\.[0-9]*: ' || :
}

# No output on stderr, and the same count as printed by cupel.
check() {
	: >errors
	seen=$(samples out)
	perf report --no-inline -i out --stdio >/dev/null 2>>errors
	if grep -q 'lost [0-9]* chunks' errors; then # a busy machine: what is lost is recorded, as it should be
		sed -i '/^Warning:$/d; /lost [0-9]* chunks/d; /^Check IO/d; /^$/d' errors
	fi
	[ ! -s errors ] || fail "$*: perf says: $(head -3 errors)"
	told=$(tr -d , <said | sed -n 's/.* \([0-9]*\) samples* .*/\1/p')
	told=${told:-$(tr -d , <said | sed -n 's/.*: \([0-9]*\) samples*.*/\1/p')}
	[ "$seen" = "$told" ] || fail "$*: perf sees $seen samples, cupel wrote $told"
	[ "$seen" -gt 0 ] || fail "$*: no samples"
}

while read -r options; do
	# shellcheck disable=SC2086 # several words
	"$CUPEL" record -o out $options -- sh load.sh >/dev/null 2>said || fail "$options: $(cat said)"
	check "$options"
done <<'END'
-e cpu-clock
-e cpu-clock --call-graph none
-e cpu-clock --call-graph dwarf
-e cpu-clock,faults
-e {cpu-clock,faults}
-e cpu-clock -a
-e cpu-clock -z
-e cpu-clock,faults -z -a
-e cpu-clock -k mono
-e cpu-clock -d
-e faults -c 1
END

# A pipe.
for options in "-e cpu-clock" "-e cpu-clock,faults" "-e cpu-clock -z"; do
	# shellcheck disable=SC2086 # several words
	"$CUPEL" record -o - $options -- sh load.sh 2>said >out || fail "$options: $(cat said)"
	check "pipe $options"
done

# Tracepoints are printed by name and field.
grep -q tracefs /proc/mounts || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || :
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	for output in out -; do
		"$CUPEL" record -o "$output" -e sched:sched_switch,sched:sched_wakeup -a -- sh load.sh \
			2>said >pipe
		[ "$output" = out ] || mv pipe out
		check "tracepoints to $output"
		perf script -i out | grep -q 'sched:sched_switch: .*prev_comm=.* next_pid=' ||
			fail "tracepoints to $output: no fields"
	done
fi

# Header data that both programs compute.
perf record -q -N -o theirs -e cpu-clock true 2>/dev/null
"$CUPEL" record -q -o ours -e cpu-clock -- true 2>/dev/null
for file in theirs ours; do
	perf report -i $file --header-only -I |
		grep -E '^# (hostname|os release|arch|nrcpus|cpudesc|cpuid|total mem|sibling|CPU [0-9]|node)' |
		sed '/^# node/s/, free.*//' >$file.header
done
diff theirs.header ours.header || fail "headers differ"

# Killed: the file is complete up to the last full round, with the names of events.
"$CUPEL" record -q -o killed -e cpu-clock,faults -a -- sleep 30 2>/dev/null &
recorder=$!
wait_for child_of $recorder sleep || fail "killed: the program does not run"
sh load.sh
size=$(stat -c %s killed)
has_grown() {
	[ "$(stat -c %s killed)" -gt "$size" ]
}
wait_for has_grown || fail "killed: nothing is written"
kill -9 $recorder
wait $recorder 2>/dev/null || :
: >errors
[ "$(samples killed)" -gt 0 ] || fail "killed: no samples"
perf report --no-inline -i killed --stdio 2>>errors | grep -q "of event 'faults'" || fail "killed: no event names"
[ ! -s errors ] || fail "killed: perf says: $(head -3 errors)"
"$CUPEL" report -i killed >/dev/null || fail "killed: cupel cannot read it"

# A full disk: one error, a readable file, and the program runs on. There is room for the initial data
# about the machine and some samples.
"$CUPEL" record --call-graph fp -o start -e faults -c 1 -a -- true 2>said || fail "start: $(cat said)"
mkdir disk
if mount -t tmpfs -o size=$(($(stat -c %s start) / 1024 + 400))k none disk 2>/dev/null; then
	mounted=1
	"$CUPEL" record --call-graph fp -o disk/out -e faults -c 1 -a -- sh -c \
		'for i in 1 2 3 4 5 6 7 8; do sh load.sh; sleep 0.2; done; echo done >ok' >/dev/null 2>said && fail "full disk: no error"
	[ -e ok ] || fail "full disk: the program was harmed"
	grep -qi 'no space left' said || fail "full disk: $(cat said)"
	: >errors
	[ "$(samples disk/out)" -gt 0 ] || fail "full disk: no samples"
	[ ! -s errors ] || fail "full disk: perf says: $(head -3 errors)"
fi
