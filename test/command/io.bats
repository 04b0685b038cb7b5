# SPDX-License-Identifier: GPL-2.0-or-later
# cupel io: arguments. test/live/io.sh tests what it shows.

@test "io: something to watch, once" {
	run "$CUPEL" io
	[ "$status" -eq 2 ]
	[[ $output == *"nothing to watch"* ]]
	run "$CUPEL" io -p 1 -a
	[ "$status" -eq 2 ]
	run "$CUPEL" io -p 1 -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" io --slower soon -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" io --weight pages -- true
	[ "$status" -eq 2 ]
}
