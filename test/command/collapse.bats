#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel collapse: options, several inputs, messages on standard error.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'a b 1/2 1.5: 7 cycles: ' '	20 f(int)+0x1 (/bin/a)' \
		'	ffffffff81000000 sys_x ([kernel.kallsyms])' '' \
		'a b 1/2 1.6: 9 faults: ' '	20 f(int)+0x1 (/bin/a)' '' >in.txt
}

@test "reads a file, standard input and gzip" {
	want='a_b;sys_x;f 7'
	[ "$("$CUPEL" collapse in.txt 2>/dev/null)" = "$want" ]
	[ "$("$CUPEL" collapse - <in.txt 2>/dev/null)" = "$want" ]
	[ "$("$CUPEL" collapse <in.txt 2>/dev/null)" = "$want" ]
	gzip -k in.txt
	[ "$("$CUPEL" collapse in.txt.gz 2>/dev/null)" = "$want" ]
	[ "$(gzip -dc in.txt.gz | "$CUPEL" collapse 2>/dev/null)" = "$want" ]
}

@test "marks and roots" {
	[ "$("$CUPEL" collapse --all in.txt 2>/dev/null)" = 'a_b;sys_x_[k];f 7' ]
	[ "$("$CUPEL" collapse --pid in.txt 2>/dev/null)" = 'a_b-1;sys_x;f 7' ]
	[ "$("$CUPEL" collapse --tid in.txt 2>/dev/null)" = 'a_b-1/2;sys_x;f 7' ]
	[ "$("$CUPEL" collapse --no-comm in.txt 2>/dev/null)" = 'sys_x;f 7' ]
	[ "$("$CUPEL" collapse --whole-names in.txt 2>/dev/null)" = 'a_b;sys_x;f(int) 7' ]
}

@test "lists the omitted events" {
	run --separate-stderr "$CUPEL" collapse in.txt
	[[ $stderr == *"1 sample of 1 other event not shown"* ]]
	run --separate-stderr "$CUPEL" collapse --event-filter=faults in.txt
	[ "$output" = 'a_b;f 9' ]
	[ -z "$stderr" ]
	[ "$("$CUPEL" collapse --all-events in.txt)" = "$(printf 'a_b;f 9\na_b;sys_x;f 7')" ]
	run "$CUPEL" collapse --event-filter=nothing in.txt
	[ "$status" -eq 1 ]
	[[ $output == *"no event 'nothing'"* ]]
}

@test "an incomplete last stack is omitted with a warning" {
	printf 'x 1 1.5: 1 e: \n\t1 f (/a)\n\nx 1 1.6: 1 e: \n\t1 g (/a)\n' >cut.txt
	run --separate-stderr "$CUPEL" collapse cut.txt
	[ "$output" = 'x;f 1' ]
	[[ $stderr == *"--keep-unfinished"* ]]
	[ "$("$CUPEL" collapse --keep-unfinished cut.txt)" = "$(printf 'x;f 1\nx;g 1')" ]
	# the only stack is not omitted
	[ "$(head -n 2 cut.txt | "$CUPEL" collapse -)" = 'x;f 1' ]
}

@test "folding folded text changes nothing" {
	printf 'a;b_[k];c_[j] 1.5\na;d_[i];[unknown];[libc.so] 2\n' >in.folded
	[ "$("$CUPEL" collapse in.folded)" = "$(cat in.folded)" ]
}

@test "several inputs are summed" {
	printf 'a;b 1\n' >one
	printf 'a;b 2\na;c 3\n' >two
	[ "$("$CUPEL" collapse one two)" = "$(printf 'a;b 3\na;c 3')" ]
}

@test "writes to a file" {
	"$CUPEL" collapse -o out.folded in.txt
	[ "$(cat out.folded)" = 'a_b;sys_x;f 7' ]
}

@test "rejects empty inputs and inputs that are not profiles" {
	echo 'hello world' >text
	run "$CUPEL" collapse text
	[ "$status" -eq 1 ]
	[[ $output == *"unknown profile format"* ]]
	: >empty
	run "$CUPEL" collapse empty
	[ "$status" -eq 1 ]
	run "$CUPEL" collapse missing
	[ "$status" -eq 1 ]
	[[ $output == *"missing"* ]]
	run "$CUPEL" collapse --perl-names --whole-names in.txt
	[ "$status" -eq 2 ]
}

