#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# -e strings select the same events as in stock perf: the same names and the same selecting fields of
# the attrs (the recorder sets the fields for sampling). cupel rejects every string that perf rejects,
# and also a term without a value and a group without an end.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
if ! command -v perf >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "needs perf and root"
	exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
grep -q tracefs /proc/mounts || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || :

# selection FILE: one line for each event, without the fields set by the recorder.
selection() {
	perf evlist -v -i "$1" 2>/dev/null | grep -v '^#' | sed -E 's/,? *(size|\{ sample_period[^}]*\}|'"$(
	)"'sample_type|read_format|disabled|inherit|mmap|comm|freq|enable_on_exec|task|sample_id_all|mmap2|'"$(
	)"'comm_exec|ksymbol|bpf_event|build_id|sample_regs_user|sample_stack_user|mmap_data|'"$(
	)"'exclude_callchain_user): [^,]*//g; s/ *$//' | sort
}

bad=0
compared=0
while read -r event; do
	rm -f theirs ours
	case $event in
	*:*) [ -d /sys/kernel/tracing/events/sched ] || case $event in sched:* | sys*:*) continue ;; esac ;;
	esac
	perf record -q -N -B --no-bpf-event -o theirs -e "$event" true >/dev/null 2>&1 || :
	"$CUPEL" record -q --call-graph fp -o ours -e "$event" -- true >/dev/null 2>said || :
	if [ -e theirs ]; then selection theirs >theirs.text; else : >theirs.text; fi
	if [ -e ours ]; then selection ours >ours.text; else : >ours.text; fi
	compared=$((compared + 1))
	cmp -s theirs.text ours.text && continue
	bad=1
	echo "$event:"
	sed 's/^/  perf  /' theirs.text
	sed 's/^/  cupel /' ours.text said
done <<'END'
cs
cs:u
cs:k
cs:h
cs:uk
cs:p
cs:pp
cs:H
cs:G
cs:uG
cs:D
cs:S
cs:P
cs:e
faults
page-faults
minor-faults
major-faults
alignment-faults
emulation-faults
context-switches
cpu-migrations
dummy
dummy:u
bpf-output/no-inherit/
cgroup-switches
migrations
task-clock
cpu-clock:ppp
software/config=1/u
software/config=2,name=two/
cpu-clock/period=1000/
cpu-clock/freq=10,name=foo/k
cpu-clock/call-graph=fp,no-inherit/
cpu-clock/call-graph=dwarf,stack-size=4096/
cs,faults,cpu-clock
{cs,faults}
{cs,faults}:u
{cs:u,faults}:k
{cs,faults}:S
label{cs,cpu-clock}:u
sched:sched_switch
sched:sched_switch:u
sched:sched_switch:k
sched:sched_switch/call-graph=fp/k
sched:sched_wakeup*
syscalls:sys_enter_open*
sched:sched_switch,cs
tracepoint/config=1000000/
mem:0x1000
mem:0x1000:u
mem:0x1000:rw:u
mem:4096:x:u
cs:z
cs,
,cs
cs:pppp
software/nothing=1/
software/config=x/
nothing
sched:nothing
mem:nothing
END
[ $compared -ge 40 ] || {
	echo "only $compared strings could be compared"
	bad=1
}
exit $bad
