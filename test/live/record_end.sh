#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The file is valid for every end of a recording: signals, SIGKILL, duration, the target's end, a
# size limit, a full disk. The program is never affected by the recorder.
set -u
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
command -v perf >/dev/null || {
	echo "needs perf"
	exit 77
}
work=$(mktemp -d)
trap 'umount "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

said() {
	sed -n 's/^\[ cupel: wrote .*: \([0-9,]*\) samples*, .*/\1/p' summary | tr -d ,
}

counted() {
	perf script --no-inline -f -i "$1" -F event 2>/dev/null | grep -c .
}

good() {
	if [ "$(said)" != "$(counted c.data)" ] || [ "$(said)" -le 10 ]; then
		fail "$1: cupel reports '$(said)', perf counts $(counted c.data): $(cat summary)"
	fi
}

busy='while :; do :; done'
# Until a recording has reached its limit, and shorter.
# shellcheck disable=SC2016 # the inner shell expands it
bounded='i=0; while [ $i -lt 900000 ]; do i=$((i + 1)); done; echo done >ran'
brief=${bounded/900000/200000}

for signal in TERM INT HUP; do
	# A terminal signals the program, too; kill in a script does not. The shell lets background commands
	# ignore SIGINT.
	setsid env --default-signal=INT "$CUPEL" record -o c.data -- sh -c "$busy" 2>summary &
	pid=$!
	wait_for child_of $pid sh && wait_for has_used "$child" 10 || fail "$signal: the program does not run"
	kill -s $signal -- -$pid
	wait $pid
	status=$?
	[ $status -gt 128 ] || fail "$signal: status $status"
	good $signal
done

"$CUPEL" record -o c.data -- sh -c "echo \$\$ >program.pid; $busy" 2>summary &
pid=$!
wait_for child_of $pid sh && wait_for has_used "$child" 250 || fail "KILL: the program does not run"
kill -KILL $pid
wait $pid 2>/dev/null
[ "$(counted c.data)" -gt 200 ] || fail "KILL: only $(counted c.data) samples can be read"
kill -KILL "$(cat program.pid)" # the program survives its recorder

"$CUPEL" record --duration 300ms -o c.data -- sh -c "$busy" 2>summary ||
	fail "duration: status is not 0"
good duration

sh -c "$brief" &
"$CUPEL" record -p $! -o c.data 2>summary || fail "target: status is not 0"
good target
rm -f ran

"$CUPEL" record -F 20000 --max-size 300K -o c.data -- sh -c "$bounded" 2>summary
[ -e ran ] || fail "max-size: the program was stopped"
good max-size
rm -f ran

