# SPDX-License-Identifier: GPL-2.0-or-later
# cupel sched: subcommands, usage errors, inputs without switches. test/live/sched_perf.sh tests the tables.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "sched: without a subcommand it is a usage error; --help lists the subcommands" {
	run "$CUPEL" sched
	[ "$status" -eq 2 ]
	run "$CUPEL" sched --help
	[ "$status" -eq 0 ]
	[[ $output == *"  latency "* ]]
	[[ $output == *"  timehist "* ]]
	run "$CUPEL" sched --nosuch
	[ "$status" -eq 2 ]
	[[ $output == *"--nosuch: missing subcommand"* ]]
}

@test "sched: a mistyped subcommand is an error with a suggestion" {
	run "$CUPEL" sched latenci
	[ "$status" -eq 2 ]
	[[ $output == *"did you mean latency?"* ]]
}

@test "sched: options may precede the subcommand" {
	run "$CUPEL" sched -i missing.data latency
	[ "$status" -eq 1 ]
	[[ $output == *"sched latency: missing.data: No such file"* ]]
}

@test "sched: help accepts subcommands" {
	run "$CUPEL" help sched latency
	[ "$status" -eq 0 ]
	[[ $output == *"usage: cupel sched latency"* ]]
	run "$CUPEL" help --man sched
	[[ $output == *".Ss sched latency"* ]]
}

@test "sched: an unknown sort key is a usage error" {
	run "$CUPEL" sched latency -s nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"invalid value 'nonsense': expected avg, max, switch, runtime or pid"* ]]
}

@test "sched: a recording without context switches is an error with a hint" {
	"$CUPEL" record -q -e cpu-clock -o other.data -- true || skip "cannot record here"
	for command in "sched latency" "sched timehist" "sched map" "sched replay" timechart; do
		# shellcheck disable=SC2086
		run "$CUPEL" $command -i other.data
		[ "$status" -eq 1 ]
		[[ $output == *"no context switches"* ]]
	done
}

@test "sched: a damaged recording is read up to the damage, with a warning" {
	seed=$BATS_TEST_DIRNAME/../fuzz/seeds/sched/plain
	run "$CUPEL" sched latency -i "$seed"
	[ "$status" -eq 0 ]
	[[ $output != *"warning"* ]]
	head -c 15000 "$seed" >cut.data
	run "$CUPEL" sched latency -i cut.data
	[ "$status" -eq 0 ]
	[[ $output == *"warning: cut.data: damaged: header section"* ]]
	[[ $output == *"kworker/u8:0:30140"* ]]
	head -c 2000 "$seed" >cut.data
	run "$CUPEL" sched latency -i cut.data
	[ "$status" -eq 1 ]
	[[ $output == *"warning: cut.data: damaged: truncated data section"* ]]
	[[ $output == *"no context switches in the recording"* ]]
	[[ $output != *"record them with"* ]]
}

@test "sched latency --time counts waits that end in the range; parts add up to the whole" {
	seed=$BATS_TEST_DIRNAME/../fuzz/seeds/sched/plain
	count() { "$CUPEL" sched latency --json "$@" "$seed" | sed 's/.*"total":{[^}]*"count":\([0-9]*\)}.*/\1/'; }
	whole=$(count) first=$(count --time 0%-50%) second=$(count --time 50%-100%)
	[ "$first" -gt 0 ]
	[ "$second" -gt 0 ]
	[ "$whole" -le $((first + second)) ]
	[ "$whole" -ge $((first + second - 1)) ]
	run "$CUPEL" sched latency --time 90000000,90000001 "$seed"
	[ "$status" -eq 1 ]
	[[ $output == *"--time"*"outside the recording"* ]]
}

@test "sched latency --hist-mode equals --histogram" {
	seed=$BATS_TEST_DIRNAME/../fuzz/seeds/sched/plain
	"$CUPEL" sched latency --histogram "$seed" >want
	"$CUPEL" sched latency --hist-mode "$seed" >got
	cmp want got
}

@test "sched stats: usage errors, missing files, kernels without the counters" {
	run "$CUPEL" sched stats nonsense
	[ "$status" -eq 2 ]
	run "$CUPEL" sched stats diff only-one
	[ "$status" -eq 2 ]
	run "$CUPEL" sched stats report
	[ "$status" -eq 1 ]
	[[ $output == *"schedstat.data: No such file"* ]]
	echo "version 99" >new.data
	run "$CUPEL" sched stats report -i new.data
	[ "$status" -eq 1 ]
	[[ $output == *"new.data: schedstat: unsupported version 99 (expected 15 to 17)"* ]]
	[ ! -e /proc/schedstat ] || return 0
	run "$CUPEL" sched stats record -- true
	[ "$status" -eq 1 ]
	[[ $output == *"CONFIG_SCHEDSTATS"* ]]
}
