#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# opensnoop, statsnoop, syncsnoop, killsnoop, execsnoop, exitsnoop, fileslower, fsslower, filetop,
# cachestat and syscount on a program that does a known number of things: each is shown, once, with its
# values. BCC's columns are there.
set -u
: "${CUPEL:?path of the cupel binary}"
program=$(cd "$(dirname "$0")" && pwd)/activity_calls.py
work=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
touch known
"$CUPEL" opensnoop -- true >probe.txt 2>log || {
	echo "activity cannot be watched here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

# watch TOOL [options] -- WHAT: the tool's output on that part of the program, in out.txt
watch() {
	what=${*: -1}
	"$CUPEL" "${@:1:$#-1}" python3 "$program" "$what" >out.txt 2>log || fail "$*: $(cat log)"
	[ ! -s log ] || ! grep -q "were lost" log || fail "$*: $(cat log)"
}

# lines COUNT REGEX: so many lines match
lines() {
	got=$(grep -cE "$2" out.txt)
	[ "$got" = "$1" ] || {
		fail "$got lines instead of $1 match $2:"
		head -n 30 out.txt
	}
}

watch opensnoop -- opens
lines 1 '^PID +COMM +FD +ERR +PATH$'
lines 20 '^[0-9]+ +python3 +3 +0 +opened-[0-9]+$'
lines 5 '^[0-9]+ +python3 +-1 +2 +missing-[0-9]+$'
watch opensnoop -x -- opens
lines 0 'opened-'
lines 5 'missing-'
watch opensnoop -e -U -f O_WRONLY -f O_RDWR -- opens
lines 20 '^0 .* 02000101 opened-'
lines 0 'missing-'
watch opensnoop -F -- opens
lines 20 " [^ ]*$(pwd -P)/opened-[0-9]+\$" # in a chroot the path outside comes before it
watch opensnoop -F -- deep
lines 1 ' …(/d[0-9]+)+/d29/deep$' # its beginning is not kept
watch opensnoop --json -- opens
python3 - <<'PY' || fail "opensnoop --json"
import json
rows = [json.loads(line) for line in open("out.txt")]
rows = [r for r in rows if r["path"].startswith("missing-")]
assert len(rows) == 5 and all(r["errno"] == 2 and r["fd"] == -1 and r["cupel"] == 1 for r in rows)
PY

# Newlines in paths and in arguments look alike.
watch opensnoop -- lines
lines 1 ' first\\nsecond\\tthird\?$'
watch execsnoop -- lines
lines 1 ' true first\\nsecond\\tthird\?$'
watch execsnoop --json -- lines
python3 - <<'PY' || fail "execsnoop --json"
import json
assert any(r["arguments"] == "true first\nsecond\tthird\033" for r in map(json.loads, open("out.txt")))
PY

watch statsnoop -- stats
lines 7 '^[0-9]+ +python3 +0 +0 known$'
lines 3 '^[0-9]+ +python3 +-1 +2 unknown$'
watch statsnoop -s -- stats
lines 1 '^PID +COMM +FD +ERR +SYSCALL +PATH$'
lines 7 '^[0-9]+ +python3 +0 +0 [a-z]*stat[a-z0-9]* +known$'
watch syncsnoop -- syncs
lines 3 '^[0-9.]+ +fsync\(3\) '
lines 2 '^[0-9.]+ +fdatasync\(3\) '
watch killsnoop -- kills
lines 4 '^[0-9:]+ +[0-9]+ +python3 +0 +[0-9]+ +0$'
lines 1 '^[0-9:]+ +[0-9]+ +python3 +15 +[0-9]+ +0$'
lines 1 '^[0-9:]+ +[0-9]+ +python3 +9 +[0-9]+ +-3$'
watch killsnoop -x -- kills
lines 1 'python3'
watch execsnoop -- execs
lines 5 '^true +[0-9]+ +[0-9]+ +0 true argument-[0-9] two words$'
lines 0 'no-such-program'
watch execsnoop -x -q -- execs
lines 1 ' -2 "no-such-program" "word"$'
watch exitsnoop -- execs
lines 5 '^true +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+ +0$'
lines 1 '^sh .* code 3$'
lines 1 '^sh .* signal 9 \(KILL\)'
lines 1 '^python3 .* code 9$'

watch fileslower 0 -- files
lines 10 '^[0-9.]+ +python3 +[0-9]+ +W +1000 +[0-9.]+ read-and-written$'
lines 6 '^[0-9.]+ +python3 +[0-9]+ +R +500 +[0-9.]+ read-and-written$'
watch fsslower -t "$(stat -f -c %T .  | sed 's,/.*,,' | sed 's/^ext2$/ext4/; s/^overlayfs$/overlay/')" 0 -- files
lines 1 '^[0-9:]+ +python3 +[0-9]+ +O .* read-and-written$'
lines 1 '^[0-9:]+ +python3 +[0-9]+ +F .* read-and-written$'
lines 1 '^[0-9:]+ +python3 +[0-9]+ +W +1000 +8 +[0-9.]+ read-and-written$'
watch fsslower -t sysfs 0 -- files
lines 0 'read-and-written'
watch filetop --json 600 -- files
python3 - <<'PY' || fail "filetop"
import json
rows = [r for line in open("out.txt") for r in json.loads(line)["rows"] if r["file"] == "read-and-written"]
assert len(rows) == 1, rows
row = rows[0]
assert (row["reads"], row["writes"], row["read_bytes"], row["written_bytes"]) == (6, 10, 3000, 10000), row
PY
watch filetop -r 1000 600 -- files
lines 1 '^TID +COMM +READS +WRITES +R_Kb +W_Kb +T +FILE$'
lines 1 '^[0-9]+ +python3 +6 +10 +2 +9 +R read-and-written$'
watch filetop -r 1000 --read-only 600 -- files
lines 1 '^[0-9]+ +python3 +6 +0 +2 +0 +R read-and-written$'
lines 1 ' read-and-written$'
watch filetop -r 1000 --write-only 600 -- files
lines 1 '^[0-9]+ +python3 +0 +10 +0 +9 +R read-and-written$'
lines 1 ' read-and-written$'

# 10 times 64 pages are read, after they were dropped once, where the file system can; what Python reads
# comes on top.
watch cachestat --json 600 -- cache
if grep -q 'mm_filemap_get_pages' log; then
	echo "not tested: hits of the page cache: $(head -n 1 log)"
else
	python3 - <<'PY' || fail "cachestat: $(cat out.txt)"
import json
row = json.loads(open("out.txt").readline())["rows"][0]
assert 640 <= row["hits"] + row["misses"] <= 640 + 1500, row
assert row["hits"] >= 9 * 64 and row["dirties"] >= 64, row
PY
fi

watch syscount --json --syscall getpriority -- calls
python3 - <<'PY' || fail "syscount: $(cat out.txt)"
import json
rows = json.loads(open("out.txt").readline())["rows"]
assert [(r["syscall"], r["count"]) for r in rows] == [("getpriority", 1000)], rows
PY
watch syscount -L -- calls
lines 1 '^SYSCALL +COUNT +TIME \(us\)$'
watch syscount -P -- calls
lines 1 '^PID +COMM +COUNT$'
watch syscount -x -e ENOENT -- opens
lines 1 '^openat +[0-9]+$'
exit $failed
