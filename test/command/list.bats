#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel list: groups and names as in perf, selection, probes of binaries, JSON.

# names GROUP PROGRAM: the events and aliases in the output of `PROGRAM list GROUP`
names() {
	"$2" list "$1" 2>/dev/null | sed -n 's/^  \([^ [(].*\)/\1/p' |
		sed 's/ *\[.*//; s/   .*//; s/ OR /\n/g' | grep -v '^ *$' | sort -u
}

@test "every name in perf list is listed" {
	command -v perf >/dev/null || skip "no perf"
	for group in sw hw cache pmu; do
		names $group perf >"$BATS_TEST_TMPDIR/perf" || true
		names $group "$CUPEL" >"$BATS_TEST_TMPDIR/cupel"
		missing=$(comm -23 "$BATS_TEST_TMPDIR/perf" "$BATS_TEST_TMPDIR/cupel")
		[ -z "$missing" ] || { echo "$group: $missing"; false; }
	done
	[ "$(names sw perf | wc -l)" -gt 10 ]
	if [ -r /sys/kernel/tracing/events ]; then
		perf list tracepoint 2>/dev/null | awk '/Tracepoint event/ { print $1 }' | sort -u \
			>"$BATS_TEST_TMPDIR/perf"
		"$CUPEL" list --raw-dump tracepoint | tr ' ' '\n' | grep . | sort -u >"$BATS_TEST_TMPDIR/cupel"
		cmp "$BATS_TEST_TMPDIR/perf" "$BATS_TEST_TMPDIR/cupel"
	fi
}

@test "lines fit 80 columns, or the terminal" {
	[ "$("$CUPEL" list hw sw cache metric cupel raw mem | wc -L)" -le 80 ]
	command -v script || skip "needs script"
	script -qec "stty cols 50; '$CUPEL' list sw hw cache" /dev/null >"$BATS_TEST_TMPDIR/text"
	grep -q 'cpu-clock' "$BATS_TEST_TMPDIR/text"
	[ "$(tr -d '\r' <"$BATS_TEST_TMPDIR/text" | wc -L)" -le 50 ]
}

@test "tool events of stat, fields of tracepoints, probes that were not tried" {
	run "$CUPEL" list _time
	for name in duration user system; do
		[[ $output == *"  ${name}_time "*"for stat only"* ]]
	done
	if [ -r /sys/kernel/tracing/events ]; then
		run "$CUPEL" list -v sched:sched_switch
		[[ $output == *prev_comm*next_prio* ]]
	fi
	"$CUPEL" list -j sdt | python3 -c '
import json, sys
assert all(e["works"] is None for e in json.load(sys.stdin)["events"] if e["group"] == "sdt")'
}

@test "every event has a line of meaning" {
	"$CUPEL" list -j >"$BATS_TEST_TMPDIR/json"
	python3 - "$BATS_TEST_TMPDIR/json" <<'PY'
import json, sys
events = json.load(open(sys.argv[1]))["events"]
assert len(events) > 50
assert all(event["meaning"] for event in events), [e["name"] for e in events if not e["meaning"]]
PY
	[ -r /sys/kernel/tracing/events/ext4/ext4_sync_fs/format ] || skip "no tracepoints of ext4"
	# what nobody described says where its words come from
	run "$CUPEL" list --details ext4:ext4_sync_fs
	[[ $(tr -s ' \n' ' ' <<<"$output") == *"ext4 files: sync fs; fields dev, wait dev wait"* ]]
}

@test "groups, globs and parts of names select" {
	run "$CUPEL" list sw
	[[ $output == "Software event [sw]"* ]]
	[[ $output != *"Hardware"* ]]
	[[ $output == *"context-switches OR cs  "*"switches of a CPU"* ]]
	run "$CUPEL" list 'L1-*-misses'
	[ "$(grep -c '^  L1-.*-misses ' <<<"$output")" -eq 5 ]
	run "$CUPEL" list --no-desc faults
	[[ $output == *"  page-faults OR faults"* ]]
	[[ $output != *"of memory"* ]]
	run "$CUPEL" list no-such-event
	[ "$status" -eq 1 ]
	[[ $output == *"no event matches 'no-such-event'"* ]]
}

@test "events listed as working can be recorded" {
	cd "$BATS_TEST_TMPDIR"
	"$CUPEL" list -j sw cupel hw >json
	python3 - "$CUPEL" <<'PY'
import json, subprocess, sys
for event in json.load(open("json"))["events"]:
    if event["name"].endswith("_time"):
        continue # only stat has them
    if event["works"] is None:
        assert ":BINARY:" in event["name"], event # a form, not a name
        continue
    run = subprocess.run([sys.argv[1], "record", "-o", "x.data", "-e", event["name"], "--", "true"],
                         capture_output=True, text=True, timeout=60)
    # cpu-clock takes the place of cycles and says so; nothing may have happened
    works = run.returncode == 0 or "no samples" in run.stderr
    assert works or not event["works"], (event, run.stderr)
    if not event["works"]:
        assert event["reason"]
PY
}

