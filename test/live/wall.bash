# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Common functions of the ledger's tests. Source it first; it enters a temporary folder. A failed check
# sets failed to 1.
failed=0
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
work=$(mktemp -d)
tidy_up() { rm -rf "$work"; }
trap tidy_up EXIT
cd "$work" || exit 1
if ! "$CUPEL" wall --json -o probe.json -- true 2>log; then
	echo "the scheduler cannot be watched here: $(head -n 1 log)"
	exit 77
fi

# watch NAME PROGRAM...: writes result.json; the states must add up, without losses
watch() {
	watch_lossy "$@"
	ask "$1: nothing is lost" 'not any(v for what, v in r["lost"].items() if what != "edges")'
	# A thread has one for each thread that ran in its place, so how many there are is up to the machine's load.
	python3 -c 'import json, sys; sys.exit(not json.load(open("result.json"))["lost"]["edges"])' &&
		echo "not tested: what ran instead of the threads in $1: there was no room for all of it"
}

# watch_lossy NAME PROGRAM...: the same, but losses are permitted
watch_lossy() {
	local name=$1
	shift
	"$CUPEL" wall --json -o result.json -- "$@" 2>log || {
		echo "$name: $(head -n 3 log)"
		failed=1
		return
	}
	ask "$name: the ledger is closed" '
sum(t["unaccounted_ns"] for t in r["threads"]) * 1000 <= sum(t["lifetime_ns"] for t in r["threads"])
and all(abs(sum(t["states"].values()) - t["lifetime_ns"]) * 1000 <= max(t["lifetime_ns"], 10**6)
	for t in r["threads"])'
}

# ask WHAT EXPRESSION: of result.json as r; reason(X) is its ms, by(WAITER) the entries of blocked_by,
# trace(TID) a thread's slices in trace.json
ask() {
	python3 - "$2" <<'PY' && return
import functools, json, sys
@functools.cache
def traces():
	threads = {}
	for e in json.load(open("trace.json"))["traceEvents"]:
		if e["ph"] == "X":
			threads.setdefault(e["tid"], []).append(e)
	return threads
def trace(tid): return traces().get(tid, [])
r = json.load(open("result.json"))
def reason(name): return sum(x["ns"] for x in r["reasons"] if x["reason"] == name) / 1e6
def by(waiter): return [b for b in r["blocked_by"] if b["waiter"].startswith(waiter + ":")]
def did(entry, what): return sum(t["ns"] for t in entry["then"] if what in (t["state"], t["reason"])) / 1e6
sys.exit(0 if eval("(" + sys.argv[1] + ")") else 1)
PY
	echo "$1: false: $2"
	head -c 3000 result.json
	failed=1
}

