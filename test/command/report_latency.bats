# SPDX-License-Identifier: GPL-2.0-or-later
# report --latency: samples count by how many threads ran at their time.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	PYTHONPATH=$BATS_TEST_DIRNAME/../live python3 - <<'PY'
from perf_data_bytes import *

SWITCH, OUT, CMDLINE = 14, 1 << 13, 11


def words(w, *list):
    text = w.pack("I", len(list))
    for word in list:
        text += w.pack("I", 64) + word.encode().ljust(64, b"\0")
    return text


def recording(path, period, switches, command=()):
    """40 samples while one thread runs, then 40 of each of two; a third one runs for no sample."""
    w = Writer(sample_type=IP | TID | TIME | PERIOD)

    def switch(tid, out=False):
        return [w.record(SWITCH, w.trailer(10, tid), OUT if out else 0)] if switches else []

    def sample(tid, ip):
        w.ns += 1000
        return [w.record(SAMPLE, w.pack("QIIQQ", ip, 10, tid, w.ns, period), USER)]

    records = [w.comm(10, 10, "program", True), w.mmap(10, 0x10000, 0x1000, "/alone"),
               w.mmap(10, 0x20000, 0x1000, "/together"), *switch(10)]
    for i in range(40):
        records += sample(10, 0x10010)
        records += switch(10, True) + switch(10)  # each ends before the next begins
    records += switch(12) + switch(12, True) + switch(11)
    for i in range(40):
        records += sample(10, 0x20010) + sample(11, 0x20010)
    features = {CMDLINE: words(w, *command)} if command else None
    open(path, "wb").write(w.file(records, features=features))


recording("two.data", 1000, True)
recording("ones.data", 1, True)
recording("none.data", 1000, False)
recording("asked.data", 1000, True, ("perf", "record", "--latency", "program"))
PY
}

@test "a sample counts by the threads that ran beside it" {
	for file in two ones; do
		"$CUPEL" report -q -t '|' --sort dso $file.data | tr -d ' ' | grep . >out
		printf '66.67%%|together\n33.33%%|alone\n' | diff -u - out
		"$CUPEL" report --latency -q -t '|' --sort dso $file.data | tr -d ' ' | grep . | sort >out
		printf '50.00%%|33.33%%|alone\n50.00%%|66.67%%|together\n' | diff -u - out
		"$CUPEL" report --latency -q -t '|' -F overhead,dso $file.data | tr -d ' ' | grep . >out
		printf '66.67%%|together\n33.33%%|alone\n' | sort | diff -u - <(sort out)
		"$CUPEL" report --latency --percentage relative --dsos alone -q -t '|' --sort dso \
			$file.data | tr -d ' ' | grep . >out
		printf '100.00%%|100.00%%\n' | diff -u - out
	done
	# of a recording of record --latency, both without being asked
	"$CUPEL" report -q -t '|' --sort dso asked.data | tr -d ' ' | grep . >out
	printf '66.67%%|50.00%%|together\n33.33%%|50.00%%|alone\n' | diff -u - out
	"$CUPEL" report --stdio --hierarchy --sort dso asked.data >out
	grep -Eq '^# +Overhead +Latency ' out
	grep -Eq '66.67% +50.00% +together' out
	# a column that needs the place of one of them
	"$CUPEL" report --latency -q -t '|' --sort dso,socket asked.data | tr -d ' ' | grep . >out
	printf '50.00%%|alone|N/A\n50.00%%|together|N/A\n' | diff -u - <(sort out)
	run "$CUPEL" report -F latency,dso two.data
	[ "$status" -eq 2 ]
	"$CUPEL" report --latency --stdio --sort dso ones.data >out
	grep -q '^# Latency ' out
	grep -q '^# Event count (approx.): 80$' out
}

@test "report --latency without context switches is an error" {
	run "$CUPEL" report --latency none.data
	[ "$status" -eq 1 ]
	[[ $output == *"none.data: no context switches in the recording"*"cupel record --latency"* ]]
	echo 'a;b 1' >folded
	run "$CUPEL" report --latency folded
	[ "$status" -eq 1 ]
	[[ $output == *"--latency: "* ]]
}

@test "record --latency is of programs" {
	run "$CUPEL" record --latency -a -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" record --latency
	[ "$status" -eq 2 ]
	[[ $output == *"--latency needs a program"* ]]
}
