#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The program itself: help, version, unknown commands, exit statuses.

@test "without arguments: questions and existing commands, on one screen" {
	run "$CUPEL"
	[ "$status" -eq 0 ]
	for question in "Why is it slow?" "What is it waiting for?" "Where does memory go?" \
		"Did my change help?"; do
		[[ $output == *"$question"* ]]
	done
	[ "${#lines[@]}" -ge 10 ]
	[ "$("$CUPEL" | wc -l)" -le 24 ]
	[ "$("$CUPEL" | wc -L)" -le 80 ]
	"$CUPEL" | grep -o ' cupel [a-z][a-z-]*' | sort -u >"$BATS_TEST_TMPDIR/commands"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/commands")" -ge 10 ]
	while read -r _ command; do
		"$CUPEL" "$command" --help >/dev/null
	done <"$BATS_TEST_TMPDIR/commands"
}

@test "--help and help list the commands" {
	run "$CUPEL" --help
	[ "$status" -eq 0 ]
	[[ $output == *"usage: cupel COMMAND"* ]]
	[[ $output == *"  version "* ]]
	[ "$("$CUPEL" help | wc -L)" -le 80 ]
	[ "$("$CUPEL" help | grep '^  ')" = "$("$CUPEL" help | grep '^  ' | LC_ALL=C sort)" ]
	list=$output
	run "$CUPEL" help
	[ "$output" = "$list" ]
}

@test "help COMMAND equals COMMAND --help" {
	run "$CUPEL" version --help
	[ "$status" -eq 0 ]
	[[ $output == "usage: cupel version [options]"* ]]
	[[ $output == *"--build-options"* ]]
	text=$output
	run "$CUPEL" help version
	[ "$output" = "$text" ]
}

@test "an unknown command is a usage error with a suggestion" {
	run "$CUPEL" verison
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "cupel: unknown command 'verison'" ]
	[ "${lines[1]}" = "cupel: hint: did you mean version?" ]
}

@test "an unknown option is a usage error with a suggestion" {
	run "$CUPEL" version --biuld-options
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "cupel: version: unknown option --biuld-options" ]
	[ "${lines[1]}" = "cupel: hint: did you mean --build-options?" ]
	run "$CUPEL" version word
	[ "$status" -eq 2 ]
	[ "${lines[1]}" = "cupel: hint: see: cupel version --help" ]
}

@test "version in every spelling" {
	run "$CUPEL" version
	[ "$status" -eq 0 ]
	[[ $output =~ ^cupel\ version\ [0-9]+\.[0-9]+ ]]
	version=$output
	run "$CUPEL" --version
	[ "$output" = "$version" ]
	run "$CUPEL" -v
	[ "$output" = "$version" ]
}

@test "under the name perf it does the same" {
	dir=$(mktemp -d)
	ln -s "$CUPEL" "$dir/perf"
	run "$dir/perf" version
	rm -r "$dir"
	[ "$status" -eq 0 ]
	[[ $output == "cupel version "* ]]
}

@test "a full disk is an error" {
	run sh -c '"$CUPEL" version > /dev/full'
	[ "$status" -eq 1 ]
	[[ $output == *"standard output"* ]]
	run sh -c '"$CUPEL" help > /dev/full'
	[ "$status" -eq 1 ]
	[[ $output == "cupel: help: standard output: No space left on device" ]]
}

@test "what scripts of completion ask perf for" {
	run "$CUPEL" --list-cmds
	[[ " $output" == *" record "* && " $output" == *" stat "* ]]
	# latency_tools.bats reads --help of each of these
	[ "$(tr ' ' '\n' <<<"$output" | grep . | sort)" = \
		"$("$CUPEL" help | awk '/^  [a-z]/ { print $1 }' | sort)" ]
	for option in $("$CUPEL" --list-opts); do
		[[ $option == --* ]]
	done
	run "$CUPEL" stat --list-opts
	[[ $output == *"--interval-print "* && $output != *$'\n'* ]]
	run "$CUPEL" sched --list-cmds
	[[ $output == *"latency"*"timehist"* ]]
	run "$CUPEL" stat --list-cmds
	[ "$output" = "record report " ]
	[ -x "$("$CUPEL" --exec-path)/${CUPEL##*/}" ]
}

@test "a command that works without a subcommand lists those options" {
	run "$CUPEL" lock --help
	[ "$status" -eq 0 ]
	[[ $output == *"as of 'lock watch':"*"--heap"* ]]
	[[ $output == *" record "*" report "* ]]
	run "$CUPEL" c2c --help
	[[ $output == *"as of 'c2c watch':"* ]]
}
