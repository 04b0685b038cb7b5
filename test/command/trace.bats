#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel trace: its options, refusals and exit status.

bats_require_minimum_version 1.5.0

@test "invalid command lines are refused with a reason" {
	run "$CUPEL" trace -s -e opennat -- true
	[ "$status" -eq 2 ]
	[[ $output == *"'opennat': no such system call"*"hint: did you mean 'openat'"* ]]
	run "$CUPEL" trace -s -e %fil -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace -s -e fil -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace -s -e file,net -p 2147483646
	[ "$status" -eq 1 ]
	run "$CUPEL" trace -s -p 1 -t 1
	[ "$status" -eq 2 ]
	run "$CUPEL" trace -s -a -p 1
	[ "$status" -eq 2 ]
	run "$CUPEL" trace -u 0 -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace --cgroup / -F all -- true
	[ "$status" -eq 2 ]
	[[ $output == *"of all threads of --cgroup"* ]]
	run "$CUPEL" trace --filter-pids 1 -g
	[ "$status" -eq 2 ]
	run "$CUPEL" trace --filter-pids 1 -p 1
	[ "$status" -eq 2 ]
	[[ $output == *"--filter-pids goes with -a or -u"* ]]
	run "$CUPEL" trace --kernel-syscall-graph -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace --filter 'filenam == 3' -- true
	[ "$status" -eq 2 ]
	[[ $output == *"no traced call has an argument 'filenam'"*"hint: did you mean 'filename'?" ]]
	run "$CUPEL" trace -e close --filter 'filename ~ "*"' -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace -s --filter 'fd == 3' -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace -s --counts --duration 5 -- true
	[ "$status" -eq 2 ]
	[[ $output == *"--counts has no times for --duration"* ]]
	run "$CUPEL" trace --duration -5 -- true
	[ "$status" -eq 2 ]
	[[ $output == *"--duration -5: is below 0"* ]]
	run "$CUPEL" trace --counts -- true
	[ "$status" -eq 2 ]
	run "$CUPEL" trace -o /nowhere/file -- true
	[ "$status" -eq 1 ]
	[[ $output == *"/nowhere"* ]]
	run "$CUPEL" trace -s -p 2147483646
	[ "$status" -eq 1 ]
	[[ $output == *"has ended"* ]]
}

@test "the status is the program's" {
	"$CUPEL" trace -s -o "$BATS_TEST_TMPDIR/out" -- true || skip "no system calls can be traced here"
	run "$CUPEL" trace -s -o "$BATS_TEST_TMPDIR/out" -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	run -127 "$CUPEL" trace -s -o "$BATS_TEST_TMPDIR/out" -- /nowhere/program
}

@test "sums are of the calls that --duration and --failure choose" {
	"$CUPEL" trace -s -o "$BATS_TEST_TMPDIR/out" -- true || skip "no system calls can be traced here"
	"$CUPEL" trace -s --duration 40 --summary-mode total --json -o "$BATS_TEST_TMPDIR/slow" -- sh -c 'sleep 0.05; :'
	python3 - "$BATS_TEST_TMPDIR/slow" <<-'PY'
		import json, sys
		rows = [s for g in json.load(open(sys.argv[1]))["groups"] for s in g["syscalls"]]
		assert all(s["min_ns"] >= 40000000 for s in rows), rows
		assert "clock_nanosleep" in [s["name"] for s in rows], rows
	PY
	for mode in "" --counts; do
		# shellcheck disable=SC2086
		"$CUPEL" trace -s $mode --failure --json -o "$BATS_TEST_TMPDIR/failed" -- cat /nowhere 2>/dev/null || :
		python3 - "$BATS_TEST_TMPDIR/failed" <<-'PY'
			import json, sys
			rows = [s for g in json.load(open(sys.argv[1]))["groups"] for s in g["syscalls"]]
			assert rows and all(s["calls"] == s["errors"] for s in rows), rows
		PY
	done
}

