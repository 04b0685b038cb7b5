#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Samples of processes that live for a millisecond have names: none has an unknown command, and user
# frames are in known files.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
command -v perf >/dev/null || {
	echo "needs perf"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# shellcheck disable=SC2016 # the inner shell expands it
load='i=0; while [ $i -lt 200 ]; do i=$((i + 1)); /bin/true; done'

for target in '' -a; do
	# shellcheck disable=SC2086 # $target is one option or none
	"$CUPEL" record $target -F 20000 -o c.data -- sh -c "$load" 2>summary
	grep -q ', 0 lost' summary || {
		cat summary
		exit 1
	}
	perf report --no-inline -f -i c.data --stdio -g none --no-children --sort comm,dso -F sample,comm,dso \
		-t ';' 2>/dev/null | grep -v '^#' | grep . >rows
	awk -F ';' -v target="$target" '
		{ gsub(/ +$/, "", $2); gsub(/^ +| +$/, "", $3) }
		$2 == "true" { named += $1 }
		$2 == "true" && $3 ~ /^\[unknown\]|^\/\/anon/ { unknown += $1 }
		$2 ~ /^:[0-9]+$/ { nameless += $1 }
		END {
			printf "%s: %d samples of true, %d in unknown code, %d nameless\n", \
				target, named, unknown, nameless
			exit !(named > 200 && unknown * 100 < named && nameless == 0)
		}' rows || {
		cat rows
		exit 1
	}
done

# Clocks of threads, as with -p, miss them, and the recording says which share.
# shellcheck disable=SC2016
sh -c 'i=0; until [ -e enough ]; do /bin/true; done' &
pid=$!
"$CUPEL" record -p $pid -o p.data -- sh -c "$load" 2>summary || {
	cat summary
	exit 1
}
touch enough
wait
grep -q "% of the processes' time has no samples" summary || {
	echo "-p: not said that most is not seen: $(cat summary)"
	exit 1
}
