# SPDX-License-Identifier: GPL-2.0-or-later
# Other output of report and script, for a generated recording. test/live/report_perf.sh compares the
# layouts with those of stock perf.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	PYTHONPATH=$BATS_TEST_DIRNAME/../live python3 - <<'PY'
from perf_data_bytes import *
w = Writer()
records = [w.comm(10, 10, "sh", True), w.mmap(10, 0x1000, 0x3000, "/bin/sh"), w.fork(11, 10),
           w.comm(11, 11, "ls", True), w.mmap(11, 0x5000, 0x3000, "/bin/ls"),
           w.mmap(11, 0x6000, 0x1000, "/lib/x.so"), w.sample(11, 0x6010, [USER_CHAIN, 0x6010, 0x5020]),
           w.fork(12, 10), w.exit(11), w.sample(12, 0x1010, [USER_CHAIN, 0x1010])]
open("perf.data", "wb").write(w.file(records))
PY
}

@test "report: --tasks prints the tree of processes" {
	"$CUPEL" report --tasks >out
	cat >expected <<'END'
#      pid      tid     ppid  comm
         0        0       -1 |swapper
        10       10       -1 |sh
        11       11       10 | ls
        12       12       10 | sh
END
	diff -u expected out
}

@test "report: --mmaps adds the mappings, without replaced parts" {
	"$CUPEL" report --mmaps -i perf.data >out
	grep -A 4 '| ls' out >./ls
	cat >expected <<'END'
        11       11       10 | ls
                                 5000-6000 --xp 00000000 0 /bin/ls
                                 7000-8000 --xp 00002000 0 /bin/ls
                                 6000-7000 --xp 00000000 0 /lib/x.so
        12       12       10 | sh
END
	diff -u expected ls
	tail -n 1 out | grep -q '1000-4000 --xp 00000000 0 /bin/sh$'
}

@test "report and script: -D prints the bytes of every record" {
	"$CUPEL" report -D >out
	[ "$(grep -c '^. ... raw event: size' out)" -eq 10 ]
	[ "$(grep -c 'PERF_RECORD_SAMPLE(IP, 0x2)' out)" -eq 2 ]
	grep -q '^... FP chain: nr:3$' out
	grep -q 'TOTAL events:         10' out
	"$CUPEL" script -D perf.data >out
	[ "$(grep -c '^. ... raw event: size' out)" -eq 10 ]
	grep -q 'unknown. (/lib/x.so)' out
}

@test "script: --stop-bt ends call chains, --per-event-dump writes a file for each event" {
	"$CUPEL" script -F ip,sym -i perf.data >all
	[ "$(grep -c '\[unknown\]' all)" -eq 3 ]
	"$CUPEL" script --stop-bt main -F ip,sym -i perf.data | cmp all -
	run "$CUPEL" script --per-event-dump -F ip,sym -i perf.data
	[ "$status" -eq 0 ]
	cmp all perf.data.cpu-clock.dump
	run "$CUPEL" script --per-event-dump -F ip,sym -i - <perf.data
	[ "$status" -eq 1 ]
	[[ $output == *"needs a file"* ]]
}

@test "unsupported options of perf are errors that name a replacement" {
	run "$CUPEL" script -s x.py
	[ "$status" -eq 2 ]
	[[ $output == *"--script: not available"*"cupel script | python3 NAME"* ]]
	run "$CUPEL" report --percentage some
	[ "$status" -eq 2 ]
	[[ $output == *"absolute, relative"* ]]
	run "$CUPEL" report -w 5,x
	[ "$status" -eq 2 ]
}

@test "report: a sample's cgroup and the cost of its access are sort keys" {
	PYTHONPATH=$BATS_TEST_DIRNAME/../live python3 - <<'PY'
from perf_data_bytes import *

def recording(path, bit, values):
    w = Writer(sample_type=IP | TID | TIME | PERIOD | bit)
    records = [w.comm(10, 10, "sh", True),
               w.record(19, w.pack("Q", 77) + padded("/work.slice") + w.trailer(10, 10))]
    for value in values:
        w.ns += 1000
        records.append(w.record(SAMPLE, w.pack("QIIQQQ", 0x1010, 10, 10, w.ns, 1000, value)))
    open(path, "wb").write(w.file(records))

recording("cgroup.data", 1 << 21, [77, 77, 77, 5])
recording("weight.data", 1 << 14, [30, 30, 40])
recording("transaction.data", 1 << 17, [0x22, 0x22, 7 << 32 | 0x12, 0x1])
PY
	"$CUPEL" report -q -t '|' --sort cgroup cgroup.data | tr -d ' ' >out
	printf '75.00%%|/work.slice\n25.00%%|N/A\n\n' | diff -u - out
	"$CUPEL" report -q -t '|' --sort local_weight weight.data | tr -d ' ' >out
	printf '66.67%%|30\n33.33%%|40\n\n' | diff -u - out
	"$CUPEL" report -q -t '|' --sort weight weight.data | tr -d ' ' >out
	printf '66.67%%|60\n33.33%%|40\n\n' | diff -u - out
	"$CUPEL" report -q -t '|' --sort transaction transaction.data | tr -d ' ' >out
	printf '50.00%%|TXCONNEITHER\n25.00%%|TXRETRYNEITHER:7\n25.00%%|ELNEITHER\n\n' >want
	sort want | diff -u - <(sort out)
	run "$CUPEL" report --sort cgroup,local_weight cgroup.data
	[ "$status" -eq 2 ]
	[[ $output == *"cgroup and local_weight cannot be combined"* ]]
}

@test "report --sort trace prints the text of tracepoints as script does" {
	seed=$BATS_TEST_DIRNAME/../fuzz/seeds/sched/plain
	"$CUPEL" script -F trace -i "$seed" | sed 's/^ *//; s/ *$//' | sort | uniq -c |
		awk '{ n = $1; $1 = ""; sub(/^ /, ""); print n "|" $0 }' | sort >want
	"$CUPEL" report -q -F sample -s trace -t '|' "$seed" |
		sed -n 's/^ *\([0-9]*\) *| *\(.*[^ ]\) *$/\1|\2/p' | sort >got
	[ -s want ]
	diff want got
}

@test "report --sort socket: N/A if the recording has no topology" {
	"$CUPEL" report -q -t '|' --sort socket "$BATS_TEST_DIRNAME/../fuzz/seeds/sched/plain" >out
	grep -q '100.00%|\(000\|N/A\)' out
}
