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

# Arguments, results and times; stacks with the kernel's and the program's part; events.
# shellcheck disable=SC2086
"$CUPEL" argdist -C 'p::vfs_write():int:arg3:arg3==512' \
	-C 'r::vfs_write(void *file, void *buf, size_t n):int,int:$retval,$entry(n):$retval==512&&$latency>0' \
	-- $copy bs=512 >values 2>log || fail "argdist: $?"
grep -q '^	1000  *arg3 = 512$' values || fail "an argument: $(cat values)"
grep -q '^	1000  *$retval = 512, $entry(n) = 512$' values || fail "a result: $(cat values)"
"$CUPEL" argdist -C 'p::do_sys_openat2(int dfd, char *name):char*:name' -- dd if=/proc/version of=/dev/null \
	>values 2>log || fail "argdist: $?"
grep -q '"/proc/version"' values || fail "a text: $(cat values)"
# shellcheck disable=SC2086
"$CUPEL" funclatency --json --by arg3 vfs_write -- $copy bs=512 >counts.json 2>log || fail "--by: $?"
grep -q '"name":"arg3 = 512","calls":1000,"returned":1000' counts.json || fail "--by arg3: $(cat counts.json)"
# shellcheck disable=SC2086
"$CUPEL" stackcount -f vfs_write -- $copy >stacks 2>log || fail "stackcount: $?"
grep -Eq '^dd;.*;(write|__write);.*ksys_write;vfs_write 1000$' stacks || fail "stacks: $(cat stacks)"
# shellcheck disable=SC2086
"$CUPEL" record -o k.data -e 'kprobe:vfs_write size=arg3' -e 'kretprobe:vfs_write got=$retval' -- $copy bs=512 2>log ||
	fail "record: $?"
"$CUPEL" script -i k.data >script 2>log || fail "script: $?"
[ "$(grep -c ' kprobe:vfs_write.*) size=512$' script)" = 1000 ] || fail "kprobe: $(head -n 20 script)"
[ "$(grep -c ' kretprobe:vfs_write.*) got=512$' script)" = 1000 ] || fail "kretprobe: $(head -n 20 script)"
grep -q ' ksys_write+' script && grep -q 'libc.so.6)' script || fail "stacks: $(head -n 20 script)"
# shellcheck disable=SC2086
"$CUPEL" stat -x, -e kprobe:vfs_write,kretprobe:vfs_write -- $copy 2>counts || fail "stat: $?"
[ "$(grep -Ec '^10(0[0-9]|10),,k(ret)?probe:vfs_write' counts)" = 2 ] || fail "stat: $(cat counts)"
export XDG_CONFIG_HOME=$PWD
"$CUPEL" probe 'mine=vfs_write size=arg3' 2>log || fail "probe: $?"
"$CUPEL" probe -l >list 2>log
grep -q '^  probe:mine  *(on vfs_write with size=arg3) \[cupel\]$' list || fail "list: $(cat list)"
# shellcheck disable=SC2086
"$CUPEL" trace --no-syscalls -e probe:mine -- $copy bs=512 2>lines || fail "trace: $?"
[ "$(grep -c 'probe:mine(.*size=512)$' lines)" = 1000 ] || fail "trace: $(head -n 5 lines)"
"$CUPEL" probe -F 'vfs_wri*' >list 2>log || fail "-F: $?"
grep -qx vfs_write list || fail "-F: $(cat list)"

"$CUPEL" funccount vfs_raed 2>log && fail "an unknown function is taken"
grep -q "no function vfs_raed that can be probed" log || fail "an unknown function"
grep -q "did you mean 'vfs_read'" log || fail "no near name"

"$CUPEL" funccount vfs_read >counts 2>log &
sleep 1
kill -KILL $!
wait $! 2>/dev/null
[ -z "$(cat $tracefs/kprobe_events)" ] || fail "a probe stayed behind"

# The same through tracefs: values of arguments and results, counts, lines; removed after any end.
none_left() {
	[ -z "$(cat $tracefs/kprobe_events)" ]
}
# shellcheck disable=SC2086
"$CUPEL" record --tracefs -o t.data -e 'kprobe:vfs_write size=arg3:u64' -e 'kretprobe:vfs_write got=$retval' \
	-- $copy bs=512 2>log || fail "record --tracefs: $?"
none_left || fail "record --tracefs leaves $(cat $tracefs/kprobe_events)"
"$CUPEL" script -F event,trace -i t.data >script 2>log || fail "script: $?"
[ "$(grep -c '^ *probe:vfs_write: .* size=512$' script)" = 1000 ] || fail "in tracefs: $(head -n 20 script)"
[ "$(grep -c '^ *probe:vfs_write__return: .* got=512$' script)" = 1000 ] || fail "in tracefs: $(head -n 20 script)"
# shellcheck disable=SC2086
"$CUPEL" stat -x, --tracefs -e kprobe:vfs_write -- $copy 2>counts || fail "stat --tracefs: $?"
grep -Eq '^10(0[0-9]|10),,probe:vfs_write,' counts || fail "stat --tracefs: $(cat counts)"
# shellcheck disable=SC2086
"$CUPEL" trace --tracefs --no-syscalls -e 'kprobe:vfs_write size=arg3' -- $copy bs=512 2>lines || fail "trace --tracefs: $?"
[ "$(grep -c 'probe:vfs_write(.*size=512)$' lines)" = 1000 ] || fail "trace --tracefs: $(head -n 5 lines)"
"$CUPEL" probe --tracefs 'held=vfs_write size=arg3' -- cat $tracefs/kprobe_events >list 2>log || fail "hold: $?"
grep -q '^p:probe/held vfs_write.* size=' list || fail "hold: $(cat list)"
none_left || fail "probe --tracefs leaves $(cat $tracefs/kprobe_events)"
for way in record 'probe held=vfs_write'; do
	case $way in
	record) "$CUPEL" record --tracefs -a -o t.data -e 'kprobe:vfs_write' 2>log & ;;
	*) "$CUPEL" probe --tracefs held=vfs_write >log 2>&1 & ;;
	esac
	pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! none_left && break
		sleep 1
	done
	! none_left || fail "$way: no probe"
	kill -KILL $pid
	wait $pid 2>/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		none_left && break
		sleep 1
	done
	none_left || fail "$way, killed, leaves $(cat $tracefs/kprobe_events)"
done
"$CUPEL" record --tracefs -o t.data -e kprobe:vfs_raed -- true 2>log && fail "an unknown function is taken"
none_left || fail "a refused probe leaves $(cat $tracefs/kprobe_events)"

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
