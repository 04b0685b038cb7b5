# SPDX-License-Identifier: GPL-2.0-or-later
# Options, errors and exit status of cupel stat; CSV and JSON follow the rules of perf's own tests.

bats_require_minimum_version 1.5.0
. "$BATS_TEST_DIRNAME/../live/wait_for.bash"

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	"$CUPEL" stat -e cs -o probe true || skip "this user cannot count here"
}

@test "the exit status is the program's" {
	"$CUPEL" stat -e cs -o out true
	run "$CUPEL" stat -e cs -o out sh -c 'exit 3'
	[ "$status" -eq 3 ]
	run "$CUPEL" stat -e cs -o out sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	run -127 "$CUPEL" stat -e cs no-such-program
	[ "$status" -eq 127 ]
	[[ $output == *"no-such-program: command not found"* ]]
	run "$CUPEL" stat -e cs ./probe
	[ "$status" -eq 126 ]
}

@test "a signal that ends the program is named" {
	run "$CUPEL" stat -e cs -o out sh -c 'kill -SEGV $$'
	[ "$status" -eq 139 ]
	[[ $output == *"sh: Segmentation fault"* ]]
	run "$CUPEL" stat -e cs -o out --timeout 50 sleep 9
	[[ $output != *Terminated* ]] # stat itself ended it
}

@test "the exit status is 0 if --timeout ends the program" {
	"$CUPEL" stat -e cs -o out --timeout 50 sleep 9
}

@test "errors about missing counters name their option" {
	[ ! -e /sys/bus/event_source/devices/cpu ] || skip "this CPU has counters"
	run "$CUPEL" stat -T true
	[ "$status" -eq 1 ]
	[[ $output == "cupel: stat: -T: this machine has no such counters"* ]]
	run "$CUPEL" stat -M IPC,TopdownL1 true
	[ "$status" -eq 1 ]
	[[ $output == "cupel: stat: TopdownL1: this machine has no such counters: slots,topdown-retiring"* ]]
	run "$CUPEL" stat --topdown -a true
	[[ $output == "cupel: stat: --topdown: this machine has no such counters"* ]]
}

@test "options of perf: refused with a value, without effect, with both kinds of tasks" {
	run "$CUPEL" stat --iostat=list
	[[ $output == *"--iostat: not available"* ]]
	run "$CUPEL" stat -e task-clock -p $$ -t $$ true
	[[ $output == *"for process id '$$', thread id '$$':"* ]]
}

