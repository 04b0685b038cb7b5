#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The full-screen report: the time until its first screen is complete, against the end of stock perf's
# report of the same recording, by turns; then the time of each key. Exit status 1 when the goal is missed.
#
# Environment: CUPEL; BENCH_SAMPLES (800000); BENCH_FOLDER, where the recording is kept and found again
# (a temporary folder); BENCH_LIMIT (900), seconds after which perf is stopped: the ratio is then a lower
# bound, and marked as one.
set -u
export LC_ALL=C
bench=$(cd "$(dirname "$0")" && pwd)
samples=${BENCH_SAMPLES:-800000}
# shellcheck disable=SC2034 # timed() reads it
limit=${BENCH_LIMIT:-900}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${BENCH_FOLDER:-$work}
mkdir -p "$folder"
missed=0
# shellcheck source=bench/timing.bash
. "$bench/timing.bash"

need perf /usr/bin/time python3 "${CUPEL:?path of the cupel binary}"
recording=$folder/browser.data
rate=18000
seconds=$((samples / (rate * $(nproc)) + 3))
if [ ! -s "$recording" ]; then
	echo "+ perf record -a -g -F $rate -o browser.data -- sleep $seconds"
	"$bench/load.sh" "$seconds" &
	timeout -k 1 -s INT $((seconds + 20)) \
		perf record -q -a -g -F "$rate" -o "$recording" -- sleep "$seconds" 2>/dev/null
	wait
fi
echo "$(perf report -i "$recording" --stats 2>/dev/null |
	awk '/SAMPLE events:/ { print $3; exit }') samples, $(stat -c %s "$recording") bytes"
for _ in 1 2 3; do
	timed cupel-screen "python3 $bench/browser_open.py $CUPEL $recording"
	[ -s "$work/perf-report.runs" ] && [ "$(awk '{ print ($1 > 60) }' "$work/perf-report")" = 1 ] ||
		timed perf-report "perf report -i $recording --stdio"
done
python3 "$bench/browser_open.py" "$CUPEL" "$recording" keys
echo
ratio "first screen: end of perf report --stdio, time" perf-report cupel-screen 1 8
exit "$missed"
