#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel serve: what its command line refuses, and a server that ends. Requests are those of
# test/live/serve.sh.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'app;main;f 30\n' >folded
	"$CUPEL" push -q --store store folded
}

@test "it listens, says where, and ends" {
	run "$CUPEL" serve --store store --listen 127.0.0.1:0 --listen "$PWD/socket" --duration 0.2
	[ "$status" -eq 0 ]
	[[ $output == *"listening on http://127.0.0.1:"* ]]
	[[ $output == *"listening on $PWD/socket"* ]]
	[ ! -e socket ]
}

@test "addresses of other machines need TLS and tokens" {
	run "$CUPEL" serve --store store --listen 0.0.0.0:0 --duration 0.2
	[ "$status" -eq 2 ]
	[[ $output == *"--tls-cert"* ]]
}

@test "invalid addresses and limits are usage errors" {
	for words in '--listen nowhere' '--listen 127.0.0.1:70000' '--connections 0' '--answers 0' \
		'--timeout 1ms' 'words'; do
		# shellcheck disable=SC2086 # words
		run "$CUPEL" serve --store store $words
		[ "$status" -eq 2 ]
	done
}

@test "a socket of another program, and a file, stay" {
	touch file
	run "$CUPEL" serve --store store --listen "$PWD/file" --duration 0.2
	[ "$status" -eq 1 ]
	[[ $output == *"is a file, not a socket"* ]]
	[ -e file ]
}
