#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: stacks are complete only if unwind tables are built in time
# Stacks are complete from the first sample on, in all of these cases: thousands of short programs,
# forks without exec, vfork, loaded and unloaded libraries, code mapped over other code, large frames,
# coroutines, a deleted binary, a separate mount namespace and root, thousands of mappings, 900 frames.
#
# Environment: CALL_GRAPH (auto), the tested mode; KEEP, a folder for the recordings
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
# shellcheck source=test/live/unwind_life.bash
. "$(dirname "$0")/unwind_life.bash"

# shellcheck disable=SC2016 # the inner shell expands it
record -F 9999 -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'
expect exec 97 .
record -F 9999 -- "$life" thread
expect thread 99 .
for what in mixed fork vfork signal maps large context deep absent; do
	record -- "$life" $what
	case $what in
	mixed) expect $what 99 ';_start;.*;main;mixed;(roomy;framed;){1,20}busy;work' ;;
	fork | vfork | signal) expect $what 97 ";_start;.*;main;.*${what}s;.*busy;work" ;;
	large) expect $what 97 ';_start;.*;main;large;busy;work' ;;
	context) expect $what 97 '^[^;]*;[^;]*;coroutine;busy;work' ;;
	maps) expect $what 97 ';_start;.*;maps;busy;work' ;;
	deep) expect $what 90 ';main;(descend;){900}' ;;
	absent) expect $what 80 ';deep_thread;(descend;){900}' ;; # pages go every 50 ms
	esac
done
record -- "$life" libraries "$tools/libunwind_plugin_64.so" "$tools/libunwind_plugin_1024.so"
expect libraries 99 ';libraries;plugin_enter;busy;work'
"$CUPEL" report --stats -i x.data 2>/dev/null | grep -E 'replaced another|sent to user space as'
record -- "$life" replaced "$tools/libunwind_plugin_64.so" "$tools/libunwind_plugin_1024.so"
expect replaced 97 ';replaced;plugin_enter;busy;work'

# The same with a recorder that is stopped for a while: the BPF program notices changed mappings itself,
# if the kernel reports them.
"$CUPEL" record -q -F 999 --call-graph "$mode" -o x.data -- "$life" replaced \
	"$tools/libunwind_plugin_64.so" "$tools/libunwind_plugin_1024.so" >log 2>&1 &
children=$!
for _ in 1 2 3; do
	sleep 0.2
	kill -STOP $children
	sleep 0.1
	kill -CONT $children
done
wait $children
children=
expect 'replaced unheard' 97 ';replaced;plugin_enter;busy;work'
met=$("$CUPEL" report --stats -i x.data | sed -n 's/^ *\([0-9]*\)  through a mapping.*/\1/p')
if [ "$mode" = auto ] && [ -d /sys/kernel/tracing/events/maple_tree/ma_write ] && [ "$met" -eq 0 ]; then
	echo "replaced unheard: FAILED: no stack met code that took the place of other code"
	failed=1
fi

# A process that starts on one CPU and is sampled on another, where all others are sampled as well.
if [ "$(nproc)" -gt 1 ] && taskset -c 0 true 2>/dev/null; then
	record -C 1 -- taskset -c 0 "$life" move 1
	comms=unwind_life expect 'other CPU' 97 ';main;.*busy;work'
fi

cp "$life" gone
./gone spin &
children=$!
wait_for is_program "$children" gone || exit 1
rm gone
record -p "$children" --duration 500ms
expect deleted 97 . # its names went with it

if unshare -m true 2>/dev/null; then
	mkdir root
	for library in "$life" $(ldd "$life" | grep -o '/[^ ]*'); do
		mkdir -p "root$(dirname "$library")"
		cp "$library" "root$library"
	done
	record -- unshare -m chroot root "$life" spin
	expect chroot 97 ';main;busy'
fi
exit "$failed"
