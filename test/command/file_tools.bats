# SPDX-License-Identifier: GPL-2.0-or-later
# cupel fileslower, fsslower and filetop: arguments. test/live/activity_calls.sh tests what they show.

@test "file tools: words and values" {
	for tool in fileslower fsslower; do
		run "$CUPEL" $tool long
		[ "$status" -eq 2 ]
		run "$CUPEL" $tool 1 2
		[ "$status" -eq 2 ]
		run "$CUPEL" $tool -- 
		[ "$status" -eq 2 ]
	done
	run "$CUPEL" fsslower -t a-file-system-with-a-long-name
	[ "$status" -eq 2 ]
	run "$CUPEL" fsslower -t nofs
	[ "$status" -eq 2 ]
	[[ $output == *"no file system 'nofs' in this kernel"* ]]
	run "$CUPEL" filetop -s size
	[ "$status" -eq 2 ]
	run "$CUPEL" filetop --read-only --write-only
	[ "$status" -eq 2 ]
	[[ $output == *"--read-only and --write-only cannot be combined"* ]]
}
