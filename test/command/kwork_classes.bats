#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The kinds of the kernel's work.

@test "unknown kinds are named" {
	run "$CUPEL" kwork report -k irq,nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"'nonsense'"* ]]
}
