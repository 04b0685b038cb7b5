#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual: a page for each command, without mandoc warnings, with all options.

setup() {
	top="$BATS_TEST_DIRNAME/../.."
}

commands() {
	"$CUPEL" help | awk '/^  [a-z]/ { print $1 }'
}

@test "every command has a page, and every page has a command" {
	commands >"$BATS_TEST_TMPDIR/commands"
	while read -r command; do
		[ -f "$top/doc/man/cupel-$command.1.in" ] || { echo "no page: $command"; false; }
	done <"$BATS_TEST_TMPDIR/commands"
	for page in "$top"/doc/man/cupel-*.1.in; do
		name=$(basename "$page" .1.in)
		grep -qx "${name#cupel-}" "$BATS_TEST_TMPDIR/commands" || { echo "no command: $name"; false; }
	done
}

@test "pages have examples and an OPTIONS section" {
	for page in "$top"/doc/man/cupel*.1.in; do
		grep -q '^\.Dl \$ cupel' "$page" || { echo "no example: $page"; false; }
		grep -qxF '.\" OPTIONS' "$page" || { echo "no options: $page"; false; }
	done
}

@test "mandoc has no warnings" {
	command -v mandoc >/dev/null || skip "no mandoc"
	for page in "$top"/doc/man/cupel*.1.in; do
		"$top/tools/make-man" "$CUPEL" "$page" >"$BATS_TEST_TMPDIR/page.1"
		mandoc -T lint -W style "$BATS_TEST_TMPDIR/page.1" >"$BATS_TEST_TMPDIR/lint" || true
		# Pages refer to each other and to perf; whether those are installed here is no matter.
		if grep -vE 'referenced manual not found|outdated mandoc.db' "$BATS_TEST_TMPDIR/lint"; then
			false
		fi
	done
}
