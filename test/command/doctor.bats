#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel doctor: text, JSON and --require; it leaves no files.

@test "the text fits 80 columns, except commands to copy" {
	run "$CUPEL" doctor
	[[ $output == *" checks in "* ]]
	[ "$(grep -v '^  \$ ' <<<"$output" | wc -L)" -le 80 ]
	run "$CUPEL" doctor -v
	for group in recording rights kernel limits names others; do
		[[ $'\n'$output == *$'\n'"$group"$'\n'* ]]
	done
	[ "$(grep -v '^  \$ ' <<<"$output" | wc -L)" -le 80 ]
}

@test "JSON has every check of the text" {
	"$CUPEL" doctor --json >"$BATS_TEST_TMPDIR/json" || [ $? = 1 ]
	"$CUPEL" doctor -v >"$BATS_TEST_TMPDIR/text" || [ $? = 1 ]
	python3 - "$BATS_TEST_TMPDIR" <<'PY'
import json, re, sys
report = json.load(open(sys.argv[1] + "/json"))
text = open(sys.argv[1] + "/text").read()
names = [check["name"] for check in report["checks"]]
assert report["cupel"] == 1 and report["command"][-1] == "--json"
assert len(names) == len(set(names)) > 30
assert names == re.findall(r"^(?:ok|skipped|limited|missing) +([a-z-]+):", text, re.M)
for check in report["checks"]:
    assert check["level"] in ("ok", "skipped", "limited", "missing")
    assert check["level"] not in ("limited", "missing") or check["consequence"], check
PY
}

@test "--require sets the exit status" {
	# the level in the text decides
	while read -r level name; do
		run "$CUPEL" doctor --require "$name"
		if [ "$level" = ok ]; then [ "$status" -eq 0 ]; else [ "$status" -eq 1 ]; fi
	done < <("$CUPEL" doctor -v | sed -n 's/^\(ok\|limited\|missing\) *\(hardware-events\|btf\|clock\):.*/\1 \2/p')
	run "$CUPEL" doctor --require nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"no check 'nonsense'"* ]]
}

@test "inside a user namespace the cause is named, and no setting that is right already" {
	unshare -U -r true || skip "no user namespaces"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ] || skip "every user may count"
	run unshare -U -r "$CUPEL" stat -a -e cs true
	[[ $output == *"permission denied to root of a user namespace"* ]]
	[[ $output != *seccomp* ]]
	run unshare -U -r "$CUPEL" doctor
	if [ "$(cat /proc/sys/kernel/kptr_restrict)" -eq 0 ]; then
		[[ $output != *kptr_restrict=0* ]]
	fi
}

@test "it leaves no files" {
	mkdir "$BATS_TEST_TMPDIR/home"
	HOME=$BATS_TEST_TMPDIR/home XDG_CACHE_HOME='' run "$CUPEL" doctor
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/home")" ]
}

@test "a missing program is reported; too many arguments are a usage error" {
	run "$CUPEL" doctor no-such-program
	[ "$status" -eq 1 ]
	[ "$output" = "cupel: doctor: no-such-program: no such program" ]
	run "$CUPEL" doctor -p 4194304
	[ "$status" -eq 1 ]
	[ "$output" = "cupel: doctor: process 4194304: no such process" ]
	run "$CUPEL" doctor one two
	[ "$status" -eq 2 ]
	run "$CUPEL" doctor -p 1 two
	[ "$status" -eq 2 ]
}

@test "without /proc and /sys it says so, and claims nothing about what it cannot see" {
	hide() { unshare -Urm sh -c 'mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec "$@"' - "$@"; }
	cd "$BATS_TEST_TMPDIR"
	cp "$CUPEL" program # its path may be below what is hidden
	hide true || skip "no namespaces for users here"
	run hide ./program doctor -v
	grep -q '^missing  file-systems: /proc and /sys not mounted$' <<<"$output"
	grep -q '^ok       capabilities:' <<<"$output"
	for check in container lockdown namespaces btf uprobe-perf others; do
		grep -q "^skipped  $check: unknown" <<<"$output"
	done
	run hide ./program test
	[[ "$output" != *stripped* && "$output" != *FAILED* ]]
}
