#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel probe: source lines and variables, as perf prints them.

setup() {
	cat >"$BATS_TEST_TMPDIR/work.c" <<-'END'
	struct point { int x, y; };
	static int __attribute__((noinline)) work(struct point *p, long n)
	{
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum += p->x * i;
		return sum;
	}
	int main(int argc, char **argv)
	{
		struct point p = { argc, 2 };
		return work(&p, argc + 3) == (argv == 0);
	}
	END
	cd "$BATS_TEST_TMPDIR" || exit
	gcc -g -O0 -o work work.c
}

@test "lines and variables are those of perf" {
	perf probe -x ./work -L main >/dev/null 2>&1 || skip "no perf with DWARF"
	for option in -Lwork -Lmain -Lwork:2-4 -Lwork.c:3-7 -Lwork:2+2 -Vwork -Vwork:4 -Vmain; do
		diff <(perf probe -x ./work "$option" 2>&1) <("$CUPEL" probe -x ./work "$option")
	done
}

@test "variables of a place" {
	run "$CUPEL" probe -x ./work -V work
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Available variables at work" ]
	[[ "$output" == *"struct point*	p"* ]]
}

@test "bad input names the cause and what to do" {
	run "$CUPEL" probe -x ./work -V work+0x99999
	[ "$status" -eq 1 ]
	[[ $output == *"work+0x99999 is behind the function's end"* ]]
	run "$CUPEL" probe -x ./work -V wrok
	[ "$status" -eq 1 ]
	[[ "$output" == *"has no function 'wrok'"*"did you mean 'work'?"* ]]
	run "$CUPEL" probe -x ./work -L work:99
	[ "$status" -eq 1 ]
	[[ "$output" == *"no code at these lines"* ]]
	strip -o stripped work
	run "$CUPEL" probe -x ./stripped -V work
	[ "$status" -eq 1 ]
	[[ "$output" == *"no debug info"*"-dbgsym"* ]]
	run "$CUPEL" probe -V work
	[ "$status" -eq 2 ]
	run "$CUPEL" probe -x ./work
	[ "$status" -eq 2 ]
}

# Settings of these tests are not the user's.
settings() {
	export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/settings
	mkdir -p "$XDG_CONFIG_HOME"
}

@test "functions that can be probed" {
	run "$CUPEL" probe -x ./work -F
	[ "$status" -eq 0 ]
	[[ $'\n'$output$'\n' == *$'\nmain\n'*$'\nwork\n'* ]]
	[[ $output != *_start* ]]
	run "$CUPEL" probe -x ./work -F 'w*|main'
	[ "$output" = $'main\nwork' ]
	run "$CUPEL" probe -x ./work -F --filter 'wo* & !*rk'
	[ "$status" -eq 1 ]
	[[ $output == *"no function matches"* ]]
}

