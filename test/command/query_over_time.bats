#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel query: its own views, top, timeline and series.
bats_require_minimum_version 1.5.0

setup() {
	export CUPEL_PAGER= # a test may run in a terminal
	cd "$BATS_TEST_TMPDIR" || return
	printf 'app;main;f 3000\napp;main;g 1200\n' >old
	printf 'app;main;f 3000\napp;main;g 1200\napp;main;h 900\n' >new
	"$CUPEL" push -q --store store --at 2024-03-01T11:30:00Z -l version=1 -l host=a old
	"$CUPEL" push -q --store store --at 2024-03-01T12:30:00Z -l version=2 -l host=b new
}

query() {
	"$CUPEL" query --store store --from 2024-03-01T11:00:00Z --to 2024-03-01T13:00:00Z "$@"
}

@test "functions and labels over time" {
	run --separate-stderr query top
	[ "$status" -eq 0 ]
	[[ $output == *"6000   64.5%  f "* ]]
	run --separate-stderr query top --total --limit 1
	[[ $output == *"9300  100.0%  app "* ]]
	[[ $output == *"and 4 more"* ]]
	run --separate-stderr query timeline --by version --step 1h --json
	[[ $output == *'"name":"2","total":5100,"weights":[0,5100]'* ]]
	[[ $output == *'"name":"1","total":4200,"weights":[4200,0]'* ]]
	run --separate-stderr query series
	[ "$(grep -c version= <<<"$output")" -eq 2 ]
	run --separate-stderr query series --json
	[[ $output == *'{"samples":4200,'*'"version":"1"'* ]]
}

@test "columns of hours are filled from hours, also of days that are over" {
	for hour in 01 09 17; do
		"$CUPEL" push -q --store days --at 2024-03-01T$hour:30:00Z old
	done
	[ -s days/20240301-00/1d ]
	range=(--store days --from 2024-02-28T00:00:00Z --to 2024-03-03T00:00:00Z)
	run --separate-stderr "$CUPEL" query "${range[@]}" timeline --step 8h --json
	[[ $output == *'"weights":[0,0,0,0,0,0,4200,4200,4200,0,'* ]]
	run --separate-stderr "$CUPEL" query "${range[@]}" timeline --step 24h --json
	[[ $output == *'"weights":[0,0,12600,0]'* ]]
	run --separate-stderr "$CUPEL" query "${range[@]}" top --step 8h --json
	[[ $output == *'"name":"f","total":9000,"weights":[0,0,0,0,0,0,3000,3000,3000,'* ]]
}

@test "each event has a timeline of its own" {
	printf 'app 5/6 [000] 1709292600.5: 1000 cpu-clock: \n\t10 main+0x1 (/bin/a)\n\n' >timed
	printf 'app 5/6 [000] 1709292601.5: 77000 offcpu-time: \n\t20 wait+0x1 (/bin/a)\n\n' >>timed
	"$CUPEL" push -q --store two timed
	range=(--store two --from 2024-03-01T11:00:00Z --to 2024-03-01T13:00:00Z timeline --step 1h)
	run --separate-stderr "$CUPEL" query "${range[@]}" --json
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[0]} == *'"event":"cpu-clock","unit":"'*'"total":1000,'* ]]
	[[ ${lines[2]} == *'"event":"offcpu-time","unit":"'*'"total":77000,'* ]]
	run --separate-stderr "$CUPEL" query "${range[@]}"
	[ "$(grep -c "^# .*, from " <<<"$output")" -eq 2 ]
	run --separate-stderr "$CUPEL" query "${range[@]}" --json -e cpu-clock
	[[ $output == *'"total":1000,'* && $output != *offcpu* ]]
}

@test "an end that was torn off after it was written is reported, also when the store is written again" {
	part=store/20240301-00
	for cut in 1 40; do
		rm -rf torn
		cp -r store torn
		truncate -s -$cut torn/20240301-00/10s
		run --separate-stderr "$CUPEL" query --store torn --from 2024-03-01T11:00:00Z \
			--to 2024-03-01T13:00:00Z series
		[ "$status" -eq 0 ]
		[[ $stderr == *"blocks of the store cannot be read: samples are missing"* ]]
	done
	rm -f torn/20240301-00/1?
	truncate -s -1 torn/20240301-00/10s
	"$CUPEL" push -q --store torn --at 2024-03-01T12:40:00Z old
	run --separate-stderr "$CUPEL" query --store torn --from 2024-03-01T11:00:00Z \
		--to 2024-03-01T13:00:00Z series
	[[ $stderr == *"blocks of the store cannot be read: samples are missing"* ]]
	# a writer that was killed leaves a log of what it did not write
	rm -rf torn
	cp -r store torn
	rm -f torn/20240301-00/1?
	printf 'half a block' >>torn/20240301-00/10s
	: >torn/20240301-00/wal.3
	run --separate-stderr "$CUPEL" query --store torn --from 2024-03-01T11:00:00Z \
		--to 2024-03-01T13:00:00Z series
	[ "$status" -eq 0 ] && [ -z "$stderr" ]
	[ -s "$part/10s" ]
}

@test "every view reports a damaged store" {
	query top >/dev/null # whole so far
	: >store/20240301-00/dictionary
	for view in series timeline; do
		run --separate-stderr query $view
		[ "$status" -eq 0 ]
		# shellcheck disable=SC2154 # run sets it
		[[ $stderr == *"blocks of the store cannot be read"* ]]
	done
	run --separate-stderr query report
	[ "$status" -eq 1 ]
	[[ $stderr == *"cannot be read"* ]]
}

@test "lines fit the terminal" {
	printf 'app;main;a_function_with_%s_name 900\n' a_very_very_very_very_very_very_long >long
	"$CUPEL" push -q --store store --at 2024-03-01T12:40:00Z long
	for width in 80 60; do
		for view in top timeline; do
			script -qec "stty cols $width; '$CUPEL' query --store store --from 2024-03-01T11:00:00Z \
				--to 2024-03-01T13:00:00Z $view" /dev/null </dev/null | tr -d '\r' |
				grep '%  ' >text
			[ "$(LC_ALL=C.UTF-8 wc -L <text)" -le $width ]
			[ -s text ]
		done
	done
	query top >text
	grep -q 'a_function_with_a_very_very_very_very_very_very_long_name ' text
}
