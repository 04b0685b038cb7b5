# SPDX-License-Identifier: GPL-2.0-or-later
# report --total-cycles: cycles of branches by block, of a recording with known ones.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	command -v cc >/dev/null && [ "$(uname -m)" = x86_64 ] || skip "needs a C compiler for x86-64"
	cat >target.s <<'END'
	.file 1 "target.c"
	.globl _start
	.type work, @function
	.type _start, @function
work:
	.loc 1 10
	xor %eax, %eax
	.loc 1 11
	inc %eax
	.loc 1 12
	cmp $3, %eax
	jne work + 2
	.loc 1 13
	ret
	.size work, .-work
_start:
	.loc 1 20
	call work
	.loc 1 21
	call work
	.loc 1 22
	hlt
	.size _start, .-_start
END
	cc -nostdlib -no-pie -static -g -o target target.s
	PYTHONPATH=$BATS_TEST_DIRNAME/../live python3 - <<'PY'
import os, subprocess
from perf_data_bytes import *

symbols = {n: int(a, 16) for a, _, n in (l.split() for l in
           subprocess.check_output(["nm", "target"], text=True).splitlines())}
work, start = symbols["work"], symbols["_start"]
page = work & ~0xfff


def recording(path, cycles):
    w = Writer(sample_type=IP | TID | TIME | CALLCHAIN | PERIOD | 1 << 11)
    attr = bytearray(w.attr())
    attr[72:80] = w.pack("Q", 1 | 1 << 3)
    s = dict(symbols, again=work + 2, back=work + 7, end=work + 9, call1=start, after=start + 5,
             call2=start + 5)
    branches = [(s["end"], s["after"] + 5, 7), (s["back"], s["again"], 3),  # the newest first
                (s["back"], s["again"], 5), (s["call2"], s["work"], 20), (s["end"], s["after"], 9),
                (s["call1"], s["work"], 1000), (0x123456, s["_start"], 6)]
    records = [w.comm(10, 10, "target", True),
               w.mmap(10, page, 0x1000, os.path.abspath("target"), 0x1000)]
    for i in range(5):
        w.ns += 1000
        body = w.pack("QIIQQ", s["after"] + 5, 10, 10, w.ns, 1000)
        body += w.pack("QQQ", 2, USER_CHAIN, s["after"] + 5) + w.pack("Q", len(branches))
        body += b"".join(w.pack("QQQ", f, t, 2 | (c if cycles else 0) << 4) for f, t, c in branches)
        records.append(w.record(SAMPLE, body, USER))
    open(path, "wb").write(w.file(records, [bytes(attr)], {15: b""}))


recording("cycles.data", True)
recording("plain.data", False)
PY
}

@test "blocks have the cycles of the branches at their ends" {
	"$CUPEL" report --total-cycles -q -i cycles.data | tr -s ' ' | sed 's/^ //' >out
	cat >expected <<'END'
95.24% 5.0K 96.90% 1.0K _start [target.c:20 -> target.c:20] target
1.90% 100 1.94% 20 _start [target.c:21 -> target.c:21] target
1.52% 80 0.78% 8 work [target.c:10 -> target.c:13] target
0.76% 40 0.39% 4 work [target.c:10 -> target.c:12] target
END
	diff -u expected out
	"$CUPEL" report --total-cycles -i cycles.data | grep -q '^# In no known function: 0.57%'
	[ "$("$CUPEL" report --total-cycles -q --percent-limit 1.9 -i cycles.data | wc -l)" -eq 2 ]
	run "$CUPEL" report --total-cycles --comms other -i cycles.data
	[ "$status" -eq 1 ]
}

@test "without cycles or branches there is a reason" {
	run "$CUPEL" report --total-cycles -i plain.data
	[ "$status" -eq 1 ]
	[[ $output == *"plain.data: no branch has cycles"* ]]
	run "$CUPEL" report --total-cycles --json -i cycles.data
	[ "$status" -eq 2 ]
	echo 'a;b 1' >folded
	run "$CUPEL" report --total-cycles folded
	[ "$status" -eq 1 ]
}
