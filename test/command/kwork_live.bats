#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kwork report, latency, timehist and top with -b: command lines. test/live/kwork.sh has the rest.

@test "-b reads no recording" {
	run "$CUPEL" kwork report -b -i x.data
	[ "$status" -eq 2 ]
	[[ $output == *"not with -b"* ]]
	run "$CUPEL" kwork latency -b --time 1,2 -- true
	[ "$status" -eq 2 ]
}
