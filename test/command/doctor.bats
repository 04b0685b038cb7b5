#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel doctor: what works here, in text and JSON, for scripts, and without traces.

@test "the text fits 80 columns, commands to copy apart" {
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

@test "--require is a gate" {
	# the level as the text has it decides
	while read -r level name; do
		run "$CUPEL" doctor --require "$name"
		if [ "$level" = ok ]; then [ "$status" -eq 0 ]; else [ "$status" -eq 1 ]; fi
	done < <("$CUPEL" doctor -v | sed -n 's/^\(ok\|limited\|missing\) *\(hardware-events\|btf\|clock\):.*/\1 \2/p')
	run "$CUPEL" doctor --require nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"no check 'nonsense'"* ]]
}

@test "it leaves nothing behind" {
	mkdir "$BATS_TEST_TMPDIR/home"
	HOME=$BATS_TEST_TMPDIR/home XDG_CACHE_HOME='' run "$CUPEL" doctor
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/home")" ]
}

@test "a program that is not there, and too many words" {
	run "$CUPEL" doctor no-such-program
	[[ $output == *"program-names: no-such-program: no such program"* ]]
	run "$CUPEL" doctor one two
	[ "$status" -eq 2 ]
	run "$CUPEL" doctor -p 1 two
	[ "$status" -eq 2 ]
}
