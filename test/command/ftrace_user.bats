#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel ftrace -x: calls of a program's functions.

# shellcheck source=test/command/ftrace.bash
. "$BATS_TEST_DIRNAME/ftrace.bash"

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
	cat >prog.c <<-'C'
		#include <setjmp.h>
		#include <stdlib.h>
		static jmp_buf env;
		static volatile int sink;
		__attribute__((noinline)) void parse_item(int n) { sink += n; }
		__attribute__((noinline)) void parse_jump(int n) { if (n) parse_jump(n - 1); else longjmp(env, 1); sink++; }
		__attribute__((noinline)) void parse_file(int n) { for (int i = 0; i < n; i++) parse_item(i); sink++; }
		__attribute__((noinline)) void parse_all(void) {
			parse_file(2);
			if (!setjmp(env)) parse_jump(1);
			parse_item(9);
			sink++;
		}
		int main(int argc, char **argv) {
			parse_all();
			for (long i = argc > 1 ? atol(argv[1]) : 0; i; i--) parse_item(1);
			return 3;
		}
	C
	gcc -O2 -g -o prog prog.c || skip "no C compiler"
}

needs_probes() {
	"$CUPEL" ftrace -x ./prog -F parse_all -o /dev/null -- ./prog || [ $? -eq 3 ] ||
		skip "no functions can be probed here"
}

# Lines without CPUs, threads and times.
shape() {
	sed -n 's/^ *[0-9]*) *prog-[0-9]* *| [^|]* |  //p' "$1"
}

@test "functions of a source file" {
	needs_probes
	run "$CUPEL" ftrace -x ./prog -F '*_file@prog.c' -F 'm*@prog.c' -o out -- ./prog
	[ "$status" -eq 3 ]
	shape out >got
	diff - got <<-'END'
		main() {
		  parse_file();
		} /* main */
	END
	run "$CUPEL" ftrace -x ./prog -F '*@other.c' -- ./prog
	[ "$status" -eq 1 ]
	[[ $output == *"no functions of a file other.c"* ]]
}

