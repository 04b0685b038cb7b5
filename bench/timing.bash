# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What benchmarks share, to be sourced: timing commands beside their peers, and judging the ratios.
# Wants the variables work (a folder) and limit (seconds after which a command is stopped), takes runs
# (how often to run each), sets missed=1 when a goal is not reached.

need() {
	for tool; do
		if ! command -v "$tool" >/dev/null; then
			echo "bench: $tool is missing" >&2
			exit 1
		fi
	done
}

# timed NAME COMMAND: runs it $runs times and keeps seconds, CPU seconds, peak KiB and status in
# $work/NAME: of the run with the median time, or of one that failed. Runs of an earlier call with the
# same name count, too, so that peers can take turns on a machine with a speed that changes by the minute.
timed() {
	echo "+ $2"
	for _ in $(seq "${runs:-1}"); do
		# shellcheck disable=SC2154 # set by the script that sources this
		/usr/bin/time -q -o "$work/$1" -f '%e %U %S %M %x' timeout "$limit" bash -c "$2" \
			2>"$work/$1.errors" >/dev/null </dev/null
		cat "$work/$1" >>"$work/$1.runs"
		grep -q ' 0$' "$work/$1" || break
	done
	read -r wall user system peak status <"$work/$1"
	printf '    %8.2f s wall  %8.2f s CPU  %7.1f MB peak%s\n' "$wall" \
		"$(echo "$user $system" | awk '{ print $1 + $2 }')" \
		"$(echo "$peak" | awk '{ print $1 / 1024 }')" \
		"$([ "$status" -eq 0 ] || echo "  status $status")"
	if [ "$status" -ne 0 ] && [ "$status" -ne 124 ]; then
		head -n 3 "$work/$1.errors"
	fi
	grep -v ' 0$' "$work/$1.runs" >"$work/$1" ||
		sort -n "$work/$1.runs" | sed -n "$((($(wc -l <"$work/$1.runs") + 1) / 2))p" >"$work/$1"
	sed -i -n '$p' "$work/$1"
}

# ratio WHAT PEER OURS COLUMN GOAL: column 1 is wall time, 4 peak memory.
ratio() {
	if [ ! -s "$work/$2" ] || [ ! -s "$work/$3" ]; then
		printf '%-58s not measured\n' "$1"
		return
	fi
	paste -d ' ' "$work/$2" "$work/$3" | awk -v what="$1" -v column="$4" -v goal="$5" '{
		peer = $column
		cupel = $(column + 5)
		if ($10 != 0) {
			printf "%-58s cupel failed\n", what
			exit 1
		}
		if ($5 != 0 && $5 != 124) {
			printf "%-58s the peer failed\n", what
			exit 0
		}
		cupel = cupel > 0.01 ? cupel : 0.01
		bound = $5 == 124 ? ">" : " "
		verdict = (peer / cupel >= goal) ? "ok" : "MISSED"
		printf "%-58s %s%8.1fx  goal %5.1fx  %s\n", what, bound, peer / cupel, goal, verdict
		exit verdict != "ok"
	}' || missed=1
}

# goal WHAT VALUE UNIT MOST: a value that must not be above its goal.
goal() {
	awk -v what="$1" -v value="$2" -v unit="$3" -v most="$4" 'BEGIN {
		verdict = value != "" && value + 0 <= most ? "ok" : "MISSED"
		printf "%-58s %9s %s  goal %s %s  %s\n", what, value, unit, most, unit, verdict
		exit verdict != "ok"
	}' || missed=1
}

# least WHAT VALUE UNIT LEAST: a value that must not be below its goal.
least() {
	awk -v what="$1" -v value="$2" -v unit="$3" -v least="$4" 'BEGIN {
		verdict = value != "" && value + 0 >= least ? "ok" : "MISSED"
		printf "%-58s %9s %s  goal %s %s  %s\n", what, value, unit, least, unit, verdict
		exit verdict != "ok"
	}' || missed=1
}
