#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel report: fields of tracepoints as sort keys.

setup() {
	: "${CUPEL:?path of the cupel binary}"
	cd "$BATS_TEST_TMPDIR" || exit 1
}

@test "report --sort FIELD: fields of tracepoints are keys, with the values that script prints" {
	seed=$BATS_TEST_DIRNAME/../fuzz/seeds/sched/plain
	"$CUPEL" script -F trace -i "$seed" |
		sed -n 's/.*prev_comm=\(.*\) prev_pid=\([0-9]*\) .*prev_state=\([^ ]*\) .*/\1|\2|\3/p' |
		sort | uniq -c | awk '{ n = $1; $1 = ""; sub(/^ /, ""); print n "|" $0 }' | sort >want
	"$CUPEL" report -q -F sample -s prev_comm,sched:sched_switch.prev_pid,sched_switch.prev_state \
		-t '|' "$seed" | sed 's/ *| */|/g; s/^ *//; s/ *$//' | grep -v '||' | grep . | sort >got
	[ -s want ]
	diff want <(grep -E '^[0-9]+\|.+\|[0-9]+\|.+' got)
	# Every field, and the plain value.
	"$CUPEL" report -s trace_fields "$seed" | grep -q 'prev_comm .*prev_pid .*next_prio'
	"$CUPEL" report -q -s prev_state/raw -t '|' "$seed" | grep -q '% *| *[0-9][0-9]* *$'
	[ "$("$CUPEL" report -q -s prev_state --raw-trace -t '|' "$seed")" = \
		"$("$CUPEL" report -q -s prev_state/raw -t '|' "$seed")" ]
	"$CUPEL" report -q -s trace --raw-trace -t '|' "$seed" >raw
	grep -q ' prev_comm=.* prev_state=[0-9]* .*next_prio=[0-9]*' raw
	[ "$(grep -c 'prev_state=[A-Z]' raw)" -eq 0 ]
	# What is no field is an error of usage.
	run "$CUPEL" report --sort nosuch "$seed"
	[ "$status" -eq 2 ]
	[[ $output == *"unknown sort key 'nosuch'"* ]]
	run "$CUPEL" report --sort sched:sched_wakeup.prev_comm "$seed"
	[ "$status" -eq 2 ]
	run "$CUPEL" report --sort trace,prev_comm "$seed"
	[ "$status" -eq 2 ]
}
