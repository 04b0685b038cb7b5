#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel kmem: command lines. test/live/kmem.sh has the rest.

@test "orders have names" {
	run "$CUPEL" kmem stat -s nonsense
	[ "$status" -eq 2 ]
}

@test "a missing file is named" {
	run "$CUPEL" kmem stat -i "$BATS_TEST_TMPDIR/none.data"
	[ "$status" -eq 1 ]
	[[ $output == *none.data* ]]
}

@test "rows are objects or places" {
	run "$CUPEL" kmem stat --alloc --caller
	[ "$status" -eq 2 ]
}

@test "pages have rows by stack" {
	run "$CUPEL" kmem stat --page --caller
	[ "$status" -eq 2 ]
	run "$CUPEL" kmem stat --page --slab
	[ "$status" -eq 2 ]
}
