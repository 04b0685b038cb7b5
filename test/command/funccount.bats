# SPDX-License-Identifier: GPL-2.0-or-later
# cupel funccount: arguments, and what cannot be probed. test/live/funccount.sh tests the counts.

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "funccount: names what it needs" {
	run "$CUPEL" funccount
	[ "$status" -eq 2 ]
	[[ $output == *"name a function: c:malloc"* ]]
	run "$CUPEL" funccount c:malloc --
	[ "$status" -eq 2 ]
	run "$CUPEL" funccount -p 1 c:malloc -- true
	[ "$status" -eq 2 ]
}

@test "funccount: unknown users" {
	run "$CUPEL" funccount --uid no-such-user-here c:malloc
	[ "$status" -eq 1 ]
	[[ $output == *"no user 'no-such-user-here'"* ]]
}

@test "funccount: unknown functions, files, probes" {
	run "$CUPEL" funccount c:malloq
	[ "$status" -eq 1 ]
	[[ $output == *"no function malloq"*"did you mean 'malloc'"* ]]
	run "$CUPEL" funccount /nowhere:main
	[ "$status" -eq 1 ]
	[[ $output == *"/nowhere: no such file"* ]]
	run "$CUPEL" funccount nosuchlibrary:main
	[ "$status" -eq 1 ]
	[[ $output == *"nosuchlibrary: no such library or program"* ]]
	run "$CUPEL" funccount c:
	[ "$status" -eq 1 ]
	[[ $output == *"there is no function"* ]]
	run "$CUPEL" funccount /etc/passwd:main
	[ "$status" -eq 1 ]
}

@test "funccount: places that are no starts of instructions are refused" {
	[ "$(uname -m)" = x86_64 ] || skip "the instructions are of x86-64"
	printf 'asm(".globl f\\n.type f, @function\\nf: mov $0x11223344, %%eax\\nret\\n.size f, .-f");int f(void);int main(void) { return f() != 0x11223344; }\n' >mid.c
	gcc -o mid mid.c || skip "no C compiler"
	run "$CUPEL" funccount ./mid:f+1 -- ./mid
	[ "$status" -eq 1 ]
	[[ $output == *"no instruction starts at f+1"*"f+0 and f+5"* ]]
	run "$CUPEL" argdist -C './mid:f+1()' -- ./mid
	[[ $output == *"no instruction starts at f+1"* ]]
	run "$CUPEL" funccount "./mid:0x$(printf %x $((0x$(nm mid | awk '$3 == "f" { print $1 }') + 2)))" -- ./mid
	[ "$status" -eq 1 ]
	[[ $output == *"no instruction starts at f+2"* ]]
	run "$CUPEL" funccount ./mid:f+6 -- ./mid
	[ "$status" -eq 1 ]
	[[ $output == *"f+6 is behind the function's end: it has 6 bytes"* ]]
	run "$CUPEL" funccount ./mid:0x10 -- ./mid
	[ "$status" -eq 1 ]
	[[ $output == *"0x10 is in no function"* ]]
}

@test "funccount: unknown tracepoints are refused with near names" {
	[ -r /sys/kernel/tracing/events/sched ] || skip "no tracefs"
	run "$CUPEL" funccount t:sched:sched_swich
	[ "$status" -eq 1 ]
	[[ $output == *"no tracepoint sched:sched_swich"*"did you mean 'sched:sched_switch'"* ]]
}

@test "funccount: where functions of the kernel cannot be probed, tracepoints are named" {
	[ ! -e /sys/bus/event_source/devices/kprobe/type ] || skip "this kernel probes its functions"
	run "$CUPEL" funccount vfs_read
	[ "$status" -eq 1 ]
	[[ $output == *"vfs_read: this kernel has no probes in its functions"*"t:syscalls:sys_enter_read"* ]]
	run "$CUPEL" funclatency do_exit
	[ "$status" -eq 1 ]
	[[ $output == *"t:sched:sched_process_exit"* ]]
	run "$CUPEL" funccount no_such_thing
	[[ $output == *"c:no_such_thing"*"cupel list"* ]]
	run "$CUPEL" funccount vfs_read+4
	[ "$status" -eq 2 ]
	[[ $output == *"beginnings of functions"* ]]
}
