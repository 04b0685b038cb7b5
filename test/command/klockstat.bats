#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel klockstat: arguments and its shape.

@test "orders have names" {
	run "$CUPEL" klockstat -S nonsense
	[ "$status" -eq 2 ]
	run "$CUPEL" klockstat -S acq_max,hld_most
	[ "$status" -eq 2 ]
	[[ $output == *"orders are acq_max"* ]]
}

@test "it prints BCC's heading, and says what it has not" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	run "$CUPEL" klockstat -- true
	[ "$status" -eq 0 ] || skip "locks of the kernel cannot be watched here"
	[[ $output == *"Tracing mutex/sem lock events...  Hit Ctrl-C to end"* ]]
	[[ $output == *"Caller  Avg Wait    Count   Max Wait   Total Wait"* ]]
	# holds, or why there are none
	[[ $output == *"Caller  Avg Hold"* || $output == *"hold times need probes"* ]]
	run "$CUPEL" klockstat --waits --stack-storage-size 4096 -S acq_count,hld_total -- true
	[ "$status" -eq 0 ]
	[[ $output != *"Avg Hold"* && $output != *"how long"* ]]
}

@test "an interval prints more than once" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	run "$CUPEL" klockstat --waits -i 100ms -d 500ms
	[ "$status" -eq 0 ] || skip "locks of the kernel cannot be watched here"
	[ "$(grep -c "Caller  Avg Wait" <<<"$output")" -ge 2 ]
}

@test "rows are by thread with -P, and intervals have times with -T" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	run "$CUPEL" klockstat --waits -P -T -R -i 100ms -d 250ms
	[ "$status" -eq 0 ] || skip "locks of the kernel cannot be watched here"
	[[ $output == *"Tid              Comm  Avg Wait"* && $output != *"Caller"* ]]
	[ "$(grep -cE '^[0-9]{2}:[0-9]{2}:[0-9]{2}$' <<<"$output")" -ge 2 ]
	cat >"$BATS_TEST_TMPDIR/maps.c" <<'C'
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *unused)
{
	for (int i = 0; i < 40000; i++)
		munmap(mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
	return unused;
}

int main(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], 0, work, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], 0);
	return 0;
}
C
	cc -pthread -o "$BATS_TEST_TMPDIR/maps" "$BATS_TEST_TMPDIR/maps.c"
	run "$CUPEL" klockstat --waits -P -- "$BATS_TEST_TMPDIR/maps"
	[ "$status" -eq 0 ]
	grep -qE '^ *[1-9][0-9]* +maps +[0-9.]+ [mun]?s +[1-9]' <<<"$output"
	run "$CUPEL" klockstat -P -c do_wait
	[ "$status" -eq 2 ]
}

@test "nothing stands before a refusal" {
	for tool in klockstat offcputime wakeuptime offwaketime; do
		if [ "$(id -u)" -eq 0 ]; then
			run setpriv --bounding-set -all --inh-caps -all "$CUPEL" $tool
		else
			run "$CUPEL" $tool
		fi
		[ "$status" -ne 0 ] || skip "this user may load BPF programs"
		[[ ${lines[0]} == "cupel: $tool: "* ]]
	done
}
