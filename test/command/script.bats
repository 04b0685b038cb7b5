#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# script, evlist and buildid-list on recordings from the fuzz seeds; errors on damaged ones.

bats_require_minimum_version 1.5.0

setup() {
	seeds="$BATS_TEST_DIRNAME/../fuzz/seeds/perf_data"
}

@test "script prints one paragraph per sample" {
	run "$CUPEL" script -i "$seeds/callgraph"
	[ "$status" -eq 0 ]
	[[ ${lines[0]} =~ ^[a-z-]+\ +[0-9]+\ +[0-9]+\.[0-9]{6}:\ +[0-9]+\ cpu-clock:\ $ ]]
	[[ ${lines[1]} =~ ^$'\t'\ *[0-9a-f]+\  ]]
}

@test "fields are chosen, added and removed" {
	run "$CUPEL" script -i "$seeds/default" -F comm,tid
	[ "$status" -eq 0 ]
	[[ ${lines[0]} =~ ^\ +tiny\ [0-9]+\ $ ]]
	run "$CUPEL" script -i "$seeds/default" -F nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"unknown field 'nonsense'"* ]]
	run "$CUPEL" script -i "$seeds/default" -F +addr
	[ "$status" -eq 1 ]
	[[ $output == *"have no ADDR"* ]]
	run "$CUPEL" script -F ip,disasm
	[ "$status" -eq 2 ]
	[[ $output == *"unknown field 'disasm'"*"hint: instructions of hot code: cupel annotate"* ]]
	for option in --insn-trace --xed; do
		run "$CUPEL" script "$option"
		[ "$status" -eq 2 ]
		[[ $output == *"cupel "* ]]
	done
	run "$CUPEL" script -F +metric
	[[ $output == *"cupel stat"* ]]
}

@test "a recording is read from a pipe and through gzip" {
	want=$("$CUPEL" script -i "$seeds/pipe_tracepoint")
	[[ $want == *"sched:sched_process_exit: comm=tiny "* ]]
	[ "$("$CUPEL" script -i - <"$seeds/pipe_tracepoint")" = "$want" ]
	[ "$(gzip -c "$seeds/pipe_tracepoint" | "$CUPEL" script -i -)" = "$want" ]
	[ "$(cat "$seeds/pipe_tracepoint" | "$CUPEL" script)" = "$want" ]
}

@test "a recording packed with zstd reads as it does unpacked" {
	command -v zstd >/dev/null || skip "needs zstd"
	zstd -q "$seeds/callgraph" -o "$BATS_TEST_TMPDIR/packed.zst"
	want=$("$CUPEL" script -i "$seeds/callgraph")
	[ "$("$CUPEL" script -i "$BATS_TEST_TMPDIR/packed.zst")" = "$want" ]
}

@test "damage is a warning; intact records are printed" {
	run --separate-stderr "$CUPEL" script -i "$seeds/dwarf.cut" --no-inline
	[ "$status" -eq 0 ]
	[[ $output == *"cpu-clock:"* ]]
	# shellcheck disable=SC2154 # run sets it
	[[ $stderr == *"damaged:"* ]]
}

@test "an input that is not a recording is a one-line error" {
	for seed in empty v1; do
		run "$CUPEL" script -i "$seeds/$seed"
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
	done
	run "$CUPEL" evlist -i /proc/nonexistent
	[ "$status" -eq 1 ]
	[[ $output == *"No such file or directory"* ]]
}

@test "evlist shows events, groups and fields" {
	run "$CUPEL" evlist -i "$seeds/group" -g
	[ "$output" = "{cpu-clock,task-clock}" ]
	run "$CUPEL" evlist -i "$seeds/default" -F
	[ "$output" = "cpu-clock: sample_freq=997" ]
	run "$CUPEL" evlist -i "$seeds/tracepoint" --trace-fields
	[[ $output == *"sched:sched_process_exit: trace_fields: comm,pid,prio"* ]]
	run "$CUPEL" evlist -i "$seeds/default" -g -v
	[ "$status" -eq 2 ]
}

@test "buildid-list reads recordings, ELF files and the kernel" {
	run "$CUPEL" buildid-list -i "$seeds/default"
	[ "$status" -eq 0 ]
	[[ $output =~ [0-9a-f]{40}\ /tmp/tiny ]]
	run "$CUPEL" buildid-list -i "$CUPEL"
	[ "$status" -eq 0 ]
	[[ $output =~ ^[0-9a-f]{40}$ ]]
}

@test "a deleted binary causes one warning" {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'volatile long n;\nint main(void) { for (long i = 0; i < 90000000; i++) n += i; return 0; }\n' >loop.c
	"${CC:-cc}" -o loop loop.c
	"$CUPEL" record -q -N -e cpu-clock -o loop.data -- ./loop || skip "cannot record here"
	HOME=$PWD run --separate-stderr "$CUPEL" script -i loop.data
	[ "$stderr" = "" ]
	rm loop
	HOME=$PWD run --separate-stderr "$CUPEL" script -i loop.data
	[ "$status" -eq 0 ]
	[[ $stderr == "cupel: warning: loop.data: functions have no names: "*"/loop: "* ]]
	[ "$(grep -c warning <<<"$stderr")" = 1 ]
}

@test "counts are no samples" {
	cd "$BATS_TEST_TMPDIR" || return
	"$CUPEL" stat record -e cs -o counts.data true 2>log || skip "cannot count here"
	run "$CUPEL" script -i counts.data
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "cupel: script: counts.data: no samples" ]
	[[ ${lines[1]} == *"counted, not sampled: cupel stat report -i counts.data" ]]
	run "$CUPEL" script -D -i counts.data
	[ "$status" -eq 0 ]
}

@test "a switch from a thread that has ended keeps its form" {
	cd "$BATS_TEST_TMPDIR"
	PYTHONPATH=$BATS_TEST_DIRNAME/../live python3 - <<'PY'
from perf_data_bytes import *
w = Writer()
records = [w.comm(10, 10, "program"),
           w.record(15, w.pack("II", 2**32 - 1, 2**32 - 1) + w.trailer(10, 10)),
           w.record(14, w.trailer(10, 10), 1 << 13), w.sample(10, 0x1000)]
open("switch.data", "wb").write(w.file(records))
PY
	"$CUPEL" script --show-switch-events -i switch.data >out
	grep -q 'PERF_RECORD_SWITCH_CPU_WIDE IN .*prev pid/tid:    -1/-1' out
	grep -q 'PERF_RECORD_SWITCH OUT' out
}
