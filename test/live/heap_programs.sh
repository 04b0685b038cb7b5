#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel heap and what programs start: their output and environment are as without it, also for static
# and setuid ones, those with a sanitizer, of other users, in other root directories; what is not
# sampled is counted and named; what is started with a cleared environment is sampled.
set -u
: "${CUPEL:?path of the cupel binary}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
cd "$work" || exit 1
"$CUPEL" heap -o /dev/null -- true 2>log || {
	echo "allocations cannot be watched here: $(head -n 1 log)"
	exit 77
}
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}

cat >one.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static void known(void)
{
	*(volatile char *)malloc(4321) = 0;
}
int main(void)
{
	known();
	puts("one");
	return getenv("LD_PRELOAD") || getenv("CUPEL_HEAP") ? 3 : 0;
}
C
cat >starter.c <<'C'
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static void end(pid_t pid)
{
	int status;

	if (pid <= 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
}
int main(void)
{
	char name[] = "./one", variable[] = "A=1";
	char *argv[] = { name, NULL }, *none[] = { NULL }, *some[] = { variable, NULL }, line[9];
	FILE *stream;
	pid_t pid;

	if (system("./one"))
		return 2;
	stream = popen("./one", "r");
	if (!stream || !fgets(line, sizeof(line), stream) || pclose(stream))
		return 3;
	fputs(line, stdout);
	fflush(stdout);
	if (posix_spawn(&pid, name, NULL, NULL, argv, environ))
		return 4;
	end(pid);
	if (posix_spawnp(&pid, name, NULL, NULL, argv, none))
		return 5;
	end(pid);
	if (!(pid = vfork())) {
		execl(name, name, NULL);
		_exit(1);
	}
	end(pid);
	if (!(pid = fork())) {
		execve(name, argv, some);
		_exit(1);
	}
	end(pid);
	clearenv();
	execvp(name, argv);
	return 6;
}
C
cc -O1 -fno-builtin -o one one.c && cc -O1 -o starter starter.c || exit 1

# bytes FUNCTION JSON: that it allocated itself.
bytes() {
	sed -n "s/.*\"allocated\": \([0-9]*\), .*\"stack\": \[ { \"function\": \"$1\".*/\1/p" "$2" |
		awk '{ sum += $1 } END { print sum + 0 }'
}

echo "== every way to start a program"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$CUPEL" heap --exact --json -o all.json -- ./starter >out 2>log
	status=$?
	grep -q '"stopped": "[^r]' all.json || break
done
[ $status = 0 ] || fail "status $status: $(cat log)"
[ "$(grep -c '^one$' out)" = 7 ] && [ "$(wc -l <out)" = 7 ] || fail "output: $(cat out)"
if grep -q '"stopped": "[^r]' all.json; then
	echo "not tested: in ten runs this busy machine had no tables in time"
else
	[ "$(bytes known all.json)" = $((7 * 4321)) ] || fail "known: $(bytes known all.json)"
fi
! grep -q "not sampled" log || fail "all were sampled: $(cat log)"
sh -c 'env; echo "$1"' sh "$$" | grep -v '^_=' >without
"$CUPEL" heap -o /dev/null -- sh -c 'env; echo "$1"' sh "$$" 2>log | grep -v '^_=' >with
cmp -s without with || fail "environment: $(diff without with)"
"$CUPEL" heap -o /dev/null -- cat /proc/self/maps >maps 2>log
folder=$(sed -n 's,.* \(/.*\)/libcupel_heap\.so$,\1,p' maps | head -n 1)
[ -n "$folder" ] || fail "no library in the program"
[ ! -e "$folder" ] || fail "$folder is left"

echo "== programs that it does not fit into"
# programs COUNT TEXT: of the warning.
not_sampled() {
	grep -q "$1 program.* not sampled: .*$2" log || fail "no '$1 … $2': $(cat log)"
	! grep -q "ld\.so" log || fail "the loader's error: $(cat log)"
}
# Known calls of a static program, by probes; above the limit of the rate they are refused.
by_probes() {
	cat >calls.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define HIDE __attribute__((noinline, noclone))
extern const char __executable_start[];
static void *volatile kept;
static int probed(void *function) /* its code is not that of the file */
{
	char code[64];
	int fd = open("/proc/self/exe", O_RDONLY);

	if (pread(fd, code, sizeof(code), (const char *)function - __executable_start) != sizeof(code))
		exit(3);
	close(fd);
	return memcmp(code, function, sizeof(code)) != 0;
}
HIDE static void leaks(void) { kept = malloc(1000); }
HIDE static void zeroes(void) { kept = calloc(10, 30); }
HIDE static void grows(void) { kept = realloc(malloc(100), 5000); }
HIDE static void frees(void)
{
	void *volatile p = malloc(2000);

	free(p);
}
int main(int argc, char **argv)
{
	long turns = atol(argv[1]);

	for (long i = 0; i < turns; i++) {
		leaks();
		zeroes();
		grows();
		frees();
		if (argc < 3)
			usleep(2000);
	}
	alarm(60);
	if (argc > 2 && *argv[2] == 'f' && !probed(malloc))
		return 4;
	while (argc > 2 && (probed(malloc) || probed(free))) {
		for (int i = 0; i < (*argv[2] == 'f' ? 100000 : 1); i++)
			free(malloc(100));
		usleep(*argv[2] == 'f' ? 0 : 1000);
	}
	return puts("ended") < 0;
}
C
	cc -O1 -g -static -fno-builtin -fno-optimize-sibling-calls -o calls calls.c || return
	# The first calls may come before the unwind tables are in the kernel.
	if ! "$CUPEL" heap --probes ./calls --json -o calls.json --save calls.data -- ./calls 100 >out 2>log; then
		fail "probes: $(cat log)"
		return
	fi
	"$CUPEL" heap --probes ./calls -i calls.data --json -o again.json 2>log || fail "their recording: $(cat log)"
	python3 - calls.json again.json <<'P' || fail "sums of probes"
import json, sys
for path in sys.argv[1:]:
    run = json.load(open(path))
    live = {}
    for row in run['stacks']:
        for name in {f['function'] for f in row['stack']}:
            live[name] = live.get(name, 0) + row['live']
    if run['lost']:
        print('not tested: sums of probes: samples were lost')
        continue
    want = {'leaks': 100000, 'zeroes': 30000, 'grows': 500000, 'frees': 0}
    bad = {k: live.get(k, 0) for k, v in want.items() if not v * 0.9 <= live.get(k, 0) <= v}
    if bad or not 820000 <= run['allocated']['value'] <= 900000:
        print(path, bad, run['allocated'])
        sys.exit(1)
P
	# It ends when no probe is left in its code.
	"$CUPEL" heap --probes ./calls -o none -- ./calls 0 fast >out 2>log
	status=$?
	[ $status = 1 ] && grep -q 'hits a second, more than 100000' log && [ "$(cat out)" = ended ] ||
		fail "too many calls: status $status: $(cat out log)"
	"$CUPEL" heap --probes ./calls -o none -- ./calls 0 slow >out 2>log &
	pid=$!
	wait_for child_of $pid calls || fail "probes: $(cat log)"
	kill -KILL $pid
	has_said() {
		[ "$(cat out)" = ended ]
	}
	wait_for has_said || fail "probes stay after SIGKILL"
	wait $pid 2>/dev/null
	# Of a library; what it has that cannot be probed differs.
	"$CUPEL" heap --probes c --json -o c.json -- ./one >out 2>log && grep -q '"function": "known"' c.json ||
		fail "the C library: $(cat log)"
	if command -v musl-gcc >/dev/null && musl-gcc -O1 -g -static -fno-builtin -o small one.c 2>/dev/null; then
		"$CUPEL" heap --probes ./small -o /dev/null -- ./small >out 2>log || fail "musl: $(cat log)"
	fi
}

if cc -O1 -static -o still one.c 2>/dev/null; then
	"$CUPEL" heap -o /dev/null -- sh -c './still; :' >out 2>log || fail "static: $(cat log)"
	[ "$(cat out)" = one ] || fail "static: $(cat out)"
	not_sampled 1 "static (still)"
	by_probes
fi
if cc -O1 -fsanitize=address -o sanitized one.c 2>/dev/null; then
	ASAN_OPTIONS=detect_leaks=0 "$CUPEL" heap -o /dev/null -- sh -c './sanitized; :' >out 2>log
	[ "$(cat out)" = one ] || fail "sanitizer: $(cat out log)"
	not_sampled 1 "sanitizer (sanitized)"
fi
if cc -O1 -m32 -o narrow one.c 2>/dev/null; then
	"$CUPEL" heap -o /dev/null -- sh -c './narrow; :' >out 2>log
	[ "$(cat out)" = one ] || fail "32 bits: $(cat out log)"
	not_sampled 1 "of 32 bits"
	"$CUPEL" heap -o /dev/null -- ./narrow 2>log && fail "a program of 32 bits"
	grep -q "of 32 bits" log || fail "32 bits: $(cat log)"
fi
[ "$(id -u)" = 0 ] || {
	echo "not tested: other users and root directories, without root"
	exit $failed
}
cp one other && chown 65534 other && chmod 4755 other
"$CUPEL" heap -o /dev/null -- sh -c './other; :' >out 2>log
[ "$(cat out)" = one ] || fail "setuid: $(cat out log)"
not_sampled 1 "setuid.* (other)"
"$CUPEL" heap --exact --json -o user.json -- \
	setpriv --reuid=65534 --clear-groups ./one >out 2>log || fail "user: $(cat log)"
[ "$(cat out)" = one ] || fail "another user: $(cat out)"
! grep -Eq "not sampled|ld\.so" log || fail "another user: $(cat log)"
grep -q '"processes": 2' user.json || fail "another user is not sampled: $(head -n 3 user.json)"
if [ -x still ] && mkdir -p root && cp still root; then
	"$CUPEL" heap -o /dev/null -- chroot root /still >out 2>log
	[ "$(cat out)" = one ] || fail "another root: $(cat out log)"
	not_sampled 1 "(still)"
fi
exit $failed
