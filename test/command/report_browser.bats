#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The choice between the full-screen report and text. test/live/browser.sh tests the screen.

setup() {
	export CUPEL_PAGER= # a test may run in a terminal
	cd "$BATS_TEST_TMPDIR" || exit
	cp "$BATS_TEST_DIRNAME/../golden/report/callee/input.folded" .
}

@test "report browser: a pipe gets text; --tui prints a warning" {
	"$CUPEL" report input.folded >plain
	grep -q '^# Samples: 1000' plain
	"$CUPEL" report --tui input.folded >tui 2>messages
	cmp plain tui
	grep -q 'warning: --tui: ' messages
}

@test "report browser: a terminal unknown to terminfo gets text" {
	for type in dumb no-such-terminal ''; do
		TERM=$type script -qc "'$CUPEL' report input.folded" /dev/null </dev/null | tr -d '\r' >text
		grep -q '^# Samples: 1000' text
		! grep -q "$(printf '\033')" text
	done
}

@test "report browser: options for text output print text" {
	for words in --stdio --header --stats -q '-t ,' --hierarchy --json --tree '-o -'; do
		TERM=xterm script -qc "'$CUPEL' report $words input.folded; echo END" /dev/null >text </dev/null
		grep -q END text
		! grep -q "$(printf '\033')" text
	done
}
