#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording keeps the names of sampled code: after a rebuild of the program at the same path with
# another layout, reports and comparisons show the same names, with and without build ids, even in the
# same inode. perf reads such a file like one without names.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
for need in gcc perf; do
	if ! command -v "$need" >/dev/null; then
		echo "needs $need"
		exit 77
	fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat >work.c <<'END'
#ifdef OTHER_LAYOUT
__attribute__((noinline)) long never(long n)
{
	for (long i = 0; i < n; i++)
		n ^= i * 77 + n / 3;
	return n;
}
__attribute__((noinline)) long never_either(long n) { return never(n) * never(n + 1) + 1; }
#endif
static volatile long sum;
__attribute__((always_inline)) static inline void spin_inlined(void)
{
	for (long i = 0; i < 10000000; i++)
		sum += i;
}
__attribute__((noinline)) void spin_here(void)
{
	for (long i = 0; i < 10000000; i++)
		sum += i * 3;
}
int main(int argc, char **argv)
{
	(void)argv;
	for (int round = 0; round < 50; round++) {
		spin_here();
		spin_inlined();
	}
#ifdef OTHER_LAYOUT
	if (argc > 7)
		return (int)never_either(argc);
#endif
	return argc > 9;
}
END

names() { # FILE
	"$CUPEL" report -i "$1" --no-children -g none --sort sym,srcline 2>/dev/null |
		awk '$NF ~ /work.c/ && $1 + 0 > 5 { print $3, $NF }' | sort -u
}

for id in sha1 none; do
	gcc -O1 -g -Wl,--build-id=$id -o program work.c
	timeout -k 1 -s KILL 60 "$CUPEL" record -q -o before.data -- ./program
	timeout -k 1 -s KILL 60 "$CUPEL" record -q -N -o without.data -- ./program
	perf script -i before.data >perf.as-built 2>/dev/null
	names before.data >as-built
	grep -q spin_here as-built
	# into the same file: only its time and size differ from the old one
	gcc -O1 -g -Wl,--build-id=$id -DOTHER_LAYOUT -o other work.c
	cat other >program
	names before.data >rebuilt
	cmp as-built rebuilt || {
		diff as-built rebuilt
		exit 1
	}
	if [ $id = sha1 ] && [ "$(names without.data)" = "$(cat as-built)" ]; then
		echo "names of a file that is gone: the test proves nothing"
		exit 1
	fi
	timeout -k 1 -s KILL 60 "$CUPEL" record -q -o after.data -- ./program
	"$CUPEL" diff --fail-on 'new>20%' before.data after.data >difference 2>&1 || {
		cat difference
		exit 1
	}
	if [ $id = sha1 ]; then # names on one side only: not comparable
		status=0
		"$CUPEL" diff --fail-on 'new>20%' without.data after.data >difference 2>&1 || status=$?
		if [ $status != 4 ] || ! grep -q 'program has symbols only after' difference; then
			echo "status $status"
			cat difference
			exit 1
		fi
	fi
	rm program
	names before.data >deleted
	cmp as-built deleted
done

# perf ignores the names: with the original program it prints the same text as before
gcc -O1 -g -Wl,--build-id=none -o program work.c
perf script -i before.data >perf.again 2>errors
cut -d'(' -f1 perf.as-built >one
cut -d'(' -f1 perf.again >two
cmp one two
! grep -i 'incompatible\|invalid\|damaged' errors
perf report -i before.data --stdio >/dev/null 2>&1
echo "names of $(wc -l <as-built) lines kept, $(wc -c <before.data) bytes of recording"
