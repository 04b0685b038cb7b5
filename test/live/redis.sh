#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel io on Redis under redis-benchmark: bytes and syncs of its append-only file are at least those
# that the server counts itself, what it reads from sockets as well, and layers add up.
set -u
: "${CUPEL:?path of the cupel binary}"
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
command -v redis-server >/dev/null && command -v redis-cli >/dev/null &&
	command -v redis-benchmark >/dev/null || {
	echo "redis-server with redis-cli and redis-benchmark is not installed"
	exit 77
}
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" io -o probe.txt -- true 2>log || {
	echo "I/O cannot be watched here: $(head -n 1 log)"
	exit 77
}
cat >load.sh <<'LOAD'
set -u
work=$1
redis-server --port 0 --unixsocket "$work/socket" --dir "$work" --save '' --appendonly yes \
	--appendfsync always >server.log 2>&1 &
server=$!
until redis-cli -s socket ping >/dev/null 2>&1; do
	kill -0 $server 2>/dev/null || { cat server.log; exit 1; }
	sleep 0.1
done
redis-benchmark -s socket -t set -n 500 -c 10 -q >bench.log 2>&1
status=$?
redis-cli -s socket info | tr -d '\r' >info.txt
redis-cli -s socket shutdown
wait $server
exit $status
LOAD
"$CUPEL" io --json -o io.json --rows 0 -- bash load.sh "$work" 2>log || {
	echo "cupel io: $(cat log bench.log server.log | tail -n 20)"
	exit 1
}
python3 - <<'PY'
import json, sys
io = json.load(open("io.json"))
info = dict(line.split(":", 1) for line in open("info.txt").read().splitlines() if ":" in line)
size, received = int(info["aof_current_size"]), int(info["total_net_input_bytes"])
written = sum(f["bytes"] for f in io["files"] if "appendonly" in f["file"])
kinds = {o["operation"]: o for o in io["operations"]}
wrong = []
if size < 500 * 20:
    wrong.append(f"the server wrote {size} bytes: redis-benchmark did not write")
if not io["lost"] and written < size:
    wrong.append(f"{written} bytes in the append-only file, the server counts {size}")
if not io["lost"] and kinds["read"]["bytes"] < received:
    wrong.append(f"{kinds['read']['bytes']} bytes read, the server counts {received}")
# Ten clients at most are served by one sync.
if not io["lost"] and kinds["fsync"]["requests"] < 500 / 10:
    wrong.append(f"{kinds['fsync']['requests']} syncs")
for name, what in kinds.items():
    layers = sum(what["layers_ns"].values())
    if abs(layers - what["time_ns"]) * 100 > what["time_ns"]:
        wrong.append(f"{name}: layers have {layers} ns of {what['time_ns']}")
stacks = [s for s in io["stacks"] if s["operation"] == "fsync"]
if not any("flushAppendOnlyFile" in [f["function"] for f in s["stack"]] for s in stacks):
    print("not tested: the stack of a sync: the server has no symbols")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
PY
