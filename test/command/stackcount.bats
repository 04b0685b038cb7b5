# SPDX-License-Identifier: GPL-2.0-or-later
# cupel stackcount: arguments. test/live/stackcount.sh tests the counts.

@test "stackcount: words and options" {
	run "$CUPEL" stackcount
	[ "$status" -eq 2 ]
	[[ $output == *"name a function"* ]]
	run "$CUPEL" stackcount c:malloc --
	[ "$status" -eq 2 ]
	run "$CUPEL" stackcount -U -K c:malloc
	[ "$status" -eq 2 ]
	[[ $output == *"-U and -K"* ]]
	run "$CUPEL" stackcount -f --json c:malloc
	[ "$status" -eq 2 ]
	[[ $output == *"only one of"* ]]
	run "$CUPEL" stackcount -p 1 c:malloc -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" stackcount -K c:malloc
	[ "$status" -eq 2 ]
	[[ $output == *"no kernel stack"* ]]
	run "$CUPEL" stackcount c:malloq
	[ "$status" -eq 1 ]
	[[ $output == *malloc* ]]
}
