# SPDX-License-Identifier: GPL-2.0-or-later
# cupel syscount: arguments. test/live/activity_calls.sh tests what they show.

@test "syscount: names of calls and errors" {
	run "$CUPEL" syscount -l
	[ "$status" -eq 0 ]
	[[ $output == *openat* ]]
	run "$CUPEL" syscount -e ENOTHING
	[ "$status" -eq 2 ]
	[[ $output == *"expected ENOENT or 2"* ]]
	run "$CUPEL" syscount --syscall nothing -d 1
	[ "$status" -ne 0 ]
	[[ $output == *"syscall 'nothing': not found"* ]]
}
