#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel io and cupel lock on PostgreSQL under pgbench: the syncs and bytes of the write-ahead log are at least those
# that the server counts itself, the layers of a sync add up to its length, and waits for the server's own locks
# are waits for shared semaphores below LWLockAcquire.
set -u
: "${CUPEL:?path of the cupel binary}"
[ "$(id -u)" = 0 ] || { echo "needs root to watch another user's server"; exit 77; }
postgres=$(command -v postgres || find /usr/lib/postgresql -name postgres -type f 2>/dev/null | head -n 1)
[ -n "$postgres" ] && command -v psql >/dev/null && command -v pgbench >/dev/null || {
	echo "PostgreSQL with psql and pgbench is not installed"
	exit 77
}
tools=$(dirname "$(readlink -f "$postgres")")
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
stop() {
	[ ! -f "$work/db/postmaster.pid" ] || kill -INT "$(head -n 1 "$work/db/postmaster.pid")" 2>/dev/null
	rm -rf "$work"
}
trap stop EXIT
cd "$work" || exit 1
"$CUPEL" io -o probe.txt -- true 2>log || {
	echo "I/O cannot be watched here: $(head -n 1 log)"
	exit 77
}
chmod 755 "$work"
mkdir db
chown 65534:65534 db
setpriv --reuid=65534 --clear-groups "$tools/initdb" -D "$work/db" -A trust -U postgres >log 2>&1 || {
	echo "initdb does not work here: $(tail -n 1 log)"
	exit 77
}
# A server without a port: its socket is in its folder.
cat >load.sh <<'LOAD'
set -u
work=$1 tools=$2 postgres=$3
ask() { psql -h "$work/db" -U postgres -Atc "$1"; }
setpriv --reuid=65534 --clear-groups "$postgres" -D "$work/db" -k "$work/db" -c listen_addresses= >server.log 2>&1 &
server=$!
while ! "$tools/pg_isready" -q -h "$work/db"; do
	kill -0 $server 2>/dev/null || { cat server.log; exit 1; }
	sleep 0.1
done
count="select wal_sync, wal_bytes from pg_stat_wal"
ask "$count" >before.txt
pgbench -q -i -h "$work/db" -U postgres postgres >bench.log 2>&1 &&
	pgbench -n -c 8 -j 2 -t 20 -h "$work/db" -U postgres postgres >>bench.log 2>&1
status=$?
ask "$count" >after.txt
kill -INT $server
wait $server
exit $status
LOAD
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
"$CUPEL" io --json -o io.json --rows 0 -- bash load.sh "$work" "$tools" "$postgres" 2>log ||
	fail "cupel io: $(cat log bench.log server.log | tail -n 20)"
python3 - <<'PY' || failed=1
import json, sys
io = json.load(open("io.json"))
(syncs, size), (more_syncs, more_size) = ([int(x) for x in open(name).read().split("|")]
                                          for name in ("before.txt", "after.txt"))
syncs, size = more_syncs - syncs, more_size - size
log = [f for f in io["files"] if "/pg_wal/" in f["file"]]
kinds = {o["operation"]: o for o in io["operations"]}
written = sum(f["bytes"] for f in log)
wrong = []
if not io["lost"] and kinds["fsync"]["requests"] < syncs:
    wrong.append(f"{kinds['fsync']['requests']} syncs, the server counts {syncs} of its log")
if not io["lost"] and written < size:
    wrong.append(f"{written} bytes in the log, the server counts {size}")
if syncs < 20:
    wrong.append(f"the server counts {syncs} syncs: pgbench did not write")
for name, what in kinds.items():
    layers = sum(what["layers_ns"].values())
    if abs(layers - what["time_ns"]) * 100 > what["time_ns"]:
        wrong.append(f"{name}: layers have {layers} ns of {what['time_ns']}")
if io["lost"]:
    print(f"not tested: syncs of PostgreSQL: {io['lost']} requests were lost")
for text in wrong:
    print("FAIL:", text)
sys.exit(bool(wrong))
PY
"$CUPEL" lock --user --json -o lock.json --rows 0 -- bash load.sh "$work" "$tools" "$postgres" 2>log ||
	fail "cupel lock: $(cat log bench.log server.log | tail -n 20)"
python3 - <<'PY' || failed=1
import json, sys
waits = [(row, w) for row in json.load(open("lock.json"))["locks"] for w in row["waiters"]
         if any(f["function"] == "LWLockAcquire" for f in w["stack"])]
wrong = {row["kind"] for row, _ in waits if "semaphore" not in row["kind"]}
if not waits:
    print("not tested: locks of PostgreSQL: none of its processes waited for one")
if wrong:
    print("FAIL: kinds of locks below LWLockAcquire:", wrong)
sys.exit(bool(wrong))
PY
exit "$failed"