@test "static probes of a binary" {
	cd "$BATS_TEST_TMPDIR"
	cat >probe.s <<'S'
	.text
	.globl main
main:	nop
	ret
	.section .note.stapsdt,"","note"
	.balign 4
	.4byte 8, 2f-1f, 3
	.asciz "stapsdt"
1:	.8byte main, 0, 0
	.asciz "mine"
	.asciz "begin"
	.asciz ""
2:	.balign 4
S
	cc -o probe probe.s 2>/dev/null || skip "no assembler for this"
	run "$CUPEL" list --usdt ./probe
	[ "$status" -eq 0 ]
	[[ $output == *"sdt_mine:begin@./probe"* ]]
	run "$CUPEL" list --usdt probe.s
	[ "$status" -eq 1 ]
	[[ $output == *"probe.s: not an ELF file"* ]]
}

@test "the listed metrics are accepted by cupel stat" {
	run "$CUPEL" list metric
	[[ $output == *"  insn_per_cycle OR IPC  "*"instructions in a cycle"* ]]
	"$CUPEL" list -j metric >"$BATS_TEST_TMPDIR/json"
	python3 - "$BATS_TEST_TMPDIR/json" "$CUPEL" <<'PY'
import json, subprocess, sys
events = json.load(open(sys.argv[1]))["events"]
assert len(events) >= 10
for event in events:
    run = subprocess.run([sys.argv[2], "stat", "-M", event["name"], "--", "true"], capture_output=True, text=True, timeout=60)
    assert "unknown metric" not in run.stderr, (event, run.stderr)
    assert run.returncode == 0 or not event["works"], (event, run.stderr)
    assert "<not supported>" not in run.stderr or not event["works"], (event, run.stderr)
    assert event["meaning"] and event["details"], event
PY
}

@test "without tracefs a name of a tracepoint says so" {
	[ ! -r /sys/kernel/tracing/events ] || skip "tracefs is mounted"
	! "$CUPEL" list sched:sched_switch || skip "root has a mount of its own"
	run "$CUPEL" list 'sched:*'
	[ "$status" -eq 1 ]
	[[ $output == *"no event matches 'sched:*'"*"tracefs is not mounted"* ]]
}

@test "names for completions" {
	run "$CUPEL" list --raw-dump sw
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == *"page-faults faults "* ]]
}

@test "vendors' names of events, of a CPU that LIBPFM_FORCE_PMU names" {
	export LIBPFM_FORCE_PMU=skx
	run "$CUPEL" list -v pfm
	[[ $output == "Vendor's name of an event [pfm]"* ]]
	[[ $output == *$'\n  INST_RETIRED:ANY_P '*$'\n        type 4, config 0xc0\n'* ]]
	for option in -e --pfm-events; do
		# counted or not, it is known
		run "$CUPEL" stat -x, $option INST_RETIRED:ANY_P,cs true
		[[ $output == *,INST_RETIRED:ANY_P,* ]]
	done
	run "$CUPEL" stat -e INST_RETIRED:NONE true
	[ "$status" -ne 0 ]
	[ "${lines[0]}" = "cupel: stat: event 'INST_RETIRED:NONE': libpfm4: invalid event attribute" ]
	[[ ${lines[1]} == "cupel: hint: "*"cupel list pfm" ]]
}

@test "libpfm4 is loaded for vendors' names alone; without it a message names the package" {
	run ldd "$CUPEL"
	[[ $output != *libpfm* ]]
	library=$(ldconfig -p | sed -n 's/.*libpfm\.so\.4 .*=> //p' | head -n 1)
	[ -n "$library" ] || skip "no libpfm4"
	unshare -m true || skip "no mount namespaces"
	# shellcheck disable=SC2016 # the inner shell expands it
	run unshare -m sh -c 'mount --bind /dev/null "$0" && "$1" list sw >/dev/null && "$1" stat -e CPU_CYCLES true' \
		"$library" "$CUPEL"
	[ "$status" -ne 0 ]
	[ "${lines[0]}" = "cupel: stat: event 'CPU_CYCLES': vendors' names of events: libpfm.so.4 is not installed" ]
	[[ ${lines[1]} == "cupel: hint: install libpfm4"* ]]
}