@test "definitions are kept under perf's names, listed, and removed" {
	settings
	run "$CUPEL" probe -x ./work 'work p->x n sum:u32'
	[ "$status" -eq 0 ]
	[[ $output == *"Added new event:"*"probe_work:work "*"(on work in $PWD/work with x=p->x n=n sum=sum:u32)"* ]]
	[ "$(stat -c %a "$XDG_CONFIG_HOME/cupel/probes")" = 600 ]
	run "$CUPEL" probe -x ./work --add work
	[ "$status" -eq 1 ]
	[[ $output == *"a probe of this name is defined"*"-f"* ]]
	"$CUPEL" probe -q -f -x ./work --add 'work $params'
	"$CUPEL" probe -q -x ./work 'work%return $retval'
	"$CUPEL" probe -q -x ./work 'work:3 i'
	"$CUPEL" probe -q -x ./work 'mine:first=work+4'
	run "$CUPEL" probe -l
	[ "$status" -eq 0 ]
	[[ $output == *"mine:first "*"(on work+4 in $PWD/work) [cupel]"* ]]
	[[ $output == *"probe_work:work_1 "*"with p=p n=n) [cupel]"* ]]
	[[ $output == *"probe_work:work_L3 "*"(on work:3 in $PWD/work with i=i) [cupel]"* ]]
	[[ $output == *"probe_work:work__return (on work%return in $PWD/work with retval=\$retval) [cupel]"* ]]
	run "$CUPEL" probe -l 'mine:*'
	[[ $output == *first* && $output != *probe_work* ]]
	sed 's/work(/walk(/' work.c >walk.c
	gcc -g -O0 -o work walk.c
	run "$CUPEL" probe -l probe_work:work
	[[ $output == *"[cupel] ["*"no function work]"* ]]
	run "$CUPEL" probe -d 'probe_work:*'
	[ "$status" -eq 0 ]
	[ "$(grep -c '^Removed event: probe_work:work' <<<"$output")" -eq 4 ]
	run "$CUPEL" probe -d 'probe_work:*'
	[ "$status" -eq 1 ]
	# other users than root may not see those of the kernel
	[[ $output == *"no probe matches 'probe_work:*'"* || $output == *"may be read by root"* || $output == *tracefs* ]]
	run "$CUPEL" probe -l
	[ "$(grep -c '\[cupel\]' <<<"$output")" -eq 1 ]
}

@test "names of definitions are those of perf" {
	settings
	perf probe -x ./work -D main >/dev/null 2>&1 || skip "no perf with DWARF"
	for definition in main work work+4 work%return work:3 work.c:7 other=work 'g1:x=work' 'work;sum*'; do
		theirs=$(perf probe -x ./work -D "$definition" 2>/dev/null | sed -n '1s/^[pr]:\([^ ]*\) .*/\1/p' | tr / :)
		ours=$("$CUPEL" probe -n -x ./work "$definition" 2>&1 | awk 'NR == 2 { print $1 }')
		[ "$ours" = "$theirs" ] || { echo "$definition: $ours, perf: $theirs"; false; }
	done
}

@test "static probes have perf's names" {
	settings
	cat >static.c <<-'END'
	#define SDT(provider, name, argument) \
		__asm__ volatile("990: nop\n.pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n" \
			".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
			"993: .8byte 990b, 0, 0\n.asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" argument "\"\n" \
			"994: .balign 4\n.popsection")
	int main(void) { SDT("app", "req", "4@$5"); SDT("app", "done", ""); return 0; }
	END
	gcc -o static static.c
	run "$CUPEL" probe -x ./static '%app:req arg1'
	[ "$status" -eq 0 ]
	[[ $output == *"sdt_app:req "*"(on %app:req in $PWD/static with arg1=arg1)"* ]]
	run "$CUPEL" probe -x ./static 'mine:end=%sdt_app:done'
	[[ $output == *"mine:end "*"(on %app:done in "* ]]
	run "$CUPEL" probe -l
	[[ $output != *"[cupel] ["* && $output == *"%app:req"* ]]
	run "$CUPEL" probe -x ./static '%app:none'
	[ "$status" -eq 1 ]
	[[ $output == *"no static probe (USDT) none"* ]]
}

