#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel record: usage errors, exit statuses, existing files.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Invalid options and combinations: status 2, one line that names them.
refused() {
	run "$CUPEL" record "$@" -- true
	[ "$status" -eq 2 ]
	[[ ${lines[0]} == "cupel: record: "* ]]
	[ ! -e perf.data ]
}

@test "options that cannot be combined are usage errors" {
	refused -F 99 -c 1000
	refused -a -p 1
	refused --all-user --all-kernel
	refused --user-callchains --kernel-callchains
	refused -G some
	refused -o - --switch-output
	refused --switch-max-files 2
	refused --per-thread -a
}

@test "branch stacks of an event without them: an error with the reason" {
	run "$CUPEL" record -e cpu-clock -b -- true
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "cupel: record: event 'cpu-clock': no branch stacks for this event" ]
	[ ! -e perf.data ]
}

@test "invalid values are usage errors" {
	refused -F often
	refused -m 100
	refused -k sundial
	refused -D later
	refused -z99
	refused --call-graph dwarf,99999999
	refused --switch-output=often
	refused --duration tomorrow
	refused --no-such-option
}

@test "an unknown event is named" {
	run "$CUPEL" record -e no-such-event -- true
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "cupel: record: unknown event 'no-such-event'" ]
	[ ! -e perf.data ]
}

@test "a process that does not exist is named" {
	run "$CUPEL" record -p 2147483646
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "cupel: record: process 2147483646: no such process" ]
	run "$CUPEL" record -t 2147483646
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "cupel: record: thread 2147483646: no such thread" ]
}

@test "a program that cannot run gives the exit status of a shell" {
	run -127 "$CUPEL" record -- no-such-program
	[ "$status" -eq 127 ]
	[ "$output" = "cupel: no-such-program: command not found" ]
	run "$CUPEL" record -- /
	[ "$status" -eq 126 ]
	[ "$output" = "cupel: /: Permission denied" ]
	[ ! -e perf.data ]
}

@test "a program that cannot run keeps the old recording" {
	echo old >perf.data
	run -127 "$CUPEL" record -- no-such-program
	[ "$status" -eq 127 ]
	[ "$(cat perf.data)" = old ]
	[ ! -e perf.data.old ]
}

@test "the exit status is the program's" {
	run "$CUPEL" record -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	# shellcheck disable=SC2016 # the inner shell expands it
	run "$CUPEL" record -- sh -c 'kill -KILL $$'
	[ "$status" -eq 137 ]
	run "$CUPEL" record -q -- sh -c 'echo out; echo err >&2; cat' <<<input
	[ "$status" -eq 0 ]
	[ "$output" = $'out\nerr\ninput' ]
}

@test "the previous recording is kept as perf.data.old" {
	"$CUPEL" record -q -- true
	first=$(cksum <perf.data)
	"$CUPEL" record -q -- true
	[ "$(cksum <perf.data.old)" = "$first" ]
	"$CUPEL" record -q -o other -- true
	[ ! -e other.old ]
}

@test "an empty recording prints the reason" {
	run "$CUPEL" record -F 1 -- true
	[ "$status" -eq 0 ]
	[[ $output == *"no samples: recorded for "*" at 1 Hz there is one sample in 1000.0 ms ]" ]]
	run "$CUPEL" record -q -F 1 -- true
	[ -z "$output" ]
}

@test "a target without samples: whether it was stopped or idle" {
	sleep 1000 3>&- &
	target=$!
	until grep -q '^State:.S' /proc/$target/status && grep -q sleep /proc/$target/comm; do
		sleep 0.01
	done
	run "$CUPEL" record -p $target --duration 0.1
	[ "$status" -eq 0 ]
	[[ $output == *"no samples: recorded for "*", process $target used no CPU time ]"* ]]
	kill -STOP $target
	until grep -q '^State:.T' /proc/$target/status; do
		sleep 0.01
	done
	run "$CUPEL" record -t $target --duration 0.1
	recorded=$output
	run "$CUPEL" flamegraph -o empty.svg -p $target --duration 0.1
	kill -KILL $target
	{ wait $target || true; } 2>/dev/null
	[[ $recorded == *", thread $target is stopped (kill -CONT $target continues it) ]"* ]]
	[ "$status" -eq 1 ]
	[[ $output == *"nothing to draw: "*"process $target is stopped "* ]]
}