@test "--filter chooses calls by their arguments" {
	"$CUPEL" trace -s -o "$BATS_TEST_TMPDIR/out" -- true || skip "no system calls can be traced here"
	"$CUPEL" trace -e openat,read --filter 'filename ~ "*libc.so*" || filename ~ "*/hostname"' \
		-o "$BATS_TEST_TMPDIR/out" -- cat /etc/hostname 3>&-
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 2 ]
	grep -q 'openat(AT_FDCWD, "/etc/hostname", O_RDONLY) = 3' "$BATS_TEST_TMPDIR/out"
	# Both must hold; descriptors have names although calls are left out.
	"$CUPEL" trace --filter 'fd == 3' --filter 'count > 4096 && ret > 0' -o "$BATS_TEST_TMPDIR/out" \
		-- cat /etc/hostname 3>&-
	[ "$(grep -c 'read(3</etc/hostname>, ' "$BATS_TEST_TMPDIR/out")" -eq 1 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 1 ]
	"$CUPEL" trace --filter 'flags & O_CREAT && errno == EACCES|| flags & O_DIRECTORY' \
		-o "$BATS_TEST_TMPDIR/out" -- ls /
	[ "$(grep -c 'openat(AT_FDCWD, "/", .*O_DIRECTORY' "$BATS_TEST_TMPDIR/out")" -eq 1 ]
}

@test "--json prints an object for each call" {
	"$CUPEL" trace -s -o "$BATS_TEST_TMPDIR/out" -- true || skip "no system calls can be traced here"
	"$CUPEL" trace --json -S -o "$BATS_TEST_TMPDIR/out" -- cat /etc/hostname /nowhere 3>&- || :
	python3 - "$BATS_TEST_TMPDIR/out" <<-'PY'
		import json, sys
		lines, sums = open(sys.argv[1]).read().split('\n{ "cupel"')
		rows = [json.loads(line) for line in lines.split("\n")]
		sums = json.loads('{ "cupel"' + sums)
		assert sums["calls"] == len(rows), (sums["calls"], len(rows))
		opened = [r for r in rows if r["args"].get("filename", {}).get("string") == "/etc/hostname"]
		assert len(opened) == 1 and opened[0]["call"] == "openat", opened
		assert opened[0]["args"]["dfd"] == {"raw": -100, "text": "AT_FDCWD"}, opened
		assert opened[0]["result"] == 3 and opened[0]["result_text"] == "3</etc/hostname>", opened
		assert opened[0]["time_ns"] > 0 and opened[0]["duration_ns"] > 0 and opened[0]["comm"] == "cat"
		failed = [r for r in rows if r["args"].get("filename", {}).get("string") == "/nowhere"]
		assert failed[0]["result"] == -1 and failed[0]["errno"] == "ENOENT", failed
	PY
}

@test "the help says where lines go" {
	run "$CUPEL" trace --help
	[[ $(echo $output) == *"standard error (with -s: standard output)"* ]]
}

@test "without privilege the message points to the doctor" {
	[ "$(id -u)" -eq 0 ] || skip "is root's test"
	dir=$(mktemp -d /tmp/trace.XXXXXX)
	chmod 755 "$dir"
	install -m 755 "$CUPEL" "$dir/cupel"
	run setpriv --reuid 65534 --clear-groups env -i "$dir/cupel" trace -s -- true
	rm -r "$dir"
	[ "$status" -eq 1 ]
	[[ $output == *"CAP_BPF"*"cupel doctor"* ]]
}

@test "lines go to standard error, or to a file" {
	"$CUPEL" trace -o "$BATS_TEST_TMPDIR/out" -- true || skip "no system calls can be traced here"
	[ "$(grep -c 'exit_group(0) = ?$' "$BATS_TEST_TMPDIR/out")" -eq 1 ]
	[ -z "$("$CUPEL" trace -- true 2>"$BATS_TEST_TMPDIR/err")" ]
	grep -Eq '^ +[0-9]+\.[0-9]{3} \( *[0-9]+\.[0-9]{3} ms\): true/[0-9]+ execve\("' "$BATS_TEST_TMPDIR/err"
	"$CUPEL" trace --no-times --no-comm -e exit_group -o - -- true | grep -Eq '^[0-9]+ exit_group\(0\) = \?$'
	"$CUPEL" trace -T -e exit_group -o "$BATS_TEST_TMPDIR/time" -- true
	grep -Eq '^ *[0-9]{4,}\.' "$BATS_TEST_TMPDIR/time"
}
