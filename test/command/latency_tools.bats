# SPDX-License-Identifier: GPL-2.0-or-later
# cupel runqlat, cpudist, runqlen, runqslower, timechart: arguments. test/live/latency_tools.sh and
# test/live/timechart.sh test the measurements.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "latency tools: only a numeric interval and count are accepted" {
	for command in runqlat cpudist runqlen; do
		run "$CUPEL" $command soon
		[ "$status" -eq 2 ]
		run "$CUPEL" $command 1 2 3
		[ "$status" -eq 2 ]
		[[ $output == *"unexpected argument '3'"* ]]
	done
}

@test "runqslower: only one threshold, and not both -p and -t" {
	run "$CUPEL" runqslower 1 2
	[ "$status" -eq 2 ]
	run "$CUPEL" runqslower -p 1 -t 1
	[ "$status" -eq 2 ]
	run "$CUPEL" runqslower -c /nowhere
	[ "$status" -eq 1 ]
	[[ $output == *"/nowhere: not a version 2 cgroup"* ]]
}

@test "timechart: -P with -T is a usage error, a missing input is an error" {
	run "$CUPEL" timechart -P -T
	[ "$status" -eq 2 ]
	run "$CUPEL" timechart -i missing.data
	[ "$status" -eq 1 ]
	[[ $output == *"missing.data: No such file"* ]]
}

@test "sched script equals script" {
	run "$CUPEL" sched script -i missing.data
	[ "$status" -eq 1 ]
	run "$CUPEL" help sched script
	[[ $output == *"usage: cupel sched script"* ]]
}

@test "an interval, a count or a duration of 0 is refused by every tool" {
	commands=$("$CUPEL" help | awk '/^  [a-z]/ { print $1 }')
	refused=0
	for command in $commands; do
		help=$("$CUPEL" "$command" --help)
		if [[ $help == *"[interval [count]]"* ]]; then
			# These two have an interval only when they count.
			count=
			[[ $command != tcpconnect && $command != tcpretrans ]] || count=-c
			for words in "$count 0" "$count 1 0"; do
				# shellcheck disable=SC2086 # words
				run timeout 20 "$CUPEL" "$command" $words
				[ "$status" -eq 2 ]
				[[ $output == *"above 0"* ]]
				refused=$((refused + 1))
			done
		fi
		for option in --duration --interval --timeout; do
			grep -q -- "$option TIME" <<<"$help" || continue
			run timeout 20 "$CUPEL" "$command" $option 0
			[ "$status" -eq 2 ]
			[[ $output == *"above 0"* ]]
			refused=$((refused + 1))
		done
	done
	[ "$refused" -gt 60 ]
}