@test "functions of C++ are chosen by their parameters" {
	settings
	cat >over.cc <<-'END'
	#include <string>
	namespace ns {
	__attribute__((noipa)) int f(int a) { return a; }
	__attribute__((noipa)) int f(double a) { return (int)a; }
	__attribute__((noipa)) int f(const char *s, int n) { return s[n]; }
	__attribute__((noipa)) int f(const std::string &s) { return (int)s.size(); }
	struct S { __attribute__((noipa)) int get() { return 1; } __attribute__((noipa)) int get() const { return 2; } };
	}
	int main() { ns::S s; const ns::S c; return ns::f(1) + ns::f(2.0) + ns::f("abc", 1) + ns::f("x") + s.get() + c.get() == 0; }
	END
	g++ -g -O1 -o over over.cc
	places() {
		"$CUPEL" probe -n -v -x ./over "$@" 2>&1 | grep -c '^/.*/over:'
	}
	run "$CUPEL" probe -n -v -x ./over 'ns::f(int)'
	[ "$status" -eq 0 ]
	[[ $output == *"probe_over:ns__f_int_ "*"(on ns::f(int) in "*"/over:ns::f(int): "* ]]
	for one in 'ns::f(char const*, int) n' 'ns::f(const char *,int) n s' 'ns::f(const std::string&)' 'ns::S::get() const'; do
		[ "$(places "$one")" -eq 1 ] || { echo "$one: $(places "$one")"; false; }
	done
	[ "$(places 'ns::S::get()')" -eq 2 ]
	run "$CUPEL" probe -n -x ./over ns::f
	[[ $output == *"ns::f: 4 functions have this name, and all are probed"*"'ns::f(int)'"*"'ns::f(double)'"* ]]
	run "$CUPEL" probe -n -x ./over 'ns::f(long)'
	[ "$status" -eq 1 ]
	[[ $output == *"no function ns::f(long)"*"functions of this name are: 'ns::f(int)'"* ]]
	run "$CUPEL" probe -n -x ./over 'ns::f n'
	[ "$status" -eq 1 ]
	[[ $output == *"no such variable"*"name one with its parameters"* ]]
	run "$CUPEL" probe -x ./over -V 'ns::f(double)'
	[[ $output == *"double	a"* ]]
	"$CUPEL" probe -q -x ./over 'ns::f(const char *, int) n'
	run "$CUPEL" probe -l
	[[ $output == *"(on ns::f(const char *, int) in "*" with n=n) [cupel]"* ]]
	run "$CUPEL" probe -x ./over -F 'ns::*'
	[ "${lines[0]}" = 'ns::S::get()' ] && [ "${lines[1]}" = 'ns::S::get() const' ] && [ "${#lines[@]}" -eq 6 ]
}

@test "a file without the static probe: those that it has; a file with a blank: what to do" {
	settings
	cat >two.c <<-'END'
	#define SDT(name) __asm__ volatile("990: nop\n.pushsection .note.stapsdt, \"\", \"note\"\n.balign 4\n" \
		".4byte 992f - 991f, 994f - 993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n" \
		"993: .8byte 990b, 0, 0\n.asciz \"app\"\n.asciz \"" name "\"\n.asciz \"\"\n994: .balign 4\n.popsection")
	int main(void) { SDT("begin"); SDT("begin"); SDT("end"); return 0; }
	END
	gcc -o two two.c
	run "$CUPEL" probe -n -x ./two %app:bgin
	[ "$status" -eq 1 ]
	[[ $output == *"no static probe (USDT) bgin"*"it has app:begin, app:end" ]]
	run "$CUPEL" stat -e 'probe:./a b:work' -- true
	[ "$status" -eq 1 ]
	[[ $output == *"./a: no function of the kernel"*"needs a link without"* ]]
}

@test "a glob defines a probe for each function, and names them as one event" {
	settings
	cat >many.cc <<-'END'
	namespace ns {
	template <class T> __attribute__((noipa)) T twice(T a) { return a + a; }
	__attribute__((noipa)) int one(int a) { return a; }
	__attribute__((noipa)) int two(int b) { return b; }
	}
	int main() { return ns::twice(1) + ns::twice(2L) + ns::one(1) + ns::two(2) == 0; }
	END
	g++ -g -O1 -o many many.cc
	run "$CUPEL" probe -x ./many 'ns::*'
	[ "$status" -eq 0 ]
	[[ $output == *"Added new events:"* ]]
	for name in ns__one ns__two ns__twice_int_ ns__twice_long_; do
		[[ $output == *"  probe_many:$name "* ]] || { echo "no $name"; false; }
	done
	run "$CUPEL" probe -x ./many 'mine=ns::t*%return'
	[[ $output == *"probe_many:mine "*"probe_many:mine_1 "*"probe_many:mine_2 "* ]]
	run "$CUPEL" probe -n -x ./many 'ns::[ot]?? a'
	[ "$status" -eq 0 ]
	[[ $output == *"ns::two: left out: 'a': no such variable"*"(on ns::one in "* ]]
	# all of a template
	run "$CUPEL" probe -n -v -x ./many ns::twice
	[[ $output == *"ns::twice: 2 functions have this name"*"(on ns::twice in "* ]]
	run "$CUPEL" probe -x ./many 'none*'
	[ "$status" -eq 1 ]
	[[ $output == *"no function none*"* ]]
	run "$CUPEL" probe -x c '*'
	[ "$status" -eq 1 ]
	[[ $output == *"functions: a definition is of 128 at most"* ]]
	"$CUPEL" stat -x, -o counts -e 'probe_many:ns__t*' -- ./many || skip "no probes here"
	[ "$(grep -c '^1,,probe_many:ns__t' counts)" -eq 3 ]
}

