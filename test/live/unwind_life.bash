# SPDX-License-Identifier: GPL-2.0-or-later
# For tests that count the complete stacks of a recording. Source it; it creates and enters a folder.
# shellcheck shell=bash disable=SC2034 # its variables are for those tests
set -u
tools=$(dirname "$CUPEL")/test/live
life=$tools/unwind_life
mode=${CALL_GRAPH:-auto}
if [ "$(id -u)" -ne 0 ]; then
	echo "needs root"
	exit 77
fi
work=$(mktemp -d)
children=
# shellcheck disable=SC2086 # a list of words
trap '[ -z "$children" ] || kill $children 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

record() {
	"$CUPEL" record -q -F 999 --call-graph "$mode" -o x.data "$@" >log 2>&1
}

# count KEY: a number of json
count() {
	sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" json | head -n 1
}

# expect NAME PERCENT FRAMES: in x.data PERCENT of the user stacks are complete, and PERCENT of those in
# work() have FRAMES, outermost first (a regular expression for folded stacks)
# Environment: comms, the only commands that count
expect() {
	[ -z "${KEEP:-}" ] || cp x.data "$KEEP/$1.data"
	"$CUPEL" report --json ${comms:+--comms "$comms"} -i x.data 2>>log | head -c 4000 | tr '\n' ' ' |
		sed 's/"stacks"/\n&/; s/"symbols"/\n&/' | grep '^"stacks"' >json
	"$CUPEL" collapse ${comms:+--comms "$comms"} x.data >folded 2>>log
	grep -E ';work(;| )|[^_]spin' folded >at_work # not the kernel's _raw_spin_…
	grep -E "$3" at_work >with_frames
	share=$(awk '
		FNR == NR { all += $NF; next }
		{ with += $NF }
		END { printf "%.1f", all ? 100 * with / all : 100 }' at_work with_frames)
	total=$(count total)
	complete=$(count complete)
	echo "$1: $complete of $total stacks complete, $share % of those at work have the frames;" \
		"$(sed 's/.*"stopped": *//; s/},.*/}/' json)"
	switched=$(count switched) # Go's runtime has left the stack: known, and no failure to unwind
	if [ "$total" -lt 10 ] || [ $(((complete + ${switched:-0}) * 100)) -lt $((total * $2)) ] ||
		[ "${share%.*}" -lt "$2" ]; then
		failed=1
		echo "$1: FAILED"
		tail -n 3 log
		grep -vE "$3" at_work | head -n 3 | cut -c 1-300
		grep -v ';_start;' folded | sort -t ' ' -k 2 | head -n 3 | cut -c 1-300
	fi
}
