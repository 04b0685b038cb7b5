# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Functions that wait for a condition instead of a fixed time. Live tests source it.

# wait_for COMMAND…: repeats COMMAND until it succeeds, for at most a minute
wait_for() {
	for _ in $(seq 600); do
		"$@" && return 0
		sleep 0.1
	done
	echo "timed out waiting for: $*"
	return 1
}

# is_program PID NAME: the process has executed the program
is_program() {
	[ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]
}

# is_asleep PID NAME: the process runs the program and sleeps
is_asleep() {
	is_program "$1" "$2" && grep -q '^State:	S' "/proc/$1/status" 2>/dev/null
}

# has_used PID HUNDREDTHS: the process has used that much CPU time, in hundredths of a second
has_used() {
	awk -v want="$2" '{ sub(/^.*\) /, ""); exit !($12 + $13 >= want) }' "/proc/$1/stat" 2>/dev/null
}

# child_of PID NAME: sets $child to the child of PID that runs the program
child_of() {
	child=$(pgrep -P "$1" -x "$2" | head -n 1)
	[ -n "$child" ]
}

# is_sampling PID: the process or a child of it has opened performance events
is_sampling() {
	for process in "$1" $(pgrep -P "$1"); do
		find "/proc/$process/fd" -lname '*perf_event*' 2>/dev/null | grep -q . && return
	done
	return 1
}

# is_watching PID: the process has attached its BPF programs and waits for events
is_watching() {
	find "/proc/$1/fd" -lname '*bpf_link*' 2>/dev/null | grep -q . && grep -q poll "/proc/$1/wchan" 2>/dev/null
}

# cpu_used PID: its CPU time in hundredths of a second
cpu_used() {
	awk '{ sub(/^.*\) /, ""); print $12 + $13 }' "/proc/$1/stat" 2>/dev/null || echo 0
}