@test "removed programs are probed as /proc/PID/exe" {
	settings
	cp /bin/sleep removed
	./removed 100 &
	pid=$!
	until [ "$(cat /proc/$pid/comm)" = removed ]; do :; done
	rm removed
	run "$CUPEL" probe -n -x /proc/$pid/exe _init
	kill $pid
	[[ $output != *"no such file"* ]]
	[[ $output == *"/proc/$pid/exe"* ]]
}

@test "a dry run keeps nothing" {
	settings
	run "$CUPEL" probe -n -v -x ./work work
	[ "$status" -eq 0 ]
	[[ $output == *"This event can be defined:"*"/work:work"* ]]
	[ ! -e "$XDG_CONFIG_HOME/cupel" ]
}

@test "lines by their text" {
	settings
	run "$CUPEL" probe -n -v -x ./work 'work;*p->x*'
	[ "$status" -eq 0 ]
	[[ $output == *"(on work;*p->x* in "* ]]
	diff <("$CUPEL" probe -n -v -x ./work 'work:4' 2>&1 | grep -c ": ") \
		<("$CUPEL" probe -n -v -x ./work 'work.c;sum+=p->x*i;' 2>&1 | grep -c ": ")
	run "$CUPEL" probe -n -x ./work 'work;nothing like this'
	[ "$status" -eq 1 ]
	[[ $output == *"no line of work with code matches"* ]]
	mkdir -p elsewhere
	mv work.c elsewhere
	run "$CUPEL" probe -n -x ./work 'work;*p->x*'
	[ "$status" -eq 1 ]
	[[ $output == *"work.c"*"-s DIRECTORY"* ]]
	"$CUPEL" probe -n -s "$PWD/elsewhere" -x ./work 'work;*p->x*'
}

@test "definitions that cannot be are refused with the reason" {
	settings
	cat >opt.c <<-'END'
	int getpid(void);
	static inline __attribute__((always_inline)) int inlined(int a) { return a * 3 + 1; }
	__attribute__((noinline)) int work(int n)
	{
		int unused = getpid();
		return inlined(n) + (unused == n && getpid());
	}
	int main(int argc, char **argv) { return work(argc) + inlined(argc); }
	END
	gcc -g -O2 -o opt opt.c
	run "$CUPEL" probe -n -x ./opt inlined
	[ "$status" -eq 1 ]
	[[ $output == *"function 'inlined' is inlined everywhere"*"probe where its code is: "*"+"* ]]
	run "$CUPEL" funccount ./opt:inlined
	[[ $output == *"is inlined everywhere"* ]]
	run "$CUPEL" probe -n -x ./opt 'work unused'
	[ "$status" -eq 1 ]
	[[ $output == *"optimised out"* ]]
	run "$CUPEL" probe -n -x ./work 'work nope'
	[[ $output == *"'nope': no such variable"* ]]
	run "$CUPEL" probe -n -x ./work wrok
	[[ $output == *"no function wrok"*"did you mean 'work'?"* ]]
	run "$CUPEL" probe -n -x ./work work:99
	[[ $output == *"no code begins at this line"* ]]
	run "$CUPEL" probe -n -x ./work work.c:99
	[[ $output == *"no code begins at work.c:99"* ]]
	run "$CUPEL" probe -n -x ./work 'work@other.c'
	[[ $output == *"other.c has no such function"* ]]
	run "$CUPEL" probe -n -x ./work 'a-b=work'
	[ "$status" -eq 2 ]
	run "$CUPEL" probe -n -x ./work 'work sum sum'
	[ "$status" -eq 2 ]
	[[ $output == *"two arguments sum"*"NAME=sum"* ]]
	run "$CUPEL" probe -L work
	[ "$status" -eq 2 ]
	[[ $output == *"no program: -x FILE"* ]]
	run "$CUPEL" probe -n no_such_function_of_the_kernel
	[ "$status" -eq 1 ]
	[[ $output == *"no_such_function_of_the_kernel"* ]]
}

