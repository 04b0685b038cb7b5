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
if cc -O1 -static -o still one.c 2>/dev/null; then
	"$CUPEL" heap -o /dev/null -- sh -c './still; :' >out 2>log || fail "static: $(cat log)"
	[ "$(cat out)" = one ] || fail "static: $(cat out)"
	not_sampled 1 "static (still)"
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
