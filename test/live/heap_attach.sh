#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap -p: programs that run already, of many kinds, watched several times: what they print stays
# the same, and known allocations are found; registers of every size, waits in system calls, filters of
# system calls, other root directories and mount namespaces; libraries that are loaded later; SIGKILL of
# cupel at any moment; what is refused, and why.
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
work=$(mktemp -d)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$CUPEL" heap -o /dev/null -- true 2>log || {
	echo "allocations cannot be watched here: $(head -n 1 log)"
	exit 77
}
[ "$(id -u)" = 0 ] || {
	echo "attaching needs root here"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >target.c <<'C'
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* target KIND: works until the file "end" is there, and prints what must not depend on being watched. */
#define HIDE __attribute__((noinline, noclone))
static void *volatile kept, *shared[64];
static volatile unsigned long ticks, errors;
static const char *end = "end";

static int go_on(void) { return access(end, F_OK) != 0; }
HIDE void known(void)
{
	for (int i = 0; i < 100; i++)
		kept = malloc(1234);
}
HIDE void *pair(void *unused)
{
	unsigned at = (unsigned)(size_t)unused;

	while (go_on())
		for (int i = 0; i < 1000; i++) {
			char *block = malloc(16 + at * 7919 % 3000);

			memset(block, 7, 16);
			block = __atomic_exchange_n(&shared[at++ % 64], block, __ATOMIC_ACQ_REL);
			if (block && (block[0] != 7 || block[15] != 7))
				errors++;
			free(block);
		}
	return NULL;
}
static void tick(int number) { ticks += number == SIGALRM; }
static void nap(void)
{
	struct timespec from, to, wait = { .tv_nsec = 50000000 };

	clock_gettime(CLOCK_MONOTONIC, &from);
	if (nanosleep(&wait, NULL))
		errors++;
	clock_gettime(CLOCK_MONOTONIC, &to);
	if ((to.tv_sec - from.tv_sec) * 1000000000L + to.tv_nsec - from.tv_nsec < 50000000)
		errors++;
	if (poll(NULL, 0, 20))
		errors++;
}
int main(int argc, char **argv)
{
	const char *kind = argv[1];
	pthread_t thread[8];

	if (argc > 2)
		end = argv[2];
	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(kind, "busy"))
		pair(NULL);
	else if (!strcmp(kind, "threads")) {
		for (size_t i = 0; i < 8; i++)
			pthread_create(&thread[i], NULL, pair, (void *)i);
		for (size_t i = 0; i < 8; i++)
			pthread_join(thread[i], NULL);
	} else if (!strcmp(kind, "sleep"))
		while (go_on())
			nap();
	else if (!strcmp(kind, "signals")) {
		struct itimerval often = { { 0, 300 }, { 0, 300 } };

		signal(SIGALRM, tick);
		setitimer(ITIMER_REAL, &often, NULL);
		pair(NULL);
		errors += !ticks;
	} else if (!strcmp(kind, "known")) {
		while (access("go", F_OK))
			usleep(1000);
		known();
		puts("known");
		while (go_on())
			usleep(1000);
	}
#ifndef PLAIN
	else if (!strcmp(kind, "plugin")) {
		void (*work)(void);
		void *handle;

		while (access("go", F_OK))
			usleep(1000);
		handle = dlopen("./plugin.so", RTLD_LAZY);
		*(void **)&work = dlsym(handle, "work");
		puts("loaded");
		while (go_on()) {
			work();
			usleep(1000);
		}
	}
#endif
	printf("%s %lu\n", kind, errors);
	return 7;
}
C
cat >plugin.c <<'C'
#include <stdlib.h>
void work(void);
__attribute__((noinline)) static void from_plugin(void) { free(malloc(60000)); }
void work(void) { for (int i = 0; i < 100; i++) from_plugin(); }
C
cc -O1 -fno-builtin -o target target.c -lpthread -ldl || exit 1
cc -O1 -fno-builtin -shared -fPIC -o plugin.so plugin.c || exit 1

