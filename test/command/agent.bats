#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel agent: mistakes on its command line. test/live/agent.sh has what it does.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "mistakes are named" {
	run "$CUPEL" agent --store store --freq 0
	[ "$status" -eq 2 ]
	[[ $output == *"between 1 and 10000 Hz"* ]]
	run "$CUPEL" agent --store store --on-crash
	[ "$status" -eq 2 ]
	[[ $output == *"triggers need --keep"* ]]
	run "$CUPEL" agent --store store --budget x
	[ "$status" -eq 2 ]
	run "$CUPEL" agent --store store --listen 0.0.0.0:80
	[ "$status" -eq 2 ]
	[[ $output == *"only loopback addresses"* ]]
	run "$CUPEL" agent --store store --keep 5 --on-psi cpu
	[ "$status" -eq 2 ]
	[[ $output == *"cpu:some:300/1000"* ]]
	run "$CUPEL" agent start
	[ "$status" -eq 2 ]
	[[ $output == *"unexpected word 'start'"* ]]
	run "$CUPEL" agent --store store --listen "$PWD/no/such/folder/socket"
	[ "$status" -ne 0 ]
	[ ! -e store ]
	echo 'rule x' >rules
	run "$CUPEL" agent --store store --config rules
	[ "$status" -ne 0 ]
	[[ $output == *"rules:1: expected a selector"* ]]
}

@test "a dump needs an agent" {
	run "$CUPEL" agent dump --listen "$PWD/socket"
	[ "$status" -eq 1 ]
	[[ $output == *"is an agent running"* ]]
}

@test "the unit has only capabilities that the page names" {
	unit=$CUPEL_TOP/systemd/cupel-agent.service
	[ "$(sed -n 's/^CapabilityBoundingSet=//p' "$unit")" = \
		"CAP_BPF CAP_PERFMON CAP_SYS_PTRACE CAP_DAC_READ_SEARCH CAP_SYSLOG CAP_SYS_RESOURCE" ]
	! grep -q CAP_SYS_ADMIN "$unit"
}
