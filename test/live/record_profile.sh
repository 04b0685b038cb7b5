#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recording directly into a profile gives the same result as with a file: the shares of a program and its
# exit status. top is one process; its memory does not grow with the number of recorded processes.
set -u
cupel=${CUPEL:?path of the cupel program}
dir=$(mktemp -d)
top=
shell=
trap 'kill $top 2>/dev/null; [ -z "$shell" ] || kill -KILL $shell; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "FAIL: $*"; exit 1; }

cat >shares.c <<'END'
#include <stdlib.h>
static __attribute__((noinline)) void spin(long n) { for (volatile long i = 0; i < n; i++) ; }
__attribute__((noinline)) void three_parts(void) { spin(3000000); __asm__ volatile(""); }
__attribute__((noinline)) void one_part(void) { spin(1000000); __asm__ volatile(""); }
int main(void)
{
	for (int i = 0; i < 600; i++) {
		three_parts();
		one_part();
	}
	return 7;
}
END
gcc -O1 -g -fno-omit-frame-pointer -o shares shares.c || fail "gcc"
share() { awk '{ print $1; exit }' "$1"; }
near() { # VALUE LEAST MOST
	awk -v v="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(v >= a && v <= b) }'
}

"$cupel" flamegraph --find three_parts -- ./shares >memory.txt
[ $? -eq 7 ] || { cat memory.txt; exit 77; }
"$cupel" flamegraph --save kept.data --find three_parts -- ./shares >file.txt
[ $? -eq 7 ] || fail "exit status with --save"
near "$(share memory.txt)" 60 90 || fail "three of four parts are $(share memory.txt) %"
near "$(share file.txt)" 60 90 || fail "by way of a file they are $(share file.txt) %"
"$cupel" flamegraph --no-javascript -o picture.svg -- ./shares 2>/dev/null
[ $? -eq 7 ] || fail "exit status with a picture"
for name in shares main three_parts one_part spin; do
	grep -q ">$name" picture.svg || grep -q "<title>$name" picture.svg ||
		fail "no $name in the picture"
done
! ls cupel* perf.data* 2>/dev/null || fail "a file was left"

rss() { awk '/^RssAnon/ { print $2 }' "/proc/$top/status"; }
# Several thousand processes of a shell that stops in between: data of exited processes is freed. Few
# samples, because the stacks that are known are kept until there are many, and a slow machine meets more.
cat >processes.sh <<'END'
make() {
	i=0
	while [ $i -lt $1 ]; do /bin/true; i=$((i + 1)); done
	while [ $i -lt $(($1 * 200)) ]; do i=$((i + 1)); done # samples, where /bin/true is too short for any
}
for count in 0 6000 4000; do
	make $count
	kill -STOP $$
done
END
until_stopped() {
	until grep -q '^State:[[:space:]]*T' "/proc/$shell/status"; do sleep 0.1; done
}
: >top.txt
sh processes.sh &
shell=$!
until_stopped
"$cupel" top --stdio -F 100 -p $shell -d 500ms >top.txt 2>&1 &
top=$!
until grep -q 'samples in' top.txt; do
	kill -0 $top || { cat top.txt; exit 77; }
	sleep 0.1
done
# but those without privileges, which make unwind tables
ps -o comm= --ppid $top | grep -v '^cupel-' && fail "top has a second process"
kill -CONT $shell
sleep 0.2
until_stopped
before=$(rss)
kill -CONT $shell
sleep 0.2
until_stopped
after=$(rss)
kill -INT $top
wait $top || fail "top ended with $?"
top=
grep -q '# Samples' top.txt || fail "top showed nothing"
[ $((after - before)) -lt 4000 ] || fail "top grew from $before to $after kB with 4000 processes"
echo "ok: $(share memory.txt) % in memory, $(share file.txt) % by file; top $before to $after kB"
