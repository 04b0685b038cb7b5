#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Probes on a kernel without uprobe_multi and without cookies of raw tracepoints: calls of functions of
# libraries, and tracepoints, are counted all the same.
# programs: env
uname -r
failed=0
# expect PATTERN PROBE
expect() {
	"$CUPEL" funccount --json "$2" -- env true >counts.json 2>log
	cat log counts.json
	grep -q "\"calls\":$1," counts.json || failed=1
}
expect '[1-9][0-9]*' c:setlocale
expect '[1-9][0-9]*' 'c:*env'
expect 2 t:sched:sched_process_exec
expect '[1-9]' t:syscalls:sys_enter_execve
exit $failed
