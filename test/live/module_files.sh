#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# The file of a running program is found even if its path does not lead to it: deleted, replaced, or in
# a separate mount namespace. The new file is never used in place of the replaced one. A deleted copy is
# symbolized by another file with the same build id.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
target=$(dirname "$CUPEL")/test/live/jit_target
if ! command -v perf >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "needs perf and root"
	exit 77
fi
scratch=$(mktemp -d)
child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null || :; rm -rf "$scratch"' EXIT
cd "$scratch"

report() {
	"$CUPEL" report -i perf.data --stdio --no-children -g none --sort sym >rows 2>errors
	grep -v '^#' rows | grep -m1 . || :
}

expect() { # WHAT NAME
	hottest=$(report)
	case $hottest in
	*"$2"*) echo "$1: as expected" ;;
	*)
		echo "$1: $hottest, not $2"
		cat rows errors
		exit 1
		;;
	esac
}

stop() {
	kill "$1" 2>/dev/null || :
	wait "$child" 2>/dev/null || :
	child=
}

cp "$target" program
./program none 8 &
child=$!
wait_for is_program "$child" program || exit 1
rm program
perf record -q -B -e cpu-clock:u -F 199 -o perf.data -p "$child" -- sleep 1
expect "deleted" spin_in_file
cp /bin/true program
expect "deleted, another file under its name" spin_in_file
stop "$child"
expect "deleted, process gone" 0x

cp "$target" first
cp "$target" second
perf record -q -N -e cpu-clock:u -F 499 -o perf.data -- sh -c './first none 1; ./second none 1'
rm second
"$CUPEL" report -i perf.data --stdio --no-children -g none --sort dso,sym >rows 2>errors
for copy in first second; do
	if ! grep -q "$copy .*spin_in_file" rows; then
		echo "copies, one of them deleted: no name in $copy"
		cat rows errors
		exit 1
	fi
done
echo "copies, one of them deleted: as expected"

if unshare -pmf true 2>/dev/null; then
	cp "$target" outside
	unshare -pmf --propagation private sh -c \
		"mount -t tmpfs none /mnt && cp outside /mnt/inside && exec /mnt/inside none 8" &
	outer=$!
	wait_for child_of "$outer" inside || exit 1
	inner=$child
	child=$outer
	perf record -q -B -e cpu-clock:u -F 199 -o perf.data -p "$inner" -- sleep 1
	expect "in a container" spin_in_file
	stop "$inner"
fi