@test "variables that cannot be read are named, with the reason" {
	settings
	cat >real.c <<-'END'
	struct point { double x; };
	__attribute__((noinline)) int work(struct point *p, double d, int n)
	{
		__asm__ volatile("" : : "r"(p) : "memory");
		return (int)(p->x * d) + n;
	}
	int main(int argc, char **argv)
	{
		struct point p = { 2.5 };
		return work(&p, argc, argc) == (argv == 0);
	}
	END
	gcc -g -O2 -o real real.c
	run "$CUPEL" probe -n -x ./real 'work $params'
	[ "$status" -eq 0 ]
	[[ $output == *"not among the values: 'd': in a floating-point or vector register"* ]]
	[[ $output == *"with p=p n=n"* ]]
	run "$CUPEL" probe -n -x ./real 'work p->x'
	[ "$status" -eq 1 ]
	[[ $output == *"p->x: events have no floating-point values"*"argdist"* ]]
	run "$CUPEL" probe -n -x ./real 'work p'
	[ "$status" -eq 0 ]
	run "$CUPEL" argdist -H 'p:./real:work():double:p->x' -- ./real
	[ "$status" -eq 1 ]
	[[ $output == *"a histogram is of integers"* ]]
	"$CUPEL" argdist -C 'p:./real:work():double:p->x' -- ./real >out 2>&1 || skip "no probes here"
	grep -q '1 *p->x = 2.5$' out
}

@test "a function that is also inlined has a note with the places of that code" {
	settings
	cat >both.c <<-'END'
	volatile int sum;
	int helper(int a) { sum += a; return sum * a; }
	int main(int argc, char **argv) { return helper(argc + 1) == (argv == 0); }
	END
	gcc -g -O2 -o both both.c
	run "$CUPEL" probe -n -x ./both helper
	[ "$status" -eq 0 ]
	[[ $output == *"helper is also inlined"*"probe where its code is as well: main+"* ]]
	run "$CUPEL" probe -n -x ./work work
	[[ $output != *"also inlined"* ]]
}

@test "a definition has a place, and no name that the kernel has" {
	settings
	run "$CUPEL" probe -n -x ./work ''
	[ "$status" -eq 2 ]
	[[ $output == *"there is no function"* ]]
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "needs tracefs"
	run "$CUPEL" probe -n -x ./work sched:sched_switch=work
	[ "$status" -eq 1 ]
	[[ $output == *"sched:sched_switch: the kernel has an event of this name"* ]]
}

@test "a defined name is an event" {
	settings
	"$CUPEL" probe -q -x ./work 'mine:calls=work n'
	run "$CUPEL" stat -x, -e mine:calls ./work
	[[ $output != *"permission"* && $output != *"root"* ]] || skip "no probes here"
	[[ $output == *"1,,mine:calls"* ]]
	timeout -k 1 -s KILL 60 "$CUPEL" record -q -e mine:calls -o data ./work 2>log || skip "no probes here: $(cat log)"
	run "$CUPEL" script -F event,trace -i data
	[ "$(grep -c "mine:calls.*n=4" <<<"$output")" -eq 1 ]
}
