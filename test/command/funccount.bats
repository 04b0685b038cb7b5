# SPDX-License-Identifier: GPL-2.0-or-later
# cupel funccount: arguments, and what cannot be probed. test/live/funccount.sh tests the counts.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "funccount: names what it needs" {
	run "$CUPEL" funccount
	[ "$status" -eq 2 ]
	[[ $output == *"name a function: c:malloc"* ]]
	run "$CUPEL" funccount c:malloc --
	[ "$status" -eq 2 ]
	run "$CUPEL" funccount -p 1 c:malloc -- true
	[ "$status" -eq 2 ]
}

@test "funccount: unknown functions, files, probes" {
	run "$CUPEL" funccount c:malloq
	[ "$status" -eq 1 ]
	[[ $output == *"no function malloq"*"did you mean 'malloc'"* ]]
	run "$CUPEL" funccount /nowhere:main
	[ "$status" -eq 1 ]
	[[ $output == *"/nowhere: no such file"* ]]
	run "$CUPEL" funccount nosuchlibrary:main
	[ "$status" -eq 1 ]
	[[ $output == *"nosuchlibrary: no such library or program"* ]]
	run "$CUPEL" funccount c:
	[ "$status" -eq 1 ]
	[[ $output == *"there is no function"* ]]
	run "$CUPEL" funccount /etc/passwd:main
	[ "$status" -eq 1 ]
}

@test "funccount: functions of the kernel are refused with what works instead" {
	run "$CUPEL" funccount vfs_read
	[ "$status" -eq 1 ]
	[[ $output == *"functions of the kernel"*"t:CATEGORY:EVENT"* ]]
}
