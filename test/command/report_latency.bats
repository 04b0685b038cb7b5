# SPDX-License-Identifier: GPL-2.0-or-later
# report --latency: samples count by how many threads ran at their time.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	PYTHONPATH=$BATS_TEST_DIRNAME/../live python3 - <<'PY'
from perf_data_bytes import *

SWITCH, OUT = 14, 1 << 13


def recording(path, period, switches):
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
    open(path, "wb").write(w.file(records))


recording("two.data", 1000, True)
recording("ones.data", 1, True)
recording("none.data", 1000, False)
PY
}

@test "a sample counts by the threads that ran beside it" {
	for file in two ones; do
		"$CUPEL" report -q -t '|' --sort dso $file.data | tr -d ' ' | grep . >out
		printf '66.67%%|together\n33.33%%|alone\n' | diff -u - out
		"$CUPEL" report --latency -q -t '|' --sort dso $file.data | tr -d ' ' | grep . | sort >out
		printf '50.00%%|alone\n50.00%%|together\n' | diff -u - out
	done
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
