#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel query: each view of a part of a store.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'app;main;f 3000\napp;main;g 1200\n' >old
	printf 'app;main;f 3000\napp;main;g 1200\napp;main;h 900\n' >new
	"$CUPEL" push -q --store store --at 2024-03-01T11:30:00Z -l version=1 -l host=a old
	"$CUPEL" push -q --store store --at 2024-03-01T12:30:00Z -l version=2 -l host=b new
}

query() {
	"$CUPEL" query --store store --from 2024-03-01T11:00:00Z --to 2024-03-01T13:00:00Z "$@"
}

@test "report has the samples of the range" {
	run --separate-stderr query report --stdio --no-children
	[ "$status" -eq 0 ]
	[[ $output == *"Event count (approx.): 9300"* ]]
	run --separate-stderr query 'version=2' report --json
	[[ $output == *'"weight": 5100'* || $output == *'"weight":5100'* ]]
	run --separate-stderr "$CUPEL" query 'host=~"a|x"' --store store --from 2024-03-01T11:00:00Z \
		--to 2024-03-01T13:00:00Z report --stdio
	[[ $output == *"Event count (approx.): 4200"* ]]
}

@test "pictures and files" {
	query flamegraph -o flame.svg
	grep -q '<svg' flame.svg
	query heatmap -o heat.html
	grep -q 'id="samples"' heat.html
	query convert -o out.pb.gz
	run --separate-stderr "$CUPEL" collapse --no-comm out.pb.gz
	[[ $output == *"app;main;h 900"* ]]
	query 'version=1' convert --format folded -o out.folded
	[[ $(cat out.folded) != *"h 900"* ]]
}

@test "versions and ranges are compared, with verdicts" {
	run --separate-stderr query 'version=2' --before 'version=1' diff --no-comm
	[ "$status" -eq 0 ]
	[[ $output == *"new"*h* ]]
	run --separate-stderr "$CUPEL" query --store store --from 2024-03-01T12:00:00Z \
		--to 2024-03-01T13:00:00Z diff --no-comm
	[[ $output == *"new"*h* ]]
	run "$CUPEL" query --store store --from 2024-03-01T12:00:00Z --to 2024-03-01T13:00:00Z \
		--before-from 2024-03-01T11:00:00Z diff --no-comm --fail-on 'new>0.5%'
	[ "$status" -eq 3 ]
	run "$CUPEL" query --store store --from 2024-03-01T12:00:00Z --to 2024-03-01T13:00:00Z \
		--before-from 2024-03-01T14:00:00Z --before-to 2024-03-01T13:30:00Z diff
	[ "$status" -eq 2 ]
}

@test "every reading command takes a part of a store" {
	run --separate-stderr "$CUPEL" report --stdio -i \
		'store:store{version="2"}[2024-03-01T12:00:00Z,2024-03-01T13:00:00Z]'
	[[ $output == *"Event count (approx.): 5100"* ]]
	run "$CUPEL" script -i 'store:store[2024-03-01,now]'
	[ "$status" -eq 1 ]
	[[ $output == *"a store has no single events"* ]]
}

@test "hostile names do no harm" {
	printf 'a\033[31m;<script>x</script>;"&amp; 3\n' >hostile
	"$CUPEL" push -q --store store --at 2024-03-01T12:30:00Z \
		-l service=$'<b>\033[1m"\\' hostile
	run --separate-stderr query series
	[ "$status" -eq 0 ]
	[[ $output != *$'\033'* ]]
	run --separate-stderr query 'service=~"<b>.*"' top
	[[ $output != *$'\033'* ]]
	query 'service=~"<b>.*"' flamegraph -o flame.svg
	! grep -q '<script>x' flame.svg
}

@test "mistakes are named" {
	run query
	[ "$status" -eq 2 ]
	[[ $output == *"missing VIEW"* ]]
	run query '{a=' report
	[ "$status" -ne 0 ]
	[[ $output == *"expected"* ]]
	run query x=y pie
	[ "$status" -eq 2 ]
	[[ $output == *"unknown view 'pie'"* ]]
	run query 'version=3' report
	[ "$status" -eq 1 ]
	[[ $output == *"no samples of that in this time"* ]]
	run "$CUPEL" query --store nowhere report
	[ "$status" -eq 1 ]
	[[ $output == *"nowhere: No such file"* ]]
	run "$CUPEL" query --store store --from now --to -1h report
	[ "$status" -eq 2 ]
}

@test "a mistake in a selector quotes what was written" {
	for selector in 'version=[' 'version="1' '{version=1' 'version' 'version=1}' ; do
		run query "$selector" top
		[ "$status" -eq 2 ]
		[[ $output == *"selector '$selector': "* ]]
		[[ $output != *@* ]]
	done
	run query --before '{a' version=2 diff
	[ "$status" -eq 2 ]
	[[ $output == *"selector '{a': "* ]]
}