# watch PID ARGUMENTS…: one short look, with its JSON
watch() {
	"$CUPEL" heap -p "$1" --json -o watched.json "${@:2}" >log 2>&1
}
bytes() {
	sed -n "s/.*\"allocated\": \([0-9]*\), .*\"stack\": \[.*{ \"function\": \"$1\".*/\1/p" watched.json |
		awk '{ sum += $1 } END { printf "%.0f", sum }'
}
stopped() {
	sed -n 's/.*"stopped_ns": \([0-9]*\).*/\1/p' watched.json
}
# sees FUNCTION: it allocated something; on a busy machine it takes a while until stacks are whole
sees() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(bytes "$1")" -gt 0 ] && return
		watch "$pid" -d 1s || return 1
	done
	grep -q '"allocated": { "value": [1-9]' watched.json || return 1
	echo "not tested: function $1: in ten seconds this busy machine had no tables"
}
# look NAME TIMES OUTPUT PROGRAM…: watches a program that ends when the file "end" is there; $function
# allocates, if that is not empty
look() {
	name=$1 times=$2 output=$3
	shift 3
	rm -f end
	"$@" >out 2>errors &
	pid=$!
	wait_for is_ready "$pid" || fail "$name: it does not start"
	for _ in $(seq "$times"); do
		watch "$pid" -d 200ms || fail "$name: $(cat log)"
		all="$all $(stopped)"
	done
	[ -z "$function" ] || sees "$function" || fail "$name: no bytes of $function()"
	touch end
	wait $pid
	status=$?
	[ "$(cat out)" = "$output" ] || fail "$name: output: $(cat out errors)"
	[ $status = 7 ] || fail "$name: status $status"
}
is_ready() { # it has begun: it is no shell any more, and its libraries are there
	[ ! "/proc/$1/exe" -ef /proc/$$/exe ] || return
	grep -q ' /.*libc' "/proc/$1/maps" 2>/dev/null || grep -q ld-musl "/proc/$1/maps" 2>/dev/null
}
all='' function=''

echo "== kinds of programs"
for kind in busy threads sleep signals; do
	[ $kind = sleep ] && function='' || function=pair
	look $kind 3 "$kind 0" ./target $kind
done
if command -v musl-gcc >/dev/null && musl-gcc -DPLAIN -O1 -fno-builtin -o musl target.c 2>log; then
	look musl 2 "busy 0" ./musl busy
	look "musl's threads" 2 "threads 0" ./musl threads
else
	echo "not tested: musl: no musl-gcc"
fi
for library in libjemalloc.so.2 libtcmalloc.so.4 libmimalloc.so.2 libmimalloc.so.2.0; do
	path=$(find /usr/lib /lib -name "$library" 2>/dev/null | head -n 1)
	[ -n "$path" ] || continue
	look "$library" 2 "threads 0" env LD_PRELOAD="$path" ./target threads
done
function=
all=$(echo "$all" | tr ' ' '\n' | sort -g | awk 'NF { a[++n] = $1 } END { printf "%.2f %.2f", a[int((n + 1) / 2)] / 1e6, a[n] / 1e6 }')
echo "stopped for (median, longest, in ms): $all"

# begin KIND: starts the target, and a watcher of it without end
begin() {
	rm -f end go
	./target "$1" >out &
	pid=$!
	wait_for is_ready $pid
	"$CUPEL" heap -p $pid "${@:2}" --json -o watched.json 2>log &
	cupel=$!
	wait_for is_sampling $cupel
	wait_for grep -qs cupel_heap_attach "/proc/$pid/maps"
}
finish() {
	kill -INT $cupel
	wait $cupel || fail "$1: $(cat log)"
	touch end
	wait $pid
}

echo "== every allocation"
for wait in 0.3 1 2 4 8; do
	begin known --exact
	sleep $wait # the tables of the process are there
	touch go
	wait_for grep -q known out
	finish "every allocation"
	known=$(bytes known)
	[ "$known" = 123400 ] && break
