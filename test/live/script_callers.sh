#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# script names callers by the address of the call, as collapse and report do. The return address can
# belong to the next function (after a call that never returns) or to other inlined code.
set -u
cupel=${CUPEL:?path of the cupel program}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "FAIL: $*"; exit 1; }
command -v g++ >/dev/null || exit 77

cat >noreturn.c <<'END'
#include <stdlib.h>
static volatile unsigned long n;
__attribute__((noinline, noreturn)) static void spin(void)
{
	while (n < 400000000)
		n++;
	exit(0);
}
__attribute__((noinline, noipa)) void last_call(void) { spin(); }
__attribute__((noinline, noipa)) void next_function(void) { n = 0; }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 5)
		next_function();
	last_call();
	return 0;
}
END
cat >inlined.cc <<'END'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
struct shape { virtual ~shape() {} virtual double area(int n) const = 0; };
struct square : shape { double area(int n) const override { double s = 0; for (int i = 0; i < n; i++) s += i * 0.5; return s; } };
static inline double sum(const std::vector<shape *> &all, int n) { double s = 0; for (auto *x : all) s += x->area(n); return s; }
int main()
{
	std::vector<shape *> all(10, new square);
	std::map<std::string, double> by_name;
	double total = 0;
	for (int i = 0; i < 60000; i++) {
		by_name["name" + std::to_string(i % 1000)] += sum(all, 200);
		std::vector<int> v(200);
		for (size_t j = 0; j < v.size(); j++) v[j] = (int)(j * 7919 % 211);
		std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
		total += v[0];
	}
	return total < 0;
}
END
gcc -O2 -g -falign-functions=1 -fno-omit-frame-pointer -o noreturn noreturn.c || fail "gcc"
g++ -O2 -g -fno-omit-frame-pointer -o inlined inlined.cc || fail "g++"

"$cupel" record -q -g -o noreturn.data -- ./noreturn || exit 77
"$cupel" script -i noreturn.data >noreturn.txt
grep -q '[[:space:]]spin ' noreturn.txt || grep -q '[[:space:]]spin+' noreturn.txt || fail "no sample in spin"
grep -q 'last_call' noreturn.txt || fail "the caller has no name"
! grep -q 'next_function' noreturn.txt || fail "the caller has the name of the next function"
awk -v RS= '/[[:space:]]main[ +]/ && /call_init/ { bad = 1 } END { exit bad }' noreturn.txt ||
	fail "a start-up function that does not call main"

# The same stacks, from the text of script and from the recording.
for program in noreturn inlined; do
	"$cupel" record -q -g -F 997 -o $program.data -- ./$program || exit 77
	"$cupel" collapse $program.data | sort >direct
	"$cupel" script -i $program.data | "$cupel" collapse - | sort >by_text
	cmp direct by_text || { diff direct by_text | head; fail "$program: script and collapse differ"; }
done
echo "ok: callers have the same names in script and collapse"
