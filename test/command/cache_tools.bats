# SPDX-License-Identifier: GPL-2.0-or-later
# cupel cachestat: arguments. test/live/activity_calls.sh tests what they show.

@test "cachestat: words" {
	run "$CUPEL" cachestat soon
	[ "$status" -eq 2 ]
	run "$CUPEL" cachestat 1 2 3
	[ "$status" -eq 2 ]
}
