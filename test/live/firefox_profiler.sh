#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The Firefox profiler's own code (its command line, from npm) loads the output of cupel convert:
# profiles, and the text formats that it imports. Functions and their weights equal those in cupel.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
node=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
if [ "$node" -lt 20 ] || ! command -v python3 >/dev/null; then
	echo "needs Node.js 20 or newer, and python3"
	exit 77
fi
here=$(dirname "$0")
work=$(mktemp -d)
export PROFILER_CLI_SESSION_DIR=$work/sessions
daemon=
# shellcheck disable=SC2329 # at the end
finish() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
profiler() {
	timeout 20 node "$package/dist/profiler-cli.js" "$@" --session test
}
# shellcheck source=/dev/null
. "$here/../npm_package.bash"
package= # which npm_package sets
npm_package @firefox-devtools/profiler-cli@0.10.0

printf '%s\n' 'dd 1/1 [000] 1.0: 600000 cpu-clock: ' '	3 hot+0x1 (/bin/dd)' '  hot.c:7' '	1 main+0x1 (/bin/dd)' '' \
	'dd 1/1 [000] 1.1: 300000 cpu-clock: ' '	5 hot+0x3 (/bin/dd)' '  hot.c:9' '	1 main+0x1 (/bin/dd)' '' \
	'dd 1/1 [000] 1.2: 100000 cpu-clock: ' '	4 in (inlined)' '	4 warm+0x1 (/bin/dd)' '	1 main+0x1 (/bin/dd)' '' \
	>"$work/in.txt"
# functions FILE: "NAME self total" of the first thread, from the profiler. It runs in a separate
# process, because its client would wait only half a second for the start.
functions() {
	node "$package/dist/profiler-cli.js" --daemon "$1" --session test >"$work/log" 2>&1 &
	daemon=$!
	until profiler thread functions --thread t-0 --include-idle --limit 0 --json \
		>"$work/functions.json" 2>>"$work/log"; do
		kill -0 "$daemon" || break
		sleep 0.5
	done
	profiler stop >/dev/null 2>>"$work/log" || cat "$work/log"
	timeout 20 tail --pid="$daemon" -f /dev/null || kill "$daemon" || true # it may not heed that
	wait "$daemon" || true
	daemon=
	python3 -c 'import json, sys
for f in sorted(json.load(sys.stdin)["functions"], key=lambda f: f["name"]):
    print(f["nameWithLibrary"], "%.12g" % f["selfSamples"], "%.12g" % f["totalSamples"])' \
		<"$work/functions.json"
}
# same KIND FUNCTIONS...
same() {
	functions "$work/$1" >"$work/found"
	printf '%s\n' "${@:2}" | diff - "$work/found" || {
		echo "FAIL $1"
		exit 1
	}
}
"$CUPEL" convert --format firefox "$work/in.txt" -o "$work/profile.json"
same profile.json 'dd!hot 0.9 0.9' 'dd!in 0.1 0.1' 'dd!main 0 1' 'dd!warm 0 0.1'
"$CUPEL" convert --format perf-script "$work/in.txt" -o "$work/script.txt"
# the profiler counts samples in such text
same script.txt '/bin/dd!hot 2 2' 'inlined!in 1 1' '/bin/dd!main 0 3' '/bin/dd!warm 0 1'
"$CUPEL" collapse --no-comm --event-filter cpu-clock "$work/in.txt" >"$work/stacks.txt"
same stacks.txt 'hot 900000 900000' 'in 100000 100000' 'main 0 1000000' 'warm 0 100000'
echo "checked by the Firefox profiler: its own format, perf script text, folded stacks"