mkdir full
if mount -t tmpfs -o size=600k none full 2>/dev/null; then
	# Frame pointers: without them the first bytes written are data about the kernel and unwind tables.
	"$CUPEL" record --call-graph fp -F 40000 --budget none -o full/c.data -- sh -c "$bounded" 2>summary
	[ $? = 1 ] || fail "disk full: status is not 1"
	[ -e ran ] || fail "disk full: the program was harmed"
	[ "$(grep -c '^cupel: .*No space left on device' summary)" = 1 ] || fail "disk full: $(cat summary)"
	[ "$(counted full/c.data)" -gt 100 ] || fail "disk full: the file cannot be read"
	[ "$(counted full/c.data)" = "$(said)" ] || fail "disk full: $(said) printed, $(counted full/c.data) there"
	rm full/*
	"$CUPEL" record -F 40000 --budget none -o full/c.data -- sh -c "$bounded" 2>summary # stacks wait in memory
	[ "$(counted full/c.data)" = "$(said)" ] || fail "disk full: $(said) printed, $(counted full/c.data) there"
	umount full
fi

# What a recording has in the kernel goes with its end, not with the program's: descriptors, and probes in the
# program's code.
cat >goes_on.c <<'C'
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline, noclone)) void called(void)
{
	__asm__ volatile("" : : : "memory");
}

static int probed(void)
{
	const unsigned char *code = (const unsigned char *)called;

	for (int i = 0; i < 8; i++)
		if (code[i] == 0xcc)
			return 1;
	return 0;
}

static int watched(void)
{
	char path[64], link[64], whole[400];
	struct dirent *entry;
	int found = 0;
	DIR *dir;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)getppid());
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		memset(link, 0, sizeof(link));
		(void)snprintf(whole, sizeof(whole), "%s/%s", path, entry->d_name);
		if (readlink(whole, link, sizeof(link) - 1) > 0)
			found |= strstr(link, "perf_event") || strstr(link, "bpf_link");
	}
	closedir(dir);
	return found;
}

int main(int argc, char **argv)
{
	alarm(60);
	if (strchr(argv[1], 'p') && !probed())
		return 3;
	if (!watched())
		return 4;
	do {
		for (int i = 0; i < 2000; i++) {
			void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			called();
			*(volatile char *)page = 1;
			free(malloc(200000));
			munmap(page, 4096);
		}
		usleep(100);
	} while (watched() || probed());
	return argc > 2;
}
C
gcc -O1 -o goes_on goes_on.c || exit 1
goes_on() { # options; what the program looks for
	what=$1
	shift
	"$CUPEL" "$@" -- ./goes_on $what >summary 2>&1 || fail "goes on: $*: status $? $(tail -n 3 summary)"
}
goes_on p record -F 5000 -e cpu-clock,off-cpu,page-faults,lock-wait,probe:./goes_on:called \
	--max-size 200K -o c.data
good "goes on"
goes_on p record -e probe:./goes_on:called --tracefs --max-size 100K -o c.data
goes_on p stat -I 100 --interval-count 1 -e probe:./goes_on:called

# The recording has LOST records as in perf.
"$CUPEL" record --call-graph fp --budget none -m 16 -F 20000 -o c.data -- sh -c "$busy" 2>summary &
pid=$!
wait_for child_of $pid sh && wait_for has_used "$child" 80 || fail "loss: the program does not run"
kill -STOP $pid
wait_for has_used "$child" 150 || fail "loss: the program does not go on"
kill -CONT $pid
wait_for has_used "$child" 170
kill -INT $pid
wait $pid 2>/dev/null
lost=$(sed -n 's/^.*samples*, \([0-9,]*\) lost.*/\1/p' summary | tr -d ,)
[ "${lost:-0}" -gt 0 ] || fail "loss: nothing was lost: $(cat summary)"
perf report --stats -i c.data 2>/dev/null | grep -q ' LOST events: ' || fail "loss: no LOST record"

# Removal of the file is an error; the program runs to its end.
rm -f ran
"$CUPEL" record -o gone.data -- sh -c "rm gone.data; $brief" 2>summary
[ $? = 1 ] || fail "removed: status is not 1"
[ -e ran ] || fail "removed: the program was harmed"
grep -q 'gone.data: was removed' summary || fail "removed: $(cat summary)"
grep -q ': 0 samples' summary || fail "removed: $(cat summary)"
rm -f ran

# 200 MB of address space suffice for a program and for the machine.
(
	ulimit -v 204800
	"$CUPEL" record -o c.data -- sh -c "$brief" 2>summary
) || fail "200 MB of address space: $(cat summary)"
good "200 MB of address space"
rm -f ran
(
	ulimit -v 204800
	"$CUPEL" record -a -o c.data -- sleep 0.5 2>summary
) || fail "200 MB of address space, -a: $(cat summary)"
good "200 MB of address space, -a"

# A signal ends the recording even if the reader of a FIFO does not read.
mkfifo fifo
ends_by_signal() {
	"$CUPEL" record --call-graph fp -F 20000 -o fifo -- sh -c "$busy" 2>summary &
	pid=$!
	wait_for child_of $pid sh && wait_for has_used "$child" 60 || fail "FIFO: the program does not run"
	kill -TERM $pid
	has_ended() {
		! kill -0 $pid 2>/dev/null
	}
	if ! wait_for has_ended; then
		fail "FIFO, $1: SIGTERM does not end it: $(cat summary)"
		pkill -KILL -P $pid
		kill -KILL $pid
	fi
	wait $pid 2>/dev/null
}
sleep 100 <>fifo &
reader=$!
ends_by_signal "its reader takes nothing"
kill $reader
head -c 100000 fifo >/dev/null &
ends_by_signal "its reader dies"

exit $failed
