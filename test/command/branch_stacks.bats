# SPDX-License-Identifier: GPL-2.0-or-later
# Recordings with data from the CPU's own buffers: branches, LBR call stacks, AUX data.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	command -v cc >/dev/null && [ "$(uname -m)" = x86_64 ] || skip "needs a C compiler for x86-64"
	cat >target.s <<'END'
	.globl _start
	.type before, @function
	.type caller, @function
	.type callee, @function
	.type _start, @function
before:	ret
	.size before, .-before
caller:	call callee
	ret
	.size caller, .-caller
callee:	ret
	.size callee, .-callee
_start:	call caller
	hlt
	.size _start, .-_start
END
	cc -nostdlib -no-pie -static -o target target.s
	PYTHONPATH=$BATS_TEST_DIRNAME/../live python3 - <<'PY'
import subprocess
from perf_data_bytes import *

symbols = {n: int(a, 16) for a, _, n in (l.split() for l in
           subprocess.check_output(["nm", "target"], text=True).splitlines())}
page = symbols["before"] & ~0xfff
import os
target = os.path.abspath("target")
start, caller, callee = symbols["_start"], symbols["caller"], symbols["callee"]
BRANCH_STACK, USER_BRANCHES, CALL_STACK = 1 << 11, 1, 1 << 11


def recording(path, branch_type, extra=(), features=None):
    w = Writer(sample_type=IP | TID | TIME | CALLCHAIN | PERIOD | BRANCH_STACK)
    attr = bytearray(w.attr())
    attr[72:80] = w.pack("Q", branch_type)
    branches = [(caller, callee, 1), (start, caller, 2)]  # flags: mispredicted, predicted
    body = w.pack("QIIQQ", callee, 10, 10, w.ns + 5000, 1000)
    body += w.pack("QQQ", 2, USER_CHAIN, callee) + w.pack("Q", len(branches))
    body += b"".join(w.pack("QQQ", *b) for b in branches)
    offset = 0x1000
    records = [w.comm(10, 10, "target", True), w.mmap(10, page, 0x1000, target, offset),
               w.record(SAMPLE, body, USER), *extra]
    open(path, "wb").write(w.file(records, [bytes(attr)], features))


recording("lbr.data", USER_BRANCHES | CALL_STACK)
recording("branch.data", USER_BRANCHES | 1 << 3, features={15: b""})  # HEADER_BRANCH_STACK
w = Writer()
aux = w.record(AUXTRACE, w.pack("QQQIIII", 4096, 0, 0, 0, 0, 0, 0)) + bytes(4096)
recording("aux.data", USER_BRANCHES | CALL_STACK, [aux])
PY
}

@test "callers in LBR stacks are the functions that contain the calls" {
	"$CUPEL" script -F ip,sym -i lbr.data | awk 'NF { print $2 }' >out
	printf 'callee\ncaller\n_start\n' | cmp - out
	[ "$("$CUPEL" collapse lbr.data | cut -d' ' -f1)" = 'target;_start;caller;callee' ]
	command -v perf >/dev/null || skip "stock perf is not installed"
	perf script -f -F ip,sym -i lbr.data | awk 'NF { print $2 }' | cmp - out
}

@test "AUX data is skipped, counted and reported" {
	for command in report script; do
		"$CUPEL" $command -i aux.data >out 2>err
		grep -q 'aux.data: 4096 bytes of hardware trace (AUX data) are not decoded' err
		grep -q callee out
	done
}

@test "report counts branches by source and target" {
	"$CUPEL" report -q -t '|' branch.data | tr -d ' ' >out
	printf '50.00%%|target|target|[.]_start|[.]caller|-\n' >expected
	printf '50.00%%|target|target|[.]caller|[.]callee|-\n\n' >>expected
	diff -u expected out
	"$CUPEL" report -q -t '|' --sort symbol_to,mispredict branch.data | tr -d ' ' >out
	printf '50.00%%|[.]callee|Y\n50.00%%|[.]caller|N\n\n' | diff -u - out
	"$CUPEL" report --no-branch-stack -q -t '|' branch.data | grep -q '100.00%'
	if command -v perf >/dev/null; then
		perf report -f --stdio -q -t '|' -i branch.data 2>perf.err | tr -d ' ' | grep -v '^$' | sort >perf
		"$CUPEL" report -q -t '|' branch.data | tr -d ' ' | grep -v '^$' | sort | diff -u perf -
	fi
}

@test "report -b without branches is an error" {
	run "$CUPEL" report -b lbr.data
	[ "$status" -eq 1 ]
	[[ $output == *"lbr.data: -b: no branches in the recording"*"cupel record -b"* ]]
	run "$CUPEL" report --sort symbol_to lbr.data
	[ "$status" -eq 1 ]
	[[ $output == *"--sort: symbol_to needs branches"* ]]
	run "$CUPEL" report --sort symbol_too lbr.data
	[ "$status" -eq 2 ]
}

@test "report --branch-history: stacks begin with the branches before" {
	"$CUPEL" report --branch-history --no-children -q -g address,callee,0 --sort symbol -i branch.data >out
	# the sampled address; target and source of each branch, the last first
	[ "$(grep -Eo '(callee|caller|_start)' out | tr '\n' ' ')" = "callee callee caller caller _start " ]
	"$CUPEL" report --branch-history -q --stdio --no-children -i branch.data | grep -q 'callee'
	run "$CUPEL" report --branch-history -i lbr.data
	[ "$status" -eq 1 ]
	[[ $output == *"--branch-history: no branches in the recording"*"cupel record -b"* ]]
}
