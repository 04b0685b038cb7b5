#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel serve token: secrets are shown once and stored as digests.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "tokens are added, listed and removed" {
	run --separate-stderr "$CUPEL" serve token add ci --right ingest --tenant build --store store
	[ "$status" -eq 0 ]
	secret=$output
	[[ $secret =~ ^cupel_[A-Za-z0-9_-]{43}$ ]]
	"$CUPEL" serve token add anna --uid 1000 --store store >/dev/null 2>&1
	run ! grep -qF "$secret" store/tokens
	grep -q "^ci ingest build - $(printf %s "$secret" | sha256sum | cut -c 1-64)$" store/tokens
	[ "$(stat -c %a store/tokens)" = 600 ]
	run --separate-stderr "$CUPEL" serve token list --store store
	[[ $output == *ci*ingest*build*everything* ]]
	[[ $output == *anna*read*"user 1000"* ]]
	"$CUPEL" serve token remove ci --store store
	run --separate-stderr "$CUPEL" serve token --store store
	[[ $output != *ci* ]]
	run "$CUPEL" serve token remove ci --store store
	[ "$status" -eq 1 ]
}

@test "names are checked, and not used twice" {
	run "$CUPEL" serve token add ../x --store store
	[ "$status" -eq 2 ]
	run "$CUPEL" serve token add x --tenant a/b --store store
	[ "$status" -eq 2 ]
	run "$CUPEL" serve token add x --uid -1 --store store
	[ "$status" -eq 2 ]
	"$CUPEL" serve token add x --store store
	run "$CUPEL" serve token add x --store store
	[ "$status" -eq 1 ]
	run "$CUPEL" serve token make x --store store
	[ "$status" -eq 2 ]
}
