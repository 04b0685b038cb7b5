# SPDX-License-Identifier: GPL-2.0-or-later
# cupel opensnoop, statsnoop, syncsnoop, killsnoop, execsnoop and exitsnoop: arguments. test/live/activity_calls.sh tests what they show.

@test "call tools: no words, and a program after --" {
	for tool in opensnoop statsnoop syncsnoop killsnoop execsnoop exitsnoop; do
		run "$CUPEL" $tool word
		[ "$status" -eq 2 ]
		[[ $output == *"unexpected argument 'word'"* ]]
		run "$CUPEL" $tool --
		[ "$status" -eq 2 ]
		[[ $output == *"missing program after --"* ]]
		run "$CUPEL" $tool -p 1 -- true
		[ "$status" -eq 2 ]
	done
}

@test "opensnoop and execsnoop: filters are checked" {
	run "$CUPEL" opensnoop -f O_NOTHING
	[ "$status" -eq 2 ]
	[[ $output == *"invalid flag 'O_NOTHING'"* ]]
	run "$CUPEL" execsnoop -n "("
	[ "$status" -eq 2 ]
	[[ $output == *"invalid pattern '('"* ]]
	run "$CUPEL" opensnoop -u no-such-user
	[ "$status" -eq 1 ]
}

@test "killsnoop: a signal is a number" {
	for number in 0 65 99999 TERM -1; do
		run "$CUPEL" killsnoop -s "$number"
		[ "$status" -eq 2 ]
		[[ $output == *"invalid value '$number': expected the number of a signal"* ]]
	done
}
