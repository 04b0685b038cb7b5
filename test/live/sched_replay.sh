#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sched replay of a recorded pipeline: it ends, and uses as much CPU time as the recorded threads, which are
# all that ran on the machine meanwhile: beside other load a replay of a second takes many.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# shellcheck disable=SC2016
"$CUPEL" sched record -q -- sh -c 'for i in 1 2 3; do ls /usr/bin | sort | cksum; sleep 0.02; done' \
	>out 2>log || {
	echo "the scheduler cannot be recorded here: $(head -n 1 log)"
	exit 77
}
ran=$("$CUPEL" sched timehist -s | awk '/Total run time/ { print $NF }')
# It computes for no shorter than recorded. What switches between threads cost beside other load varies: one
# of three replays must be within the limit.
for _ in 1 2 3; do
	timeout 300 "$CUPEL" sched replay -r 1 --json >run.json || {
		echo "FAIL: the replay did not end"
		exit 1
	}
	cpu=$(sed 's/.*"cpu_ns":\([0-9]*\).*/\1/' run.json)
	echo "$ran $cpu" | awk '{
		printf "recorded %.1f ms of running, replayed %.1f ms\n", $1, $2 / 1e6
		exit !($2 / 1e6 > $1 * 0.8 && $2 / 1e6 < $1 * 1.5 + 20)
	}' && exit 0
done
echo "FAIL: it takes another time than the recording had"
exit 1
