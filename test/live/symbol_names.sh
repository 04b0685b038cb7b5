#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Random addresses of the kernel and of real programs have the same names as in perf. Entries of every
# kind of PLT have the same names as in objdump.
set -eu
tools=$(dirname "$CUPEL")/test/live
here=$(dirname "$0")
for need in perf objdump readelf python3 gcc; do
	if ! command -v "$need" >/dev/null; then
		echo "needs $need"
		exit 77
	fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/plt.c" <<'END'
#include <stdlib.h>
#include <stdio.h>
static int one(void) { return 1; }
static void *pick(void) { return one; }
int chosen(void) __attribute__((ifunc("pick")));
int main(void)
{
	int (*taken)(const char *) = puts;

	return taken(getenv("HOME") ? "x" : "y") + chosen() + rand() + rand();
}
END
gcc -o "$scratch/lazy" "$scratch/plt.c" -Wl,-z,lazy
gcc -o "$scratch/now" "$scratch/plt.c" -Wl,-z,now
gcc -o "$scratch/no-pie" "$scratch/plt.c" -no-pie
gcc -o "$scratch/static" "$scratch/plt.c" -static
if [ "$(uname -m)" = x86_64 ]; then
	gcc -o "$scratch/ibt" "$scratch/plt.c" -fcf-protection -Wl,-z,ibtplt -Wl,-z,lazy
	gcc -o "$scratch/ibt-now" "$scratch/plt.c" -fcf-protection -Wl,-z,ibtplt -Wl,-z,now
fi

libraries() {
	for name in libc.so.6 libstdc++.so.6 libcrypto.so.3 libpython3.11.so.1.0; do
		ldconfig -p | awk -v name="$name" '$1 == name { print $NF; exit }'
	done
	command -v bash perl git xz || :
	gcc -print-prog-name=cc1
}
kernel=kernel
if [ "$(sed -n '1s/ .*//p' /proc/kallsyms)" = 0000000000000000 ]; then
	kernel=
fi
{
	echo $kernel
	for program in "$scratch"/*; do
		[ "$program" = "$scratch/plt.c" ] || echo "plt:$program"
	done
	libraries | while read -r file; do readlink -f "$file"; done | sort -u
} | xargs python3 "$here/symbol_names.py" "$tools/symbol_names"
