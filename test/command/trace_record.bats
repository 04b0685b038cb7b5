#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel trace record, and trace -i.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	"$CUPEL" trace record -F all -o own.data -- cat /etc/hostname /nowhere 2>log || :
	[ -s own.data ] || echo "no system calls can be recorded here: $(head -n 1 log)" >reason
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
	[ ! -s reason ] || skip "$(cat reason)"
}

@test "a recording has the calls with numbers and results" {
	"$CUPEL" trace -i own.data >out
	grep -Eq '^ +[0-9.]+ \( *[0-9.]+ ms\): cat/[0-9]+ read\([0-9]+, 0x[0-9a-f]+, [0-9]+\) = [1-9]' out
	grep -q 'openat(AT_FDCWD, 0x[0-9a-f]*, O_RDONLY) = -1 ENOENT (No such file or directory)$' out
	grep -q ' exit_group(1) = ?$' out
	grep -q ' execve(...) = 0$' out
	"$CUPEL" trace -i own.data --failure -e openat -o failed
	[ "$(grep -vc fault failed)" -eq "$(grep -c ' openat(.* = -1 E' failed)" ]
}

@test "a recording has faults with their places" {
	"$CUPEL" trace -i own.data >out
	grep -Eq 'cat/[0-9]+ minfault \[[^]]+\+0x[0-9a-f]+\] => /.*@0x[0-9a-f]+ \(r' out
}

@test "sums and objects of a recording" {
	"$CUPEL" trace -i own.data -s --json >sums
	"$CUPEL" trace -i own.data --json >lines
	python3 - <<-'PY'
		import collections, json
		rows = [json.loads(line) for line in open("lines")]
		calls = collections.Counter(r["call"] for r in rows if "call" in r)
		assert any(r.get("event") == "minfault" for r in rows)
		sums = json.load(open("sums"))
		counted = {s["name"]: s["calls"] for g in sums["groups"] for s in g["syscalls"]}
		assert counted == calls and sums["calls"] == sum(calls.values()), (counted, calls)
		assert all("cpu_ns" not in s for g in sums["groups"] for s in g["syscalls"])
	PY
	"$CUPEL" trace -i own.data -s >table
	grep -q '^   read  ' table && ! grep -q ' cpu$' table
}

@test "lost events and a file that is cut are reported" {
	python3 - <<-'PY'
		import struct
		data = bytearray(open("own.data", "rb").read())
		at, size = struct.unpack_from("<QQ", data, 40)
		records = []
		end = at + size
		while at < end:
		    kind, misc, length = struct.unpack_from("<IHH", data, at)
		    records.append((kind, at, length))
		    at += length
		trailer = next(bytes(data[a + n - 40:a + n]) for kind, a, n in records if kind == 3)
		at, length = next((a, n) for kind, a, n in records if kind == 9 and n >= 64)
		struct.pack_into("<IHHQQ", data, at, 2, 0, length, 0, 84713)
		data[at + length - 40:at + length] = trailer
		open("lost.data", "wb").write(data)
		open("cut.data", "wb").write(data[:records[len(records) // 2][1]])
	PY
	run --separate-stderr "$CUPEL" trace -i lost.data -o out
	[ "$status" -eq 0 ]
	[[ $stderr == *"lost.data: the recorder lost 84713 events and "* ]]
	grep -q ' exit_group' out
	run --separate-stderr "$CUPEL" trace -i cut.data -s
	[[ $stderr == *"cut.data: damaged: truncated data section"* ]]
	[[ $stderr == *"cut.data: "*" bytes could not be read"* ]]
	run --separate-stderr "$CUPEL" trace -i own.data -o out
	[ -z "$stderr" ]
}

@test "the return from a signal handler has its name" {
	"$CUPEL" trace record -o signal.data -- sh -c 'trap : USR1; kill -USR1 $$' 2>log
	"$CUPEL" trace -i signal.data >out
	grep -q ' rt_sigreturn(' out
	run grep -c 'syscall_' out
	[ "$output" -eq 0 ]
}

@test "conditions on numbers work, those on strings are refused" {
	"$CUPEL" trace -i own.data -e read --filter 'ret > 0 && count >= 1' >out
	[ "$(grep -c ' read(' out)" -ge 1 ] && ! grep -q ' openat(' out
	run "$CUPEL" trace -i own.data --filter 'filename ~ "*"'
	[ "$status" -eq 2 ]
	[[ $output == *"'filename' is a string, and recordings have none"* ]]
	run "$CUPEL" trace -i own.data -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace -i /dev/null
	[ "$status" -eq 1 ]
}

@test "perf reads ours, and we read perf's" {
	perf --version >/dev/null || skip "perf is not installed"
	perf trace -i own.data >theirs 2>&1
	grep -q 'exit_group(.*)  *= ?$' theirs
	for events in 'raw_syscalls:*' 'syscalls:sys_*_openat'; do
		perf record -q -o perf.data -e "$events" -- cat /etc/hostname >/dev/null
		"$CUPEL" trace -i perf.data >out
		grep -q ' openat(AT_FDCWD, 0x[0-9a-f]*, O_RDONLY) = [0-9]*$' out
	done
	perf trace record -o perf.data cat /etc/hostname >/dev/null 2>&1
	"$CUPEL" trace -i perf.data | grep -q ' openat(AT_FDCWD, 0x[0-9a-f]*, O_RDONLY) = [0-9]*$'
	perf record -q -o perf.data -e cpu-clock -- true
	run "$CUPEL" trace -i perf.data -e openat
	[[ $output == *"no system calls in it; see: cupel trace record"* ]]
}
