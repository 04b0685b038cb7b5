# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Tests that look at programs with cupel heap -p source it: LOOKS times each (2), while the programs work.
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
chmod 777 "$work"
cd "$work" || exit 1
"$CUPEL" heap -o /dev/null -- true 2>log || {
	echo "allocations cannot be watched here: $(head -n 1 log)"
	exit 77
}
[ "$(id -u)" = 0 ] || {
	echo "attaching needs root here"
	exit 77
}
failed=0 looks=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# watch NAME PID: short looks
watch() {
	for ((look = 0; look < ${LOOKS:-2}; look++)); do
		"$CUPEL" heap -p "$2" -d 200ms --json -o watched.json 2>log || fail "$1: $(cat log)"
	done
	looks=$((looks + ${LOOKS:-2}))
	grep -q '"allocated": { "value": [1-9]' watched.json || echo "$1: allocated nothing meanwhile"
}
# look NAME OUTPUT PROGRAM…: one that prints "ready", works until the file "end" is there, and prints OUTPUT
look() {
	name=$1 output=$2
	shift 2
	command -v "$1" >/dev/null || {
		echo "not tested: $name: no $1 here"
		return
	}
	rm -f end
	: >out
	"$@" >out 2>errors &
	pid=$!
	wait_for grep -q ready out || fail "$name: $(cat errors)"
	watch "$name" $pid
	touch end
	wait $pid || fail "$name: status $?: $(tail -n 3 errors)"
	pid=
	[ "$(tail -n 1 out)" = "$output" ] || fail "$name: $(tail -n 3 out errors)"
}

# ask NAME ANSWER QUESTION…: the same answer before, while and after the process in $pid is watched
ask() {
	name=$1 answer=$2
	shift 2
	wait_for answers "$answer" "$@" || fail "$name: no answer: $("$@" 2>&1 | head -n 2)"
	(while [ ! -e asked ]; do "$@" 2>&1; done) >asked_meanwhile &
	asker=$!
	watch "$name" "$pid"
	touch asked
	wait $asker
	rm asked
	[ "$(sort -u asked_meanwhile)" = "$answer" ] || fail "$name: $(sort asked_meanwhile | uniq -c | head -n 3)"
	answers "$answer" "$@" || fail "$name: no answer afterwards"
	kill "$pid"
	wait "$pid" 2>/dev/null
	pid=
}
answers() {
	expected=$1
	shift
	[ "$("$@" 2>/dev/null)" = "$expected" ]
}
