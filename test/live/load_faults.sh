#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Any failure while a recorder opens events and loads BPF programs ends it with a message: forbidden
# system calls, no BTF, few descriptors, little memory, closed streams. No such failure is cached.
set -u
[ "$(id -u)" = 0 ] || {
	echo "needs root"
	exit 77
}
deny=$(dirname "$CUPEL")/test/live/deny_call
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME="$work/cache"
failed=0
commands=('record -q -e off-cpu -o c.data -- true' 'sched record -o c.data -- true' 'wall -- true'
	'runqlat 1 1' 'record -q -o c.data -- true' 'offcputime 0.1')

# one LABEL COMMAND WRAPPER...: the command ends in time; a failure has a message
one() {
	label=$1 command=$2
	shift 2
	# shellcheck disable=SC2086 # words
	timeout -k 1 -s KILL 150 "$@" "$CUPEL" $command >out 2>err
	status=$?
	if [ $status -ge 128 ] && ! grep -q 'out of memory' err || [ $status = 124 ]; then
		echo "FAIL: $label: $command: status $status: $(cat err)"
		failed=1
	elif [ $status != 0 ] && [ ! -s err ] && [ "${label#closed}" = "$label" ]; then
		echo "FAIL: $label: $command: status $status without a message"
		failed=1
	fi
}

all() {
	label=$1
	shift
	for command in "${commands[@]}"; do
		one "$label" "$command" "$@"
	done
}

# bpf(2): the whole system call, then single commands: maps, elements, programs, attach, BTF, links
for first in -1 0 2 5 8 17 18 28; do
	for error in 1 12 22; do
		all "bpf $first $error" "$deny" 321 $first $error
	done
done
all "perf_event_open" "$deny" 298 -1 1
all "perf_event_open" "$deny" 298 -1 24
all "epoll_create1" "$deny" 291 -1 24
all "signalfd4" "$deny" 289 -1 24
# shellcheck disable=SC2016 # the inner shell expands it
all "no BTF" unshare -m sh -c 'mount -t tmpfs none /sys/kernel/btf && exec "$@"' sh
for streams in '0<&-' '1>&-' '2>&-' '0<&- 1>&- 2>&-'; do
	all "closed $streams" sh -c "exec \"\$@\" $streams" sh
done
for files in $(seq 8 6 80); do
	all "$files descriptors" sh -c "ulimit -n $files; exec \"\$@\"" sh
done
for mb in $(seq 20 30 200); do
	all "$mb MB" sh -c "ulimit -v $((mb * 1024)); exec \"\$@\"" sh
done

for command in "${commands[@]/offcputime/offcputime -p $$}"; do
	# shellcheck disable=SC2086 # words
	(ulimit -v 204800 && exec timeout -k 1 -s KILL 150 "$CUPEL" $command >out 2>err) || {
		echo "FAIL: 200 MB: $command: $(cat err)"
		failed=1
	}
done
[ -z "$(ls "$XDG_CACHE_HOME/cupel/refused" 2>/dev/null)" ] || {
	echo "FAIL: cached as refused: $(cat "$XDG_CACHE_HOME"/cupel/refused/*)"
	failed=1
}
exit $failed
