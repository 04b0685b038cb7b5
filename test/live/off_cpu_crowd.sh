#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ten thousand threads that wait for 20 ms each: there are more waits than can be reported one by one,
# but no time is lost.
set -eu
if [ "$(id -u)" != 0 ]; then
	echo "needs root"
	exit 77
fi
work=$(mktemp -d)
here=$(dirname "$CUPEL")
trap 'rm -rf "$work"' EXIT
cd "$work"

threads=10000 rounds=40
timeout -s KILL 120 "$CUPEL" record -e off-cpu -o waits.data -- \
	"$here/test/live/many_waits" $threads $rounds >made 2>said
if grep -q 'instead of walked in the kernel\|goes without' said; then
	cat said
	exit 77
fi
made=$(cat made)
"$CUPEL" collapse waits.data >folded
waited=$(awk '/wait_often/ { sum += $NF } END { printf "%.1f", sum / 1e9 }' folded)
slept=$(awk -v n="$made" -v r=$rounds 'BEGIN { printf "%.1f", n * r * 0.02 }')
echo "$made threads slept for $slept s, of which $waited s were recorded; $(tail -n 1 said)"
awk -v w="$waited" -v s="$slept" 'BEGIN { exit !(w >= s * 0.99 && w <= s * 1.2) }' || {
	echo "FAIL: $waited s of $slept: $(cat said)"
	exit 1
}