@test "all samples lost: the reason is named" {
	"$CUPEL" record -q -m 4 --call-graph dwarf,32768 -e cpu-clock -F 1000 -o lost.data -- \
		perl -e '1 while times < .2'
	run "$CUPEL" report -i lost.data
	[ "$status" -eq 1 ]
	[[ $output == *"lost.data: no samples: all that came were lost ("*"larger rings"* ]]
}

@test "a small stack is enough, and it is the program's" {
	# AddressSanitizer warns of such stacks on stderr.
	run bash -c 'ulimit -s 64; exec "$0" record -q -- sh -c "ulimit -Ss; ulimit -Hs" 2>errors' "$CUPEL"
	[ "$status" -eq 0 ]
	[ "$output" = "64
64" ]
}

@test "a limit of file sizes ends the recording, not the recorder, and is the program's" {
	run bash -c 'ulimit -f 100; exec "$0" record --call-graph dwarf,32768 -F 1000 -- \
		perl -e "1 while times < .3; open F, q(>), q(large); syswrite F, q(x) x 200000"' "$CUPEL"
	[ "$status" -eq 1 ]
	[[ $output == *" not written, the recording ended after "*": File too large ]"* ]]
	[[ $output == *"cupel: record: perf.data: writing: File too large"* ]]
	[ "$(stat -c %s perf.data)" -le 102400 ]
	[ "$(stat -c %s large)" -eq 102400 ]
	run "$CUPEL" report --stats -i perf.data
	[ "$status" -eq 0 ]
	[[ $output == *"damage: the recorder could not write all"* ]]
}

@test "an unwritable directory is an error before the program runs" {
	run "$CUPEL" record -o /proc/perf.data -- touch ran
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == "cupel: record: /proc/perf.data: "* ]]
	[ ! -e ran ]
}

@test "binary data is not written to a terminal" {
	command -v script >/dev/null || skip "needs script(1)"
	[ -e /dev/pts/ptmx ] || skip "no pseudo terminals: /dev/pts is not mounted"
	run script -qec "'$CUPEL' record -o - -- true" /dev/null
	[ "$status" -eq 1 ]
	[[ $output == *"refusing to write binary data to a terminal"* ]]
}

@test "--dry-run runs nothing" {
	run "$CUPEL" record --dry-run -- touch ran
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -e ran ]
	[ ! -e perf.data ]
}

@test "options of perf without effect are accepted" {
	run "$CUPEL" record -q -N -B -A --no-buffering --num-thread-synthesize 2 --aio --buildid-all \
		--proc-map-timeout 100 -- true
	[ "$status" -eq 0 ]
}

@test "record: cycles are sampled by cpu-clock where the CPU does not count them" {
	cd "$BATS_TEST_TMPDIR"
	"$CUPEL" record -e cpu-clock -o probe.data true || skip "perf_event_open is not allowed"
	run "$CUPEL" record -e cycles:up -o cycles.data true
	[ "$status" -eq 0 ]
	[[ $("$CUPEL" evlist cycles.data) == cycles:up ]] ||
		[[ $output == *"'cycles:up'"*"cpu-clock:u is sampled instead"* ]]
	[[ $("$CUPEL" evlist cycles.data) == c*:u* ]]
}

@test "record: --off-cpu adds waits to the event" {
	cd "$BATS_TEST_TMPDIR"
	run "$CUPEL" record -e off-cpu -o probe.data sleep 0.05
	[ "$status" -eq 0 ] || skip "no waits here: $output"
	"$CUPEL" record --off-cpu -e cpu-clock -o both.data sleep 0.05
	[ "$("$CUPEL" evlist both.data)" = "cpu-clock
offcpu-time" ]
}

@test "record: under the name perf it also prints the line that perf's scripts look for" {
	cd "$BATS_TEST_TMPDIR"
	ln -s "$CUPEL" perf
	run ./perf record -e cpu-clock -o x.data true
	[ "$status" -eq 0 ] || skip "perf_event_open is not allowed"
	[[ $output =~ "[ perf record: Woken up "[0-9]+" times to write data ]" ]]
	[[ $output =~ "[ perf record: Captured and wrote "[0-9.]+" MB x.data ("[0-9]+" samples) ]" ]]
}
