#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks on arm64, of a program without frame pointers in leaf functions: walked in the kernel, from
# copied stacks, by frame pointer. The shares of its two functions are known. Waits are found too.
# seconds: 60
failed=0

# has FILE PATTERN
has() {
	grep -Eq "$2" "$1" && return
	echo "no line with $2:"
	cat "$1"
	failed=1
}

"$CUPEL" version --build-options >version || exit 1
has version '^ *machine: aarch64$'
has version '^ *whole stacks: yes$'
has version '^ *gaps: on arm64 stacks end at return addresses that are signed [(]PAC[)]'
"$CUPEL" doctor -v >doctor
has doctor 'signed [(]PAC[)]'
for mode in '' --call-graph=dwarf; do
	# shellcheck disable=SC2086 # no word where there is no mode
	timeout -k 1 -s KILL 60 "$CUPEL" record -q -g $mode -e cycles:u -o data -- /helper/counted 75 25 || exit 1
	"$CUPEL" collapse data >folded || exit 1
	has folded '^counted;_start;.*;main;outer;inner;loop [0-9]'
	has folded '^counted;_start;.*;main;other;loop [0-9]'
	awk '{ all += $NF } /;inner;loop / { inner += $NF }
		END { exit !(inner > 0.72 * all && inner < 0.78 * all) }' folded || {
		echo "inner() has not three quarters of the time:"
		cat folded
		failed=1
	}
	"$CUPEL" report --json -i data >json || exit 1
	sed -n 's/.*"stacks":{"total":\([0-9]*\),"complete":\([0-9]*\),.*/\1 \2/p' json |
		awk 'END { exit !($1 > 50 && $2 >= 0.97 * $1) }' || {
		echo "not all stacks are complete:"
		cat json
		failed=1
	}
done
"$CUPEL" report --header-only -i data >header || exit 1
has header '^# cpuid : 0x[0-9a-f]+$' # of sysfs
timeout -k 1 -s KILL 60 "$CUPEL" record -q --call-graph fp -e cycles:u -o data -- /helper/counted 20 || exit 1
"$CUPEL" collapse data >folded || exit 1
has folded '^counted;_start;.*;main;outer;' # inner() is missing: its leaf function saves no frame

timeout -k 1 -s KILL 60 "$CUPEL" record -q --user-regs=X29,SP,PC -e cycles:u -o data -- /helper/counted 20 || exit 1
"$CUPEL" script -F ip,uregs -i data >text || exit 1
has text 'x29:0x[0-9a-f]+ +sp:0x[0-9a-f]+ +pc:0x[0-9a-f]+'

"$CUPEL" record -q -e off-cpu -o waits.data -- sh -c 'sleep 0.2 | cat' || exit 1
"$CUPEL" collapse waits.data >folded || exit 1
has folded '^cat;.*pipe_read;.* [0-9]{9}'
"$CUPEL" wall -o ledger -- sh -c 'sleep 0.2 | cat' || exit 1
has ledger '^    sleep +0\.[2-9]'
has ledger 'unaccounted 0\.0[0-9]* %'
exit $failed