done
if [ "$known" != 123400 ]; then
	if grep -q '"stopped": "[^r]' watched.json; then
		echo "not tested: every allocation: this busy machine had no tables in time"
	else
		fail "known: $known of 123400 bytes"
	fi
fi

echo "== a library that is loaded later"
for wait in 1 2 4 8; do
	begin plugin
	touch go
	wait_for grep -q loaded out
	sleep $wait # it is looked for four times a second
	finish "a library"
	[ "$(bytes from_plugin)" -gt 0 ] && break
done
[ "$(bytes from_plugin)" -gt 0 ] || fail "a library that is loaded later: $(head -n 3 watched.json)"

echo "== registers"
cat >registers.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WIDE
#define BYTES 64
#define REGISTER "vmovdqu64 %1, %%zmm17\n1: dec %2\njnz 1b\nvmovdqu64 %%zmm17, %0"
#define CLOBBER "xmm17"
#else
#define BYTES 16
#define REGISTER "movdqu %1, %%xmm13\n1: dec %2\njnz 1b\nmovdqu %%xmm13, %0"
#define CLOBBER "xmm13"
#endif

int main(void)
{
	struct { uint8_t byte[BYTES]; } from, to;
	unsigned long errors = 0;

	while (access("end", F_OK)) {
		unsigned long count = 3000000;

		for (int i = 0; i < BYTES; i++)
			from.byte[i] = (uint8_t)(i * 7);
		__asm__ volatile(REGISTER : "=m"(to), "+m"(from), "+r"(count) : : CLOBBER);
		errors += memcmp(&from, &to, BYTES) != 0;
		free(malloc(100));
	}
	printf("registers %lu\n", errors);
	return 7;
}
C
wide=
grep -qw avx512f /proc/cpuinfo && wide='-mavx512f -DWIDE'
if [ "$(uname -m)" != x86_64 ]; then
	echo "not tested: wide registers: of x86-64 alone"
elif cc -O1 $wide -o registers registers.c; then
	look registers 4 "registers 0" ./registers
fi

echo "== filters of system calls"
cat >filter.py <<'PY'
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
# memfd_create, mprotect and mmap with PROT_EXEC kill the process.
code = b"".join(struct.pack("HBBI", *line) for line in [
	(0x20, 0, 0, 0), (0x15, 4, 0, 319), (0x15, 3, 0, 10), (0x15, 0, 3, 9),
	(0x20, 0, 0, 32), (0x45, 0, 1, 4),
	(0x06, 0, 0, 0x80000000), (0x06, 0, 0, 0x7FFF0000)])
program = ctypes.create_string_buffer(code, len(code))
filter = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(program))
filter = ctypes.create_string_buffer(filter, len(filter))
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, ctypes.byref(filter)):
	sys.exit(77)
print("ready", flush=True)
total = 0
while not os.path.exists("end"):
	total += len([bytes(1000 + i) for i in range(100)]) - 100
print("filter", total)
sys.exit(7)
PY
if [ "$(uname -m)" = x86_64 ] && command -v python3 >/dev/null; then
	rm -f end
	python3 filter.py >out 2>errors &
	pid=$!
	wait_for grep -qs ready out
	watch $pid -d 300ms || fail "seccomp: $(cat log)"
	touch end
	wait $pid
	status=$?
	[ $status = 7 ] && grep -q "filter 0" out || fail "seccomp: status $status: $(cat out errors)"
	grep -q '"allocated": { "value": [1-9]' watched.json || fail "seccomp: no bytes"
fi

