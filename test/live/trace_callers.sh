#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel trace --by-caller: counts are exact for callers that share the place of the call, waits have
# the reasons that the program waits for, and their sum is that of `cupel wall`, which observes the
# same run. Nothing stays in the kernel after SIGKILL.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
program=$(dirname "$CUPEL")/test/live/trace_callers
[ -x "$program" ] || { echo "not built: $program"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" trace --by-caller -o probe.txt -- true 2>log || {
	echo "system calls cannot be traced here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

"$CUPEL" trace --by-caller --json -o out.json -- "$program" || fail "the program's status"
python3 - <<'PY' || failed=1
import json
out = json.load(open("out.json"))
def of(name, function):
	return [r for r in out["callers"] if r["name"] == name and
		function in [f["function"] for f in r["stack"]]]
def calls(name, function):
	return sum(r["calls"] for r in of(name, function))
assert out["lost_calls"] == 0, out["lost_calls"]
assert calls("getppid", "caller_one") == 9000, calls("getppid", "caller_one")
assert calls("getppid", "caller_two") == 3000, calls("getppid", "caller_two")
for row in of("getppid", "caller_one"):
	names = [f["function"] for f in row["stack"]]
	at = names.index("make_call")
	assert names[at:at + 4] == ["make_call", "caller_one", "alternate", "main"], names
assert calls("read", "read_zeros") == 1500
assert calls("clock_nanosleep", "sleep_some") == 20
waits = [("clock_nanosleep", "sleep_some", "blocked: sleep", 100e6),
	 ("wait4", "wait_for_child", "blocked: child", 90e6),
	 ("read", "read_pipe", "blocked: pipe", 70e6),
	 ("futex", "take_lock", "blocked: lock", 80e6)]
for name, function, state, ns in waits:
	got = sum(r["by_state"].get(state, 0) for r in of(name, function))
	assert got >= ns, (name, function, state, got)
	assert all(r["p50_ns"] <= r["p99_ns"] for r in of(name, function))
assert sum(r["calls"] for r in out["callers"]) == out["calls"]
for state, ns in out["by_state"].items():
	assert sum(r["by_state"].get(state, 0) for r in out["callers"]) == ns, state
PY

# a program that ends before any of its sums is added
for _ in {1..12}; do
	"$CUPEL" trace --by-caller -e getppid --json -o short.json -- "$program" short || fail "short"
	python3 - <<-'PY' || failed=1
		import json
		out = json.load(open("short.json"))
		assert (out["calls"], out["lost_calls"]) == (200, 0), (out["calls"], out["lost_calls"])
		depths = [0] * 9
		for row in out["callers"]:
		    depths[[f["function"] for f in row["stack"]].count("call_below")] += row["calls"]
		assert out["calls"] > out["whole_stacks"] or depths == [0] + [25] * 8, depths
	PY
done

# beside the ledger, in one run
"$program" wait &
pid=$!
wait_for is_asleep "$pid" trace_callers || exit 1
"$CUPEL" wall --json -p "$pid" -o wall.json &
wall=$!
"$CUPEL" trace --by-caller --json -p "$pid" -o by.json &
trace=$!
wait_for is_watching "$wall" || fail "cupel wall does not watch"
wait_for is_watching "$trace" || fail "cupel trace does not watch"
kill -USR1 "$pid"
wait "$pid" "$wall" "$trace"
python3 - <<'PY' || failed=1
import json
wall, by = json.load(open("wall.json")), json.load(open("by.json"))
for function, calls in (("caller_one", 9000), ("caller_two", 3000)):
	rows = [r for r in by["callers"] if function in [f["function"] for f in r["stack"]]]
	assert sum(r["calls"] for r in rows) == calls, rows
	assert all(r["stopped"] == "root" for r in rows), rows
reasons = {r["state"] + ": " + r["reason"]: r["ns"] for r in wall["reasons"]}
compared = 0
for state, ns in reasons.items():
	if not state.startswith("blocked: ") or state == "blocked: page-fault":
		continue
	ours = by["by_state"].get(state, 0)
	assert abs(ours - ns) <= 2e6 + 0.02 * ns, (state, ours, ns)
	compared += 1
assert compared >= 4, reasons
# The ledger's kernel time has that of page faults and of the tracing itself, too.
kernel = sum(t["states"]["running-kernel"] for t in wall["threads"])
calls = by["by_state"]["running: kernel"]
print("kernel time: ledger %.1f ms, calls %.1f ms" % (kernel / 1e6, calls / 1e6))
assert 0.8 * kernel <= calls <= 1.02 * kernel, (calls, kernel)
PY

"$CUPEL" trace --flame -o flame.svg -- "$program" 2>/dev/null || fail "--flame"
grep -q '\[syscall getppid\]' flame.svg || fail "no call in the flame graph"
grep -q 'caller_one' flame.svg || fail "no caller in the flame graph"
grep -q 'blocked: sleep' flame.svg || fail "no state in the flame graph"
"$CUPEL" trace --by-caller --flame -o flame.html -- "$program" >table.txt 2>/dev/null || fail "both"
grep -q '^   sum ' table.txt || fail "no table beside the picture"
grep -q '<html' flame.html || fail "no page"

# its programs, by their ids
programs() {
	sed -n 's/^prog_id:[[:space:]]*//p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -u
}
PATH=$PATH:/usr/sbin
if command -v bpftool >/dev/null; then
	"$CUPEL" trace --by-caller -o killed.txt -- sleep 100 2>/dev/null &
	pid=$!
	wait_for is_watching "$pid" || fail "it does not watch"
	child_of "$pid" sleep
	ids=$(programs "$pid")
	[ -n "$ids" ] || fail "no programs are loaded"
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	kill "$child"
	unloaded() {
		for id in $ids; do
			! bpftool prog show id "$id" >/dev/null 2>&1 || return 1
		done
	}
	wait_for unloaded || fail "programs stay after SIGKILL"
fi
[ "$failed" -eq 0 ] && echo "exact by caller; waits as in the ledger"
exit "$failed"
