#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every command that reads a recording can read it from a pipe, with the same output as for the file.
# Inputs are recordings from the fuzz seeds, in file mode and in pipe mode.

bats_require_minimum_version 1.5.0

setup() {
	seeds="$BATS_TEST_DIRNAME/../fuzz/seeds/perf_data"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# A pipe has no file time.
same_from_a_pipe() { # SEED COMMAND...
	local seed="$seeds/$1"
	shift
	"$CUPEL" "$@" -i "$seed" 2>/dev/null | grep -v 'captured on' >file
	# shellcheck disable=SC2002 # the pipe is what is tested
	cat "$seed" | "$CUPEL" "$@" -i - 2>errors | grep -v 'captured on' >pipe
	[ -s file ] || { cat errors && return 1; }
	diff file pipe || { cat errors && return 1; }
}

@test "report --header and similar options" {
	for seed in callgraph pipe dwarf; do
		same_from_a_pipe "$seed" report --header
		same_from_a_pipe "$seed" report --header-only -I
		same_from_a_pipe "$seed" report --stats
		same_from_a_pipe "$seed" report --json
		same_from_a_pipe "$seed" report --header --tree
	done
}

@test "script with a header, evlist, buildid-list" {
	for seed in callgraph pipe; do
		same_from_a_pipe "$seed" script --header
		same_from_a_pipe "$seed" script --header-only
		same_from_a_pipe "$seed" evlist -v
		same_from_a_pipe "$seed" buildid-list
		same_from_a_pipe "$seed" buildid-list --with-hits
	done
	same_from_a_pipe pipe_tracepoint evlist --trace-fields
}

@test "profiles of other formats" {
	"$CUPEL" collapse "$seeds/callgraph" >folded
	"$CUPEL" convert --format pprof -o pprof "$seeds/callgraph"
	for input in folded pprof; do
		"$CUPEL" report -i "$input" >file
		# shellcheck disable=SC2002 # the pipe is what is tested
		cat "$input" | "$CUPEL" report -i - >pipe
		cmp file pipe
		# shellcheck disable=SC2002
		cat "$input" | "$CUPEL" convert --format folded - >from_pipe
		"$CUPEL" convert --format folded "$input" | cmp - from_pipe
	done
}

# 60 MB of text in 160 KB: memory for it all at once would be refused.
@test "packed JSON is read in pieces" {
	python3 - <<-'END'
		import gzip
		with gzip.open("packed", "wt") as f:
		    f.write('{"$schema": "https://www.speedscope.app/file-format-schema.json",'
		            '"shared": {"frames": [{"name": "a"}, {"name": "b"}]}, "profiles": [{"type": "sampled",'
		            '"name": "x", "unit": "nanoseconds", "startValue": 0, "endValue": 3, "samples": [')
		    f.write(",".join(["[0, 1]" + " " * 1000] * 60000))
		    f.write('], "weights": [' + ",".join(["1"] * 60000) + "]}]}")
	END
	[ "$("$CUPEL" collapse packed)" = "x;a;b 60000" ]
	# shellcheck disable=SC2002 # the pipe is what is tested
	[ "$(cat packed | "$CUPEL" collapse -)" = "x;a;b 60000" ]
}
