# SPDX-License-Identifier: GPL-2.0-or-later
# cupel biolatency, biosnoop, biostacks, biotop, bitesize and biopattern: arguments. test/live/activity_block.sh tests what they show.

@test "disk tools: options that cannot be combined, and words" {
	run "$CUPEL" biolatency -D -F
	[ "$status" -eq 2 ]
	[[ $output == *"-D and -F cannot be combined"* ]]
	for tool in biolatency biostacks biotop bitesize biopattern; do
		run "$CUPEL" $tool soon
		[ "$status" -eq 2 ]
		run "$CUPEL" $tool 1 2 3
		[ "$status" -eq 2 ]
	done
	run "$CUPEL" biosnoop -m 18446744073709551615
	[ "$status" -eq 2 ]
	run "$CUPEL" biosnoop 1
	[ "$status" -eq 2 ]
	[[ $output == *"unexpected argument '1'"* ]]
}

@test "disk tools: a disk that does not exist" {
	for tool in biolatency biosnoop biostacks biotop bitesize biopattern; do
		run "$CUPEL" $tool -d nosuchdisk
		[ "$status" -eq 1 ]
		[[ $output == *"no such disk 'nosuchdisk'"* ]]
	done
}
