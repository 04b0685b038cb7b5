#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of the kernel: calls are counted and timed, of chosen processes, through one link for all
# of them; probes that others left in the kernel are listed and removed; nothing of ours stays.
# programs: dd
# seconds: 200
failed=0
tracefs=/sys/kernel/tracing
[ -e $tracefs/trace ] || mount -t tracefs nodev $tracefs || exit 1

fail() {
	echo "FAIL: $*"
	cat log counts.json 2>/dev/null
	failed=1
}

# Each block is a write of dd; the reads come on top of what loading takes.
copy='dd if=/dev/zero of=/dev/null bs=1 count=1000'
# shellcheck disable=SC2086
"$CUPEL" funccount --json vfs_write -- $copy >counts.json 2>log || fail "status $?"
calls=$(sed -n 's/.*"name":"vfs_write","calls":\([0-9]*\).*/\1/p' counts.json)
# and up to ten of its report
[ "${calls:-0}" -ge 1000 ] && [ "$calls" -le 1010 ] || fail "vfs_write: $calls, not 1000"
# shellcheck disable=SC2086
"$CUPEL" funccount 'vfs_*' -- $copy >counts 2>log || fail "glob: $?"
grep -Eq '^vfs_read +10[0-9][0-9]$' counts || fail "vfs_*: $(cat counts)"
"$CUPEL" funccount -p $$ -d 300ms --json vfs_write >counts.json 2>log || fail "-p: $?"
grep -q '"calls":0,' counts.json || fail "calls of another process"
# shellcheck disable=SC2086
"$CUPEL" funclatency --json vfs_write -- $copy >counts.json 2>log || fail "funclatency: $?"
calls=$(sed -n 's/.*"returned":\([0-9]*\).*/\1/p' counts.json)
[ "${calls:-0}" -ge 1000 ] && [ "$calls" -le 1010 ] || fail "returned: $calls, not 1000"
# Times of a wait are those of the wait.
# shellcheck disable=SC2238
"$CUPEL" funclatency -m do_nanosleep -- sleep 1 >times 2>log || fail "do_nanosleep: $?"
grep -Eq '^ +(512 -> 1023|1024 -> 2047) +: 1 ' times || fail "a sleep of a second: $(cat times)"

"$CUPEL" funccount vfs_raed 2>log && fail "an unknown function is taken"
grep -q "no function vfs_raed that can be probed" log || fail "an unknown function"
grep -q "did you mean 'vfs_read'" log || fail "no near name"

"$CUPEL" funccount vfs_read >counts 2>log &
sleep 1
kill -KILL $!
wait $! 2>/dev/null
[ -z "$(cat $tracefs/kprobe_events)" ] || fail "a probe stayed behind"

# Probes of others.
echo 'p:kprobes/mine vfs_read+0 size=%dx' >>$tracefs/kprobe_events || fail "no kprobe_events"
echo "p:probe_x/there $CUPEL:0x1000" >>$tracefs/uprobe_events || fail "no uprobe_events"
"$CUPEL" probe -l >list 2>log || fail "-l: $?"
grep -q '^  kprobes:mine         (on vfs_read with size)$' list || fail "list: $(cat list)"
grep -q '^  probe_x:there        (on .* in /bin/cupel)' list || fail "list: $(cat list)"
"$CUPEL" probe -d 'kprobes:m*' 2>log || fail "-d: $?"
"$CUPEL" probe -d probe_x:there 2>log || fail "-d: $?"
[ -z "$(cat $tracefs/kprobe_events $tracefs/uprobe_events)" ] || fail "not removed"
exit $failed