@test "text of scheduler events becomes off-CPU time" {
	local switch='==> next_comm=swapper next_pid=0 next_prio=120'
	{
		printf 'a 7/7 [0] 1.0: sched:sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S %s\n\t1 read (/a)\n\t1 main (/a)\n\n' "$switch"
		printf 'io w 9/9 [1] 1.1: sched:sched_switch: prev_comm=io w prev_pid=9 prev_prio=120 prev_state=D %s\n\t1 disk (/io)\n\n' "$switch"
		printf 'swapper 0/0 [1] 1.2: sched:sched_stat_blocked: comm=io w pid=9 delay=90 [ns]\n\t1 irq (/k)\n\n'
		printf 'io w 9/9 [1] 1.3: sched:sched_stat_sleep: comm=a pid=7 delay=290 [ns]\n\t1 wake (/io)\n\t1 loop (/io)\n\n'
	} >sched.txt
	[ "$("$CUPEL" collapse sched.txt)" = "$(printf 'a;main;read 290\nio_w;disk 90')" ]
	[ "$("$CUPEL" collapse --wake-stack sched.txt)" = "$(printf 'a;main;read;wake;loop;io_w 290\nio_w;disk;irq;swapper 90')" ]
	[ "$("$CUPEL" collapse --wake-chain sched.txt)" = "$(printf 'a;main;read;wake;loop;io_w;-;disk;irq;swapper 290\nio_w;disk;irq;swapper 90')" ]
	[ "$("$CUPEL" collapse --tid sched.txt)" = "$(printf 'a-7/7;main;read 290\nio_w-9/9;disk 90')" ]
}

@test "--off-cpu measures the time between switches" {
	{
		printf 'a 7 [0] 1.5: sched:sched_switch: a:7 [120] S ==> b:8 [120]\n\t1 read (/a)\n\n'
		printf 'b 8 [0] 1.75: sched:sched_switch: b:8 [120] R ==> a:7 [120]\n\t1 spin (/b)\n\n'
	} >switch.txt
	[ "$("$CUPEL" collapse --off-cpu switch.txt)" = 'a;read 250000000' ]
	[ "$("$CUPEL" collapse switch.txt)" = "$(printf 'a;read 1\nb;spin 1')" ]
	echo 'a;b 1' >in.folded
	run "$CUPEL" collapse --off-cpu in.folded
	[ "$status" -eq 1 ]
	[[ $output == *"--off-cpu requires perf script text"* ]]
}

@test "weights with and without fractions are summed" {
	printf '{"shared":{"frames":[{"name":"f"}]},"profiles":[{"type":"sampled","name":"a","unit":"nanoseconds","samples":[[0]],"weights":[3]},{"type":"sampled","name":"b","unit":"none","samples":[[0]],"weights":[0.5]}]}' >two.json
	[ "$("$CUPEL" collapse --all-events two.json)" = "$(printf 'a;f 3\nb;f 0.5')" ]
}

@test "collapse: rejects pictures that are not flame graphs" {
	printf '<?xml version="1.0"?>\n<svg><title>a (1 samples)</title><rect x="0"/></svg>\n' >picture.svg
	run -1 "$CUPEL" collapse picture.svg
	[[ $output == *'unknown profile format'* ]]
}

@test "stacks that start at a function, and stacks without recursion" {
	printf 'a;b;c 1\na;r;r;h 2\nx 4\n' >in.folded
	[ "$("$CUPEL" collapse --skip-after b in.folded)" = "$(printf 'a;r;r;h 2\nb;c 1\nx 4')" ]
	[ "$("$CUPEL" collapse --skip-after b --skip-after h in.folded)" = "$(printf 'b;c 1\nh 2\nx 4')" ]
	[ "$("$CUPEL" collapse --merge-recursion in.folded)" = "$(printf 'a;b;c 1\na;r;h 2\nx 4')" ]
	# callees of a skipped function keep the command as root
	[ "$("$CUPEL" collapse --skip-after f in.txt 2>/dev/null)" = 'a_b;f 7' ]
}

@test "offsets and modules of reports" {
	printf '\n  unix`a+0x1\n  unix`b+0x2\n   3\n' >dtrace.txt
	[ "$("$CUPEL" collapse dtrace.txt)" = 'unix`b;unix`a 3' ]
	[ "$("$CUPEL" collapse --includeoffset dtrace.txt)" = 'unix`b+0x2;unix`a 3' ]
	printf 'Analysis of sampling x\nCall graph:\n    2 main  (in rg) + 1\n' >sample.txt
	[ "$("$CUPEL" collapse sample.txt)" = 'rg`main 2' ]
	[ "$("$CUPEL" collapse --no-modules sample.txt)" = 'main 2' ]
}