@test "percore: with -A a row for each core, or the core's sum for each CPU" {
	[ -d /sys/bus/event_source/devices/software ] || skip "the kernel has no PMU 'software'"
	[ "$(id -u)" -eq 0 ] || skip "needs root for -a"
	event=software/config=3,percore/
	run "$CUPEL" stat -x, -a -A -e $event,cs true
	[ "$status" -eq 0 ]
	cores=$(cat /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list | sort -u | wc -l)
	[ "$(grep -c "^S[0-9]*-D[0-9]*-C[0-9]*,[0-9]*,,$event," <<<"$output")" -eq "$cores" ]
	[ "$(grep -c "^CPU[0-9]*,[0-9]*,,cs," <<<"$output")" -eq "$(nproc --all)" ]
	run "$CUPEL" stat -j -a -A -e $event true
	[ "$(grep -c '^{"core" : "S' <<<"$output")" -eq "$cores" ]
	run "$CUPEL" stat -x, -a -A --percore-show-thread -e $event true
	[ "$(grep -c "^CPU[0-9]*,[0-9]*,,$event," <<<"$output")" -eq "$(nproc --all)" ]
	run "$CUPEL" stat -x, -e $event true
	[ "$status" -eq 0 ]
}

@test "counts that are 0 for lack of permission are explained once" {
	[ "$(id -u)" -eq 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] ||
		skip "needs root, and users that may not count the kernel"
	command -v setpriv || skip "needs setpriv"
	cp "$CUPEL" cupel
	chmod a+rx . cupel
	setpriv --reuid=65534 --regid=65534 --clear-groups ./cupel stat -e cs,page-faults,cpu-migrations \
		true 2>out || skip "another user cannot run here"
	[ "$(grep -c '^not counted here: cs:u, cpu-migrations:u: happen in the kernel' out)" -eq 1 ]
	"$CUPEL" stat -e cs true 2>out
	! grep 'happen in the kernel' out
}

@test "times are counted as events" {
	"$CUPEL" stat -x, -o out -e duration_time,user_time,system_time \
		sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	awk -F, '/_time/ { ns[$3] = $1; bad += $2 != "ns" }
		END { cpu = ns["user_time"] + ns["system_time"]
		exit bad || cpu < 1e6 || ns["duration_time"] < cpu * 0.9 }' out
	"$CUPEL" stat record -o recorded -e duration_time,cs true
	"$CUPEL" stat report -i recorded >report 2>&1
	grep -Eq '[1-9][0-9,]+ +ns +duration_time' report
	run "$CUPEL" record -o /dev/null -e user_time true
	[ "$status" -eq 1 ]
	[[ $output == *"cannot be sampled, only counted"*"cupel stat -e user_time"* ]]
}

@test "with a delay a message says when events are enabled" {
	run "$CUPEL" stat -e cs -o out -D 20 sleep 0.1
	[ "$output" = "Events disabled
Events enabled" ]
	run "$CUPEL" stat -e cs -q -D 20 sleep 0.1
	[ -z "$output" ]
}

@test "a run that was cut off is not part of the mean" {
	interrupt() { # SECONDS OPTIONS…: an interrupt after that time, as the terminal sends it
		python3 - "$@" <<'PY'
import os, signal, subprocess, sys, time
child = subprocess.Popen([os.environ["CUPEL"], "stat", "-e", "cs", "-o", "out", *sys.argv[2:]],
                         preexec_fn=lambda: (signal.signal(signal.SIGINT, signal.SIG_DFL),
                                             os.setpgrp()))
children = "/proc/%d/task/%d/children" % (child.pid, child.pid)
def runs(): # the program, so signals are handled
    pids = open(children).read().split()
    return pids and open("/proc/%s/comm" % pids[0]).read() == "sleep\n"
while not runs():
    time.sleep(0.01)
time.sleep(float(sys.argv[1]))
os.killpg(child.pid, signal.SIGINT)
sys.exit(child.wait())
PY
	}
	run interrupt 1.5 -r 9 sleep 0.6
	[ "$status" -eq 130 ]
	awk '/elapsed/ { exit !($1 >= 0.6) }' out
	run interrupt 0.5 -r 0 sleep 0.2
	[ "$status" -eq 130 ]
	awk '/elapsed/ && $1 < 0.2 { exit 1 }' out
	run interrupt 0.3 -r 5 sleep 9 # there is no other
	awk '/elapsed/ { seen = $1 < 9 } END { exit !seen }' out
	run interrupt 0.3 --compare 'sleep 9' 'sleep 8'
	[ "$status" -eq 130 ]
	grep -q ' nothing was measured: no run of both is complete' out
	! grep -q 'elapsed' out
}

@test "an empty separator" {
	"$CUPEL" stat -x '' -o out -e cs true
	grep -Eq '^[0-9]+cs(:u)?[0-9]+100.00$' out
}

@test "options that cannot be combined are usage errors" {
	for arguments in '' '-j -x, true' '-r 2 -a' '-p 1 -a' '-G a true' '-A true' '--per-core true' \
		'--table true' '--interval-count 2 true' '--per-thread true' '-o f --log-fd 1 true' \
		'-D x true' '--for-each-cgroup a -p 1'; do
		run "$CUPEL" stat $arguments
		[ "$status" -eq 2 ] || { echo "$arguments: $status"; return 1; }
		[[ $output == "cupel: stat: "* ]]
	done
	run "$CUPEL" stat
	[[ $output == "cupel: stat: nothing to count"* ]]
	[[ $output == *"give a program, -a, -C CPUS, -p PID or -t TID"* ]]
}

@test "invalid values are usage errors, also those that are looked at late" {
	"$CUPEL" record -o r.data true 2>/dev/null
	for arguments in 'stat -C abc' 'stat -C 1-0' 'stat -t abc' 'stat -p 1,x' 'stat --control foo true' \
		'stat -e {cs true' 'stat -e cs:x true' 'stat --filter x true' 'record -p x' \
		'record -C x true' 'record --control x true' 'record -e {cs true' 'top -p x' 'wall -p x' \
		'report -i r.data --pid x' 'report -i r.data --cpu x' 'script -i r.data --tid x'; do
		run "$CUPEL" $arguments
		[ "$status" -eq 2 ] || { echo "$arguments: $status"; return 1; }
	done
}

@test "unknown events, processes and descriptors are errors" {
	run "$CUPEL" stat -e no-such-event true
	[ "$status" -eq 1 ]
	[[ $output == *"unknown event 'no-such-event'"* ]]
	run "$CUPEL" stat -p 4194304
	[ "$status" -eq 1 ]
	[[ $output == *"process 4194304: no such process"* ]]
	run "$CUPEL" stat --log-fd 77 true
	[ "$status" -eq 1 ]
	run "$CUPEL" stat -o no/such/folder true
	[ "$status" -eq 1 ]
}

@test "the program's output is separate from the counts" {
	[ "$("$CUPEL" stat -e cs -o out echo hello 2>&1)" = hello ]
	"$CUPEL" stat -e cs --log-fd 5 true 5>fd
	grep -q ' cs ' fd
	"$CUPEL" stat -q true 2>quiet
	[ ! -s quiet ]
	"$CUPEL" stat -e cs -x, -o out true
	"$CUPEL" stat -e cs -x, -o out --append true
	[ "$(grep -c '^# started on' out)" -eq 2 ]
	[ "$(grep -c ',cs,' out)" -eq 2 ]
}

# fields COUNT OPTIONS…: every line of CSV has COUNT separators.
fields() {
	count=$1
	shift
	"$CUPEL" stat -x@ -o csv "$@" "${program[@]:-true}" || return 1
	grep -v '^#' csv | grep . | awk -F@ -v want="$count" 'NF != want + 1 { print "line: " $0; bad = 1 }
		END { exit bad || !NR }' || { echo "options: $*"; return 1; }
}

@test "every line of CSV has the fields of its mode" {
	fields 6
	fields 6 -e task-clock,cs
	fields 7 -I 1000
	fields 7 -r 2
	fields 6 --summary -e cs
	fields 8 -r 2 -I 1000
	"$CUPEL" stat -a -e cs -o out true || skip "this user cannot count the machine"
	fields 6 -a
	fields 7 -a -A
	for place in core die socket node cache cluster; do
		fields 8 -a --per-$place
	done
	program=(sleep 0.1) # a thread without a context switch has no line
	fields 7 -a --per-thread -e cs
	! grep -q ' cgroup2\? ' /proc/mounts || fields 7 -a --for-each-cgroup / -e cs
}

@test "every line of JSON is an object with known keys and values" {
	checked() { "$CUPEL" stat -j -o json "$@" true && check "$@"; }
	check() {
		python3 - "$@" <<'PY'
import json, sys
number = lambda x: float(x) is not None
whole = lambda x: int(x) is not None
text = lambda x: isinstance(x, str)
rules = {
    "counter-value": lambda x: x in ("<not counted>", "<not supported>") or number(x),
    "event": text, "unit": text, "cgroup": text, "metric-unit": text,
    "event-runtime": number, "pcnt-running": number, "metric-value": number, "variance": number,
    "interval": number, "aggregate-number": number, "cpu": whole,
    "core": text, "cluster": text, "cache": text, "die": text, "socket": text, "node": text,
    "thread": text}
lines = [l for l in open("json") if l.strip() and not l.startswith("#")]
assert lines
widths = set()
for line in lines:
    item = json.loads(line)
    widths.add(len(item))
    for key, value in item.items():
        assert rules[key](value), (key, value)
want = 7 + ("-I" in sys.argv) + ("-r" in sys.argv) + ("-A" in sys.argv)
want += "--per-thread" in sys.argv or "--for-each-cgroup" in sys.argv
want += 2 * any(a.startswith("--per-") and a != "--per-thread" for a in sys.argv)
assert widths == {want}, (widths, want, sys.argv)
PY
	}
	checked
	checked -r 2
	checked -I 1000
	"$CUPEL" stat -a -e cs -o out true || skip "this user cannot count the machine"
	checked -a -A
	for place in core die socket node cache cluster thread; do
		checked -a --per-$place
	done
	! grep -q ' cgroup2\? ' /proc/mounts || checked -a --for-each-cgroup /
}

@test "events that cannot be counted are named once, with the reason" {
	"$CUPEL" stat -e cycles,instructions -o out true
	if grep -q '<not supported>' out; then
		[ "$(grep -c '^not counted here: cycles, instructions: ' out)" -eq 1 ]
	fi
	grep -Eq '^ +[0-9.]+ seconds user$' out
	grep -Eq '^ +[0-9.]+ MB peak resident memory$' out
}

@test "control commands take effect and are acknowledged" {
	mkfifo control ack
	timeout 100 "$CUPEL" stat -D -1 -e task-clock -x, -o out --control fifo:control,ack \
		sh -c 'read go <go; i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done' &
	mkfifo go
	exec 7<>control 8<>ack
	for command in ping enable disable enable; do
		echo $command >&7
		read -r -t 60 answer <&8
		[ "$answer" = ack ]
	done
	echo >go
	wait $!
	grep -Eq '^[0-9.]+,msec,task-clock,' out
}

@test "a comparison that a signal ends is no gate that passes" {
	"$CUPEL" stat --null --margin 90 -r 1000 -o out --compare 'sleep 0.01' 'echo >>runs; sleep 0.01' &
	wait_for eval '[ "$(wc -l <runs)" -gt 9 ]' 2>/dev/null
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 143 ]
	grep -q 'time elapsed' out
}

@test "control commands take the name of an event, and say what they do" {
	mkfifo control ack go
	timeout 100 "$CUPEL" stat -D -1 -e page-faults,task-clock -x, -o out \
		--control fifo:control,ack sh -c 'read go <go' 2>said &
	exec 7<>control 8<>ack
	for command in enable evlist "disable page-faults" nonsense "disable nosuch" ping; do
		echo "$command" >&7
		[ "$command" = nonsense ] && continue # perf answers nothing either
		read -r -t 60 answer <&8
		[ "$answer" = ack ]
	done
	echo >go
	wait $!
	printf '%s\n' 'Events disabled' 'Events enabled' page-faults task-clock \
		'Event page-faults disabled' 'control: unknown command' \
		"failed: can't find 'nosuch' event" | diff - said
	grep -Eq '^[0-9.]+,msec,task-clock,' out
}

@test "intervals start when a delay is over, and their time never goes back" {
	"$CUPEL" stat -D 60 -I 20 -e task-clock -x, -o out sleep 0.2
	grep task-clock out | awk -F, '$1 <= before { exit 1 } { before = $1 }'
	mkfifo control go
	timeout 100 "$CUPEL" stat -D -1 -I 20 -e task-clock -x, -o out --control fifo:control \
		sh -c 'read go <go' &
	exec 7<>control
	wait_for grep -q task-clock out
	echo enable >&7
	# shellcheck disable=SC2034 # in the string below
	before=$(wc -l <out)
	wait_for eval '[ "$(wc -l <out)" -gt $((before + 3)) ]'
	echo >go
	wait $!
	grep task-clock out | awk -F, '$1 <= before { exit 1 } { before = $1 }'
}

@test "delays, timeouts, counted intervals, and commands around runs" {
	"$CUPEL" stat -D -1 -e cs -x, -o out true
	grep -q '<not counted>,,cs' out
	run "$CUPEL" stat --timeout 50 -e cs -o out sleep 60
	[ "$status" -eq 0 ]
	"$CUPEL" stat -I 20 --interval-count 2 -e cs -x, -o out sleep 0.2
	[ "$(grep -c ',cs,' out)" -eq 2 ]
	"$CUPEL" stat --pre 'echo pre >>order' --post 'echo post >>order' -r 2 -e cs -o out \
		sh -c 'echo run >>order'
	[ "$(tr '\n' ' ' <order)" = "pre run post pre run post " ]
	run "$CUPEL" stat --pre false -e cs true
	[ "$status" -eq 1 ]
}

@test "a comparison is a gate: better or no difference 0, worse 3, not enough runs 4" {
	compare() {
		status=0
		"$CUPEL" stat --null -o out "$@" || status=$?
	}
	compare --compare true 'sleep 0.1' -r 7
	[ "$status" -eq 3 ]
	grep -q 'time elapsed .* worse \*$' out
	compare -r 7 --compare 'sleep 0.1' true
	[ "$status" -eq 0 ]
	grep -q 'time elapsed .* better \*$' out
	compare --compare true 'sleep 0.1' -r 3
	[ "$status" -eq 4 ]
	compare --compare 'sleep 0.1' 'sleep 0.1' -r 7 --margin 90
	[ "$status" -eq 0 ]
	grep -q 'time elapsed .* no difference \*$' out
	"$CUPEL" stat -j -e page-faults --margin 90 --compare true 'echo "a b" | cat' -r 6 -o json ||
		status=$?
	python3 -c '
import json
lines = [json.loads(l) for l in open("json") if l.startswith("{")]
assert [l["event"] for l in lines if l["gate"]] == ["page-faults"], lines
assert all(l["runs"] == 6 for l in lines)'
	run "$CUPEL" stat --compare false true
	[ "$status" -eq 1 ]
	[[ $output == *"program A: exited with status 1"* ]]
	for arguments in '--compare true' '--compare true true true' '--compare true true -a' \
		'--compare true true -I 10' '--compare true true -r 0' '--margin 0 --compare true true'; do
		run "$CUPEL" stat $arguments
		[ "$status" -eq 2 ] || { echo "$arguments: $status"; return 1; }
	done
}

@test "intervals are on the disk when the recorder is killed" {
	"$CUPEL" stat record -I 20 -o k.data -e page-faults sleep 90 2>/dev/null &
	has_intervals() {
		"$CUPEL" stat report -i k.data >report 2>&1 && [ "$(wc -l <report)" -gt 4 ]
	}
	wait_for has_intervals
	kill -9 $!
	pkill -9 -P $! || true
	"$CUPEL" stat report -i k.data >report 2>&1
	[ "$(grep -c page-faults report)" -ge 4 ]
	rm k.data
	"$CUPEL" stat record -I 90000 -o k.data -e page-faults sleep 90 2>/dev/null &
	wait_for test -s k.data
	kill -9 $!
	pkill -9 -P $! || true
	run "$CUPEL" stat report -i k.data
	[[ $output == *"no counts: the recording ended before the first"* ]]
}

@test "an input without counts names the command that records them" {
	for file in missing probe; do
		run "$CUPEL" stat report -i $file
		[ "$status" -eq 1 ]
	done
	run "$CUPEL" stat report -i missing
	[[ $output == *"record counts with: cupel stat record -- PROGRAM"* ]]
	"$CUPEL" stat record -o c.data -e cs true 2>/dev/null
	run "$CUPEL" report -i c.data
	[ "$status" -eq 1 ]
	[[ $output == *"its events were counted, not sampled: cupel stat report -i c.data"* ]]
}

@test "counts are recorded and reported" {
	run "$CUPEL" stat record -o c.data -e page-faults sh -c 'exit 5'
	[ "$status" -eq 5 ]
	"$CUPEL" stat report -x, c.data 2>csv
	grep -Eq '^[0-9]+,,page-faults(:u)?,[0-9]+,100.00,,$' csv
	"$CUPEL" stat -e page-faults record true 2>out
	[ -s perf.data ]
	run "$CUPEL" stat report -A c.data
	[ "$status" -eq 1 ]
	[[ $output == *"c.data: the counts are those of threads, not of CPUs" ]]
	if "$CUPEL" stat record -a -o all.data -e cs true; then
		run "$CUPEL" stat report --per-thread all.data
		[ "$status" -eq 1 ]
		[[ $output == *"all.data: the counts are those of CPUs, not of threads" ]]
	fi
	run "$CUPEL" stat record -r 2 true
	[ "$status" -eq 2 ]
	run "$CUPEL" stat report csv
	[ "$status" -eq 1 ]
	"$CUPEL" stat record -o - -e page-faults true 2>out | "$CUPEL" stat report 2>report
	grep -q "counter stats for 'pipe'" report
}

@test "-v also prints the times that events were enabled and running" {
	"$CUPEL" stat -v -e page-faults -o out true
	grep -Eq '^page-faults(:u)?: [0-9]+ [0-9]+ [0-9]+$' out
}

@test "metrics select their events; options of perf without effect are accepted" {
	"$CUPEL" stat -M page_faults_per_second,CPUs_utilized --no-merge -x, -o out true
	grep -q ',page-faults.*,page_faults_per_second$' out
	grep -q ',task-clock.*,CPUs_utilized$' out
	run "$CUPEL" stat -M nonsense true
	[ "$status" -eq 2 ]
	[[ $output == *"unknown metric 'nonsense'"* ]]
	run "$CUPEL" stat --smi-cost true
	[ "$status" -eq 2 ]
	[[ $output == *"cupel stat -e msr/smi/"* ]]
	"$CUPEL" stat -g -e task-clock,page-faults -x, -o out true
	[ "$(grep -c 100.00 out)" -eq 2 ]
}

@test "notes fit the terminal" {
	command -v script || skip "needs script"
	"$CUPEL" stat -e cycles,instructions,branches,branch-misses true 2>text
	grep -q '^not counted here: ' text || skip "the CPU counts these"
	[ "$(grep -A1 '^not counted here: ' text | wc -l)" -eq 1 ]
	script -qec "stty cols 60; '$CUPEL' stat -e cycles,instructions,branches,branch-misses true" \
		/dev/null >text
	tr -d '\r' <text | grep -A1 '^not counted here: ' >note
	[ "$(wc -l <note)" -eq 2 ]
	[ "$(wc -L <note)" -le 60 ]
}

@test "a second list of cgroups does not replace the first" {
	for command in 'stat -a' 'record -a -o out.data'; do
		run "$CUPEL" $command -e cs -G one -e cs -G two true
		[ "$status" -eq 2 ]
		[[ $output == *"give one list, as in one,two"* ]]
	done
}

@test "counting a thread ends with the thread" {
	python3 -c '
import threading, time
thread = threading.Thread(target=time.sleep, args=(1,))
thread.start()
print(thread.native_id, flush=True)
thread.join()
time.sleep(30)' >tid &
	process=$!
	until [ -s tid ]; do sleep 0.05; done
	status=0
	timeout -s KILL 20 "$CUPEL" stat -e task-clock -t "$(cat tid)" >out 2>&1 || status=$?
	kill $process
	[ "$status" -ne 137 ]
	grep -q 'task-clock' out || grep -q 'has ended' out
}
