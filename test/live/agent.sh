#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# The agent: what it says that it stored is in the store, with labels by rule, after SIGTERM and
# SIGKILL; SIGHUP reads the rules again; the flight recorder writes recordings when asked, when a file
# is touched, when a program crashes and when threads of a cgroup wait; faults and allocations are stored as well.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
agent=
worker=
group=
latency=
loops=()
cleanup() {
	[ ${#loops[@]} = 0 ] || kill "${loops[@]}" 2>/dev/null
	[ -z "$agent" ] || kill -9 "$agent" 2>/dev/null
	[ -z "$worker" ] || kill "$worker" 2>/dev/null
	wait 2>/dev/null
	[ -z "$group" ] || rmdir "$group" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT
cd "$work" || exit 1
if ! "$CUPEL" record -q -a -o probe.data -- true 2>log; then
	echo "the machine cannot be sampled here: $(head -n 1 log)"
	exit 77
fi
failed=0
fail() {
	echo "$*"
	failed=1
}
cp "$(command -v sh)" cupel-busy
./cupel-busy -c 'while :; do :; done' &
worker=$!
echo 'rule {comm="cupel-busy"} service=first' >rules

# metric NAME
metric() {
	python3 - "$1" <<'PY'
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("socket")
s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
answer = b""
while True:
    piece = s.recv(65536)
    if not piece:
        break
    answer += piece
for line in answer.decode().splitlines():
    if line.startswith("cupel_agent_" + sys.argv[1] + " "):
        print(int(float(line.split()[1])))
PY
}
# stored_more THAN
stored_more() {
	[ "$(metric stored_samples_total 2>/dev/null || echo 0)" -gt "$1" ]
}
begin() {
	"$CUPEL" agent --store store --listen "$work/socket" --config rules --interval 0.5 \
		--budget none --memory 0 "$@" 2>>agent.log &
	agent=$!
	wait_for test -S socket || exit 1
}
# in_store SELECTOR: samples
in_store() {
	"$CUPEL" query --store store "$1" series --json 2>/dev/null |
		python3 -c 'import json, sys
print(sum(json.loads(line)["samples"] for line in sys.stdin))'
}

begin
has_first() {
	[ "$(in_store 'service=first, comm=cupel-busy, event=cpu-clock')" -gt 0 ]
}
wait_for has_first || fail "the first rules have no effect"
echo 'rule {comm="cupel-busy"} service=second' >rules
kill -HUP "$agent"
wait_for grep -q 'configuration read again' agent.log || fail "SIGHUP does not reload"
has_second() {
	[ "$(in_store 'service=second, comm=cupel-busy, event=cpu-clock')" -gt 0 ]
}
wait_for has_second || fail "the new rules have no effect"
grep -q 'into store, after .* s without samples' agent.log || fail "the gap is not said"
echo 'ruel' >rules
kill -HUP "$agent"
wait_for grep -q 'the old configuration stays: rules:1: ' agent.log || fail "a mistake is not named"
"$CUPEL" agent dump --listen "$work/socket" 2>log && fail "a dump without --keep"
grep -q 'start it with --keep' log || fail "no hint: $(cat log)"
before=$(metric stored_samples_total)
wait_for stored_more "$before" || fail "the agent ended"
said=$(metric stored_samples_total)
kill -9 "$agent"
wait "$agent" 2>/dev/null
[ "$(in_store '{}')" -ge "$said" ] || fail "$said stored, $(in_store '{}') are there after SIGKILL"
"$CUPEL" query --store store 'service=second, event=cpu-clock' report --stdio >report 2>log ||
	fail "report: $(cat log)"
grep -q cupel-busy report || fail "the report lacks the program"
"$CUPEL" query --store store learn 2>log || fail "learn: $(cat log)"
grep -q 'has the names of [1-9]' log || fail "nothing was learned: $(cat log)"
[ -s store/names ] || fail "the names are not kept"
"$CUPEL" query --store store 'service=second, event=cpu-clock' report --stdio >report 2>log ||
	fail "report with learned names: $(cat log)"
rm -f socket

# The flight recorder; what crashed before is in the store, and more comes to it.
echo '' >rules
crash=--on-crash
[ -d /sys/kernel/tracing/events/signal/signal_deliver ] || {
	crash=
	echo "not tested: --on-crash: no tracefs"
}
allocations=--allocations
[ -d /sys/kernel/tracing/events/kmem/mm_page_alloc ] || {
	allocations=
	echo "not tested: --allocations: no tracefs"
}
# shellcheck disable=SC2086
begin --keep 3 --faults $allocations --on-touch "$work/wanted" $crash
wait_for stored_more 20 || fail "nothing is stored with --keep"
# has_event NAME: programs that start use memory
has_event() {
	for _ in 1 2 3 4 5 6 7 8; do
		/bin/true
	done
	[ "$(in_store "event=\"$1\"")" -gt 0 ]
}
wait_for has_event page-faults || fail "--faults: no page faults"
[ -z "$allocations" ] || wait_for has_event kmem:mm_page_alloc || fail "--allocations: none"
"$CUPEL" query --store store 'event=page-faults' report --stdio >report 2>log ||
	fail "report of page faults: $(cat log)"
file=$("$CUPEL" agent dump --listen "$work/socket" 2>log) || fail "dump: $(cat log)"
"$CUPEL" report --stdio -i "$file" >report 2>log || fail "report of a dump: $(cat log)"
grep -q cupel-busy report || fail "the dump lacks the program"
grep -q 'did not finish' report log && fail "a dump is not whole: $(cat log)"
# The limit of a reader's memory, which ends its process, is not the agent's.
[ "$(awk '/^Max data size/ { print $4 }' "/proc/$agent/limits")" = \
	"$(awk '/^Max data size/ { print $4 }' /proc/$$/limits)" ] ||
	fail "the agent has a reader's limit: $(grep '^Max data' "/proc/$agent/limits")"
was_touched() {
	touch wanted
	grep -q 'touched: wrote' agent.log
}
wait_for was_touched || fail "touching a file triggers nothing: $(tail -n 3 agent.log)"
ls store/dumps/*touched* >/dev/null 2>&1 || fail "no file for it"
kill -TERM "$agent"
wait "$agent" || fail "the agent ends with $?: $(tail -n 1 agent.log)"
agent=
[ -S socket ] && fail "the socket is left over"
if [ -n "$crash" ]; then
	begin --keep 3 $crash
	wait_for stored_more 5
	sh -c 'kill -SEGV $$' 2>/dev/null
	wait_for grep -q 'crash: wrote' agent.log || fail "a crash triggers nothing"
	kill -TERM "$agent"
	wait "$agent" || fail "the agent ends with $?: $(tail -n 1 agent.log)"
	agent=
fi
# Threads of a cgroup that wait for a CPU: in version 2, as the kernel has it, and in version 1.
# on_latency FOLDER
on_latency() {
	group=$1/cupel-test-$$
	mkdir "$group" 2>/dev/null || return 1
	if ! "$CUPEL" agent --store store --keep 3 --on-latency "$group:cpu:100/500" --duration 0.1 2>log; then
		grep -q "$group/cpu.pressure: " log || fail "--on-latency: $(cat log)"
		rmdir "$group"
		return 1 # the kernel has the file, but no triggers
	fi
	loops=()
	for _ in $(seq 0 "$(nproc)"); do
		sh -c 'echo $$ >"$1"; while :; do :; done' - "$group/cgroup.procs" &
		loops+=($!)
	done
	begin --keep 3 --on-latency "cupel-test-$$:cpu:100/500"
	wait_for grep -q 'latency: wrote' agent.log || fail "waits in $group trigger nothing"
	kill -TERM "$agent"
	wait "$agent" || fail "the agent ends with $?: $(tail -n 1 agent.log)"
	agent=
	kill "${loops[@]}"
	wait "${loops[@]}" 2>/dev/null
	sed -i '/latency: wrote/d' agent.log
	rmdir "$group"
	group=
}
for folder in /sys/fs/cgroup/unified /sys/fs/cgroup /sys/fs/cgroup/cpu; do
	[ -e "$folder/cgroup.procs" ] && on_latency "$folder" && latency=1
done
[ -n "$latency" ] || echo "not tested: --on-latency: no cgroup can be made"
exit "$failed"
