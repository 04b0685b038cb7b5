#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# biosnoop, biolatency, biostacks, biotop, bitesize and biopattern on a loop device with a known number
# of direct reads and writes: requests and bytes equal those of /proc/diskstats.
set -u
: "${CUPEL:?path of the cupel binary}"
[ "$(id -u)" = 0 ] || { echo "needs root for a loop device"; exit 77; }
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
device=
trap '[ -z "$device" ] || losetup -d "$device"; rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" biosnoop -- true >probe.txt 2>log || {
	echo "activity cannot be watched here: $(head -n 1 log)"
	exit 77
}
truncate -s 16M image
device=$(losetup -f --show image 2>log) || { echo "no loop device here: $(cat log)"; exit 77; }
disk=${device##*/}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# 64 writes of 64 KiB, 100 reads of 4 KiB, one behind the other; 50 reads far apart
cat >requests.py <<'PY'
import mmap, os, sys
page = mmap.mmap(-1, 65536)
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
for i in range(64):
    assert os.pwrite(fd, page, i * 65536) == 65536
part = memoryview(page)[:4096]
for i in range(100):
    assert os.preadv(fd, [part], i * 4096) == 4096
for i in range(50):
    assert os.preadv(fd, [part], (i * 37 % 50) * 65536 * 5 + 8192) == 4096
PY

# The disk's requests and sectors so far: reads, sectors read, writes, sectors written
disk_stats() {
	awk -v disk="$disk" '$3 == disk { print $4, $6, $8, $10 }' /proc/diskstats
}

# watch TOOL [options]: its output in out.txt, and what the kernel counted meanwhile in counted.txt
watch() {
	{
		disk_stats
		"$CUPEL" "$@" -- python3 requests.py "$device" >out.txt 2>log || fail "$*: $(cat log)"
		disk_stats
	} | tr '\n' ' ' >counted.txt
}

watch biosnoop -QP --json
python3 - <<'PY' || fail "biosnoop"
import json
rows = [json.loads(line) for line in open("out.txt")]
rows = [r for r in rows if r["disk"].startswith("loop")]
n = [int(x) for x in open("counted.txt").read().split()]
reads, read_sectors, writes, written_sectors = (n[i + 4] - n[i] for i in range(4))
of = {op: [r for r in rows if r["operation"] == op] for op in "RW"}
assert len(of["W"]) == writes == 64, (len(of["W"]), writes)
assert len(of["R"]) == reads == 150, (len(of["R"]), reads)
assert sum(r["bytes"] for r in of["W"]) == written_sectors * 512 == 64 * 65536
assert sum(r["bytes"] for r in of["R"]) == read_sectors * 512 == 150 * 4096
assert all(r["comm"] == "python3" and r["latency_ns"] > 0 for r in rows)
assert [r["sector"] for r in of["W"]] == [i * 128 for i in range(64)]
assert sum(r["pattern"] == "S" for r in rows) >= 63 + 99
PY
watch biosnoop -d "$disk" -Q
[ "$(head -n 1 out.txt)" = "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   QUE(ms) LAT(ms)" ] ||
	fail "biosnoop's heading: $(head -n 1 out.txt)"
[ "$(grep -cE '^[0-9.]+ +python3 +[0-9]+ +loop[0-9]+ +W [0-9]+ +65536 +[0-9.]+ +[0-9.]+$' out.txt)" = 64 ] ||
	fail "biosnoop's lines: $(head -n 3 out.txt)"
watch biosnoop -d "$disk" -t
[ "$(head -n 1 out.txt)" = "TIME        COMM           PID     DISK      T SECTOR     BYTES   LAT(ms)" ] ||
	fail "biosnoop -t: heading: $(head -n 1 out.txt)"
[ "$(grep -cE '^[0-9]{2}:[0-9]{2}:[0-9]{2} +python3 ' out.txt)" = 214 ] ||
	fail "biosnoop -t: $(head -n 3 out.txt)"
watch biosnoop -d "$disk" -m 60000
[ "$(wc -l <out.txt)" = 1 ] || fail "biosnoop -m: $(head -n 3 out.txt)"
"$CUPEL" biosnoop -d nosuchdisk -- true 2>log && fail "a disk that does not exist"
grep -q "no such disk 'nosuchdisk'" log || fail "$(cat log)"

# histogram: the sum of the counts in out.txt
histogram() {
	awk '$2 == "->" { sum += $5 } END { print sum + 0 }' out.txt
}
watch biolatency -d "$disk"
[ "$(histogram)" = 214 ] || fail "biolatency: $(cat out.txt)"
watch biolatency -d "$disk" -D -Q -m -e
grep -qx "disk = $disk" out.txt || fail "biolatency -D: $(cat out.txt)"
grep -qE '^avg = [0-9]+ msecs, total: [0-9]+ msecs, count: 214$' out.txt || fail "biolatency -e: $(cat out.txt)"
watch biolatency -d "$disk" -F
grep -qx "flags = .*Sync-Write" out.txt || fail "biolatency -F: $(cat out.txt)"
"$CUPEL" biolatency -D -F 2>/dev/null
[ $? = 2 ] || fail "biolatency -D -F"
watch biostacks -d "$disk"
[ "$(histogram)" = 214 ] || fail "biostacks: $(cat out.txt)"
grep -q '^    - python3 (' out.txt || fail "biostacks: $(cat out.txt)"
watch bitesize -d "$disk"
grep -qx "Process Name = python3" out.txt || fail "bitesize: $(cat out.txt)"
awk '$1 == 4 && $2 == "->" && $5 == 150 { found++ } $1 == 64 && $2 == "->" && $5 == 64 { found++ }
	END { exit found != 2 }' out.txt || fail "bitesize: $(cat out.txt)"
watch biopattern -d "$disk"
awk -v disk="$disk" '$2 == disk && $4 > 70 && $3 + $4 >= 99 && $5 == 214 && $6 == 4696 { found = 1 }
	END { exit !found }' out.txt || fail "biopattern: $(cat out.txt)"
watch biotop -d "$disk" --json 600
python3 - <<'PY' || fail "biotop: $(cat out.txt)"
import json
rows = json.loads(open("out.txt").readline())["rows"]
assert [(r["operation"], r["requests"], r["bytes"]) for r in rows] == \
    [("W", 64, 64 * 65536), ("R", 150, 150 * 4096)], rows
PY
exit $failed
