#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: whole stacks need tables that are made in time
# Stacks of programs without unwind tables and frame pointers are whole and right: built at all levels of
# optimisation, stripped, and with musl. The rules that their instructions give equal those of call frame
# information where there is some, and the instructions those of objdump.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/live/unwind_life.bash
. "$(dirname "$0")/unwind_life.bash"
if [ "$(uname -m)" != x86_64 ]; then
	echo "code is analysed for x86-64 only"
	exit 77
fi
frames=';main;((plain;){1,20}|switched;|(.*;)?compare;|dynamic;|large;)busy;work'

# build NAME COMPILER OPTIONS…
build() {
	name=$1
	shift
	"$@" -w -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer -o "$name" \
		"$here/unwind_bare.c" && ! readelf --debug-dump=frames "$name" | grep -q 'pc=.*main'
}

for level in 0 1 2 3 s; do
	build "bare$level" gcc -O$level || exit 1
	record -- "./bare$level" 3000
	expect "bare -O$level" 97 "$frames"
done
build bare_cf gcc -O2 -fcf-protection=full -fstack-protector-strong || exit 1
strip -o stripped bare_cf
record -- ./stripped 6000
expect stripped 97 . # no names
if command -v musl-gcc >/dev/null; then
	for linked in dynamic static; do
		option=
		[ $linked = dynamic ] || option=-static
		# shellcheck disable=SC2086 # none or one word
		build "musl_$linked" musl-gcc -O2 $option || exit 1
		record -- "./musl_$linked" 6000
		expect "musl, $linked" 97 "$frames"
	done
	strip musl_static
	record -- ./musl_static 6000
	expect 'musl, stripped' 97 .
fi

if g++ -O2 -o fiber "$here/unwind_fiber.cc" -lboost_context 2>/dev/null; then
	record -- ./fiber
	expect fibers 97 'make_fcontext;.*busy;work'
fi

# In user space, from copied stacks.
record --call-graph dwarf,32768 -- ./bare2 3000
expect 'bare, copied' 97 "$frames"

# C programs of this machine, taken for ones without tables.
programs() {
	for program in perl xz git gdb make dpkg-deb as ar gcov gcov-dump; do
		command -v $program
	done
	ldconfig -p | awk '/(libc.so.6|libsqlite3.so.0|libz.so.1|libzstd.so.1).*64/ { print $NF }'
}
programs | while read -r file; do readlink -f "$file"; done | sort -u >programs
# shellcheck disable=SC2046 # paths without spaces
"$tools/unwind_code" $(cat programs) || failed=1
while read -r file; do
	objdump -d -w "$file" | "$tools/unwind_instructions" || failed=1
done <programs
exit $failed