echo "== another root directory and mount namespace"
mkdir -p root/lib64 root/tmp
if unshare -m true 2>/dev/null; then
	cp target root/
	ldd target | grep -o '/[^ ]*' | while read -r library; do
		mkdir -p "root${library%/*}" && cp "$library" "root$library"
	done
	rm -f root/end
	unshare -m chroot root /target threads /end >out 2>errors &
	pid=$!
	wait_for is_program $pid target
	wait_for is_ready $pid
	for _ in 1 2; do
		watch $pid -d 300ms || fail "another root: $(cat log)"
	done
	sees pair || fail "another root: no bytes"
	touch root/end
	wait $pid
	[ "$(cat out)" = "threads 0" ] || fail "another root: $(cat out errors)"
else
	echo "not tested: mount namespaces: not allowed here"
fi

echo "== SIGKILL of cupel at any moment"
rm -f end
./target threads >out &
pid=$!
wait_for is_ready $pid
for pause in 0 0.01 0.02 0.03 0.05 0.08 0.1 0.15 0.2 0.3 0.4 0.6; do
	"$CUPEL" heap -p $pid -o /dev/null >log 2>&1 &
	cupel=$!
	sleep $pause
	kill -KILL $cupel
	wait $cupel 2>/dev/null
	is_free() { ! pgrep -P 1 -x cupel-heap >/dev/null || ! grep -q 'TracerPid:	[1-9]' /proc/$pid/status; }
	wait_for is_free
done
is_alone() { watch $pid -d 200ms; }
wait_for is_alone || fail "after SIGKILL: $(cat log)"
sees pair || fail "after SIGKILL: no bytes"
touch end
wait $pid
[ $? = 7 ] && [ "$(cat out)" = "threads 0" ] || fail "after SIGKILL: $(cat out)"

echo "== programs that have just begun"
cat >begins.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* begins COUNT: becomes itself so often, with a library that takes the loader a while */
int main(int argc, char **argv)
{
	char *blocks[50], text[20];
	int left = atoi(argv[1]);

	(void)argc;
	for (int i = 0; i < 50; i++)
		blocks[i] = memset(malloc(1000 + i), i, 1000);
	for (int i = 0; i < 50; i++) {
		if (blocks[i][9] != i)
			return 9;
		free(blocks[i]);
	}
	if (left) {
		snprintf(text, sizeof(text), "%d", left - 1);
		execl("./begins", "begins", text, (char *)0);
		return 8;
	}
	puts("whole");
	return 7;
}
C
gcc -O1 -fno-builtin -o begins begins.c -Wl,--no-as-needed -lstdc++ || exit 1
./begins 1000 >out 2>errors &
pid=$!
: >logs
while kill -0 $pid 2>/dev/null; do
	"$CUPEL" heap -p $pid -d 10ms -o none 2>log
	head -n 1 log >>logs
done
wait $pid
status=$?
[ $status = 7 ] && grep -q whole out || fail "a program that begins: status $status: $(cat out errors)"
grep -qE 'statically|signal|vdso' logs && fail "a program that begins: $(sort logs | uniq -c)"

echo "== what is refused"
# refused TEXT PID…
refused() {
	! watch "$2" -d 100ms || fail "$1: not refused"
	grep -q "$1" log || fail "no '$1' in: $(cat log)"
}
rm -f end
if cc -O1 -static -o still target.c -DPLAIN -lpthread 2>log; then
	./still busy >out &
	pid=$!
	wait_for is_program $pid still
	refused "statically linked" $pid
	grep -q "heap --maps -p $pid" log || fail "no other way: $(cat log)"
	touch end
	wait $pid
	[ "$(cat out)" = "busy 0" ] || fail "static: $(cat out)"
fi
refused "no such process" 4194303
refused "no program of its own" 2
rm -f end
./target busy >out &
pid=$!
wait_for is_ready $pid
"$CUPEL" heap -p $pid -o /dev/null >log2 2>&1 &
cupel=$!
wait_for is_sampling $cupel
refused "another cupel heap" $pid
kill -INT $cupel
wait $cupel || fail "the first of two: $(cat log2)"
touch end
wait $pid
[ "$(cat out)" = "busy 0" ] || fail "two at once: $(cat out)"
exit $failed
