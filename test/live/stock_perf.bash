# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Tests that run stock perf source it. perf 6.1 ends with EFAULT when a BPF program is unloaded that it
# reads; it is run again then.
if command -v perf >/dev/null; then
	perf() {
		perf_out=$(mktemp) perf_err=$(mktemp)
		for _ in 1 2 3 4 5; do
			perf_status=0
			command perf "$@" >"$perf_out" 2>"$perf_err" || perf_status=$?
			[ "$perf_status" -eq 242 ] || break
		done
		cat "$perf_out"
		cat "$perf_err" >&2
		rm -f "$perf_out" "$perf_err"
		return "$perf_status"
	}
fi
