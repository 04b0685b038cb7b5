#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Names of programs with files that are out of reach at the end: in a chroot or another mount namespace,
# deleted right after the start, or replaced by another file.
set -eu
if [ "$(id -u)" != 0 ] || ! command -v cc >/dev/null || ! command -v unshare >/dev/null; then
	echo "needs root, cc and unshare"
	exit 77
fi
unshare --mount true 2>/dev/null || {
	echo "needs mount namespaces"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME="$work/cache"
failed=0

build() { # BUILD-ID
	for name in chrooted elsewhere deleted replaced_it; do
		cat >$name.c <<C
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) void spin_$name(void)
{
		struct timespec t;

		do {
			for (volatile int i = 0; i < ${#name}0000; i++) /* other code: another build id */
				;
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		} while (t.tv_nsec < 500000000 && t.tv_sec == 0);
}
int main(void)
{
		spin_$name();
		return 0;
}
C
		cc -O1 -static -Wl,--build-id="$1" -o $name $name.c
	done
}
cat >run.sh <<'R'
rm -rf root mounted
mkdir root mounted
cp chrooted root/program
chroot root /program
cp elsewhere program
unshare -m sh -c 'mount -t tmpfs none mounted && cp elsewhere mounted/program && mounted/program'
./deleted &
until [ "$(cat /proc/$!/comm)" = deleted ]; do :; done
rm deleted
wait
./replaced_it &
until [ "$(cat /proc/$!/comm)" = replaced_it ]; do :; done
cp chrooted other
mv other replaced_it
wait
rm -r root
R
for id in sha1 none; do
	build $id
	timeout -k 1 -s KILL 60 "$CUPEL" record -q -o a.data -- sh run.sh
	"$CUPEL" report --stdio --no-children -g none --sort dso,sym -i a.data 2>said >report
	for name in chrooted elsewhere deleted replaced_it; do
		grep -q "spin_$name\$" report || {
			echo "FAIL: build id $id: spin_$name is lost: $(grep '^ ' report | head -n 20)"
			failed=1
		}
	done
done
exit $failed
