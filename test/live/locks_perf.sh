#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel lock record, report, contention and info beside stock perf on one recording: rows by thread are
# the same, lines and all; sums by caller and by type add up to them.
# in turn: it runs stock perf
set -u
: "${CUPEL:?path of the cupel binary}"
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C XDG_CACHE_HOME=$work/cache
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
"$CUPEL" lock record -o locks.data -- sh -c 'for i in 1 2 3 4; do ls -lR /usr/share/doc >/dev/null & done; wait' \
	>/dev/null 2>log || {
	echo "contention of locks cannot be recorded here: $(head -n 1 log)"
	exit 77
}
perf lock contention -t -i locks.data >theirs 2>&1 || {
	echo "no stock perf that reads it: $(tail -n 1 theirs)"
	exit 77
}
"$CUPEL" lock contention -t -i locks.data >ours 2>log || fail "contention -t: $(cat log)"
# Rows of equal times have no order.
# A thread has the name of its last wait here, its last one there. perf has a row also for a wait that
# did not end, and other words for threads without a number.
rows() {
	grep -E '^ +[0-9]+ +[0-9.]+ [a-z]+ .* [0-9]+   ' "$1" | grep -v -e ' 0 ns ' -e ' 4294967295 ' | sed 's/^\(.* [0-9][0-9]*\)   .*/\1/' | sort
}
rows theirs >theirs.rows
rows ours >ours.rows
[ -s theirs.rows ] || {
	echo "not tested: rows of locks: nothing was contended"
	exit 0
}
cmp -s theirs.rows ours.rows || fail "rows by thread differ: $(diff theirs.rows ours.rows | head -n 5)"
head -n 1 ours | grep -q '^ contended   total wait     max wait     avg wait          pid   comm$' ||
	fail "heading: $(head -n 1 ours)"
sums() {
	"$CUPEL" lock contention "$@" -i locks.data -x, | awk -F, '!/^#/ { n += $1; ns += $2 } END { print n, ns }'
}
all=$(sums -t)
[ "$(sums)" = "$all" ] || fail "callers sum up to $(sums), threads to $all"
[ "$(sums -l)" = "$all" ] || fail "locks sum up to $(sums -l), threads to $all"
[ "$(sums -Y spinlock,mutex,rwsem,rwlock,rt-mutex,pcpu-sem)" = "$all" ] ||
	fail "types do not sum up to $all"
"$CUPEL" lock report -i locks.data | head -n 1 |
	grep -q '^ *Name   acquired  contended     avg wait   total wait     max wait     min wait $' ||
	fail "report: heading"
"$CUPEL" lock info -t -i locks.data | head -n 1 | grep -q '^ Thread ID: comm$' || fail "info -t"
"$CUPEL" lock info -m -i locks.data | head -n 1 | grep -q '^Address of instance: name of class$' ||
	fail "info -m"
exit "$failed"