@test "calls are nested, also after longjmp" {
	needs_probes
	run "$CUPEL" ftrace -x ./prog -F 'parse*' -o out -- ./prog
	[ "$status" -eq 3 ]
	[[ $output == *"4 functions of ./prog; a call will take about "* ]]
	shape out >got
	diff - got <<-'END'
		parse_all() {
		  parse_file() {
		    parse_item();
		    parse_item();
		  } /* parse_file */
		  parse_jump() {
		    parse_jump() {
		  parse_item();
		} /* parse_all */
	END
}

@test "the depth hides what is deeper; several globs are added" {
	needs_probes
	"$CUPEL" ftrace -x ./prog -F 'parse_f*' -F parse_all -D 1 -o out -- ./prog || [ $? -eq 3 ]
	[ "$(shape out)" = "parse_all();" ]
	"$CUPEL" ftrace -x ./prog -F 'parse_f*' -F parse_all -o out -- ./prog || [ $? -eq 3 ]
	[ "$(shape out | tr -d '\n')" = "parse_all() {  parse_file();} /* parse_all */" ]
}

@test "JSON and stacks for a flame graph have the same calls" {
	needs_probes
	"$CUPEL" ftrace -x ./prog -F 'parse*' --json -o json -- ./prog || [ $? -eq 3 ]
	python3 - json <<-'PY'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		leaves = [r for r in rows if r["type"] == "leaf"]
		assert [r["name"] for r in leaves] == ["parse_item"] * 3, leaves
		assert [r["depth"] for r in leaves] == [2, 2, 1], leaves
		assert all(r["comm"] == "prog" and r["duration_ns"] > 0 for r in leaves)
	PY
	"$CUPEL" ftrace -x ./prog -F 'parse*' --folded -o out.folded -- ./prog || [ $? -eq 3 ]
	grep -Eq '^prog;parse_all;parse_file;parse_item [1-9][0-9]*$' out.folded
	"$CUPEL" flamegraph -o out.svg out.folded
	grep -q parse_item out.svg
}

@test "probes that take too much time are removed, and the program runs on" {
	needs_probes
	run "$CUPEL" ftrace -x ./prog -F parse_item --max-cost 1 -o out -- ./prog 300000
	[ "$status" -eq 3 ]
	[[ $output == *"tracing stopped early"*"--max-cost"* ]]
	[ "$(wc -l <out)" -lt 300000 ]
}

@test "without a target the functions are listed; unknown ones are refused" {
	run "$CUPEL" ftrace -x ./prog -F 'parse*'
	[ "$status" -eq 0 ]
	[[ $output == *"prog:parse_file: "* ]]
	run "$CUPEL" ftrace -x ./prog -F pars_file -- ./prog
	[ "$status" -eq 1 ]
	[[ $output == *"did you mean 'parse_file'"* ]]
	run "$CUPEL" ftrace -x ./prog -- ./prog
	[ "$status" -eq 2 ]
	[[ $output == *"-x requires -F"* ]]
	run "$CUPEL" ftrace --folded -- ./prog
	[ "$status" -eq 2 ]
}

@test "a program with exceptions lives, and calls that they leave are closed" {
	needs_probes
	cat >throws.cc <<-'C'
		#define FUNCTION extern "C" __attribute__((noinline))
		FUNCTION int parse_item(int n) { asm volatile("" ::: "memory"); if (n) throw n; return n; }
		FUNCTION int parse_never(int n) { asm volatile("" ::: "memory"); throw n; }
		FUNCTION int parse_list(int n) {
			asm volatile("" ::: "memory");
			try { n ? parse_list(n - 1) : parse_item(1); } catch (long) { }
			asm volatile("" ::: "memory");
			return n + 1;
		}
		FUNCTION int parse_all(int n) {
			try { parse_list(n); } catch (int) { n++; }
			try { parse_never(n); } catch (int) { n++; }
			return n + parse_item(0);
		}
		int main() { return parse_all(1); }
	C
	g++ -O1 -o throws throws.cc || skip "no C++ compiler"
	run "$CUPEL" ftrace -x ./throws -F '*' -o all -- ./throws
	[ "$status" -eq 3 ]
	run "$CUPEL" ftrace -x ./throws -F 'parse_*[a-z]' -F parse_all -o out -- ./throws
	[ "$status" -eq 3 ]
	sed -n 's/^ *[0-9]*) *throws-[0-9]* *| [^|]* |  //p' out | grep -v '\.cold' >got
	diff - got <<-'END'
		parse_all() {
		  parse_list() {
		    parse_list() {
		      parse_item() {
		  parse_never() {
		  parse_item();
		} /* parse_all */
	END
}

@test "returns of Go functions, and behind an offset, are refused" {
	gcc -O1 -o plain prog.c
	objcopy --add-section .gopclntab=prog.c plain gone
	run "$CUPEL" ftrace -x ./gone -F 'parse*' -o out -- ./gone
	[ "$status" -eq 1 ]
	[[ $output == *"returns of Go functions cannot be probed"* ]]
	run "$CUPEL" ftrace -x ./prog -F parse_all+4 -o out -- ./prog
	[ "$status" -eq 2 ]
	[[ $output == *"only whole functions"* ]]
	[ ! -e out ]
}

@test "nothing stays behind when it is killed" {
	needs_probes
	before=$(cat /sys/kernel/tracing/uprobe_events 2>/dev/null || :) # nothing where tracefs is not mounted
	for _ in {1..20}; do
		"$CUPEL" ftrace -x ./prog -F parse_item --max-cost 100 -o out -- ./prog 100000000 3>&- 2>/dev/null &
		pid=$!
		is_traced() {
			traced=$(pgrep -P $pid -x prog) && [ -s out ]
		}
		wait_for is_traced
		kill -KILL $pid
		wait $pid || :
		kill -KILL $traced
		rm -f out
	done
	[ "$before" = "$(cat /sys/kernel/tracing/uprobe_events 2>/dev/null || :)" ]
	[ ! -e "/sys/kernel/tracing/instances/cupel-$pid" ]
}
