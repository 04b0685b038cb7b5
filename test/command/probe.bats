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
