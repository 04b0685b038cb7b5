#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined functions and lines equal those of the installed addr2line programs, for programs of several
# compilers and for installed debug packages (Clang's DWARF 5 needs LLVM's addr2line).
set -eu
tools=$(dirname "$CUPEL")/test/live
here=$(cd "$(dirname "$0")" && pwd)
for tool in addr2line eu-addr2line readelf python3 c++; do
	if ! command -v $tool >/dev/null; then
		echo "needs $tool"
		exit 77
	fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/nest.cc" <<'SOURCE'
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>
namespace {
struct Place {
	template <class T> static inline T add(T a, T b) { return a + b * 3; }
};
inline int square(int x) { return Place::add(x * x, x); }
}
template <class F> static inline int sum(F f, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += f(i);
	return s;
}
struct Base {
	virtual int go(int) = 0;
	virtual ~Base() {}
};
struct Derived : Base {
	std::vector<int> v;
	int go(int n) override
	{
		return sum([&](int i) { v.push_back(square(i)); return v.back(); }, n);
	}
};
int main(int argc, char **)
{
	Derived d;
	int s = d.go(argc * 1000);
	std::map<std::string, int> m;
	for (int i = 0; i < argc * 10; i++)
		m[std::to_string(i)] = square(i);
	std::sort(d.v.begin(), d.v.end(), [](int a, int b) { return a % 17 < b % 17; });
	std::function<int(int)> f = [&](int i) {
		struct Inner {
			int get(int z) { return square(z) + z; }
		} inner;
		return inner.get(i) + s;
	};
	std::printf("%d %zu\n", f(argc) + s, m.size());
}
SOURCE

cd "$work"
set --
clang5=
command -v llvm-addr2line >/dev/null && clang5='clang++ -O2 -gdwarf-5'
i=0
while read -r compiler; do
	i=$((i + 1))
	# shellcheck disable=SC2086
	if [ -n "$compiler" ] && $compiler nest.cc -o "nest$i" 2>/dev/null; then
		set -- "$@" "$work/nest$i"
	fi
done <<COMPILERS
g++ -O2 -gdwarf-3
g++ -O2 -gdwarf-4
g++ -O3 -gdwarf-5 -gz
g++ -O2 -g -flto
clang++ -O2 -gdwarf-4 -fdebug-types-section -ffunction-sections -Wl,--gc-sections
$clang5
COMPILERS
id=$(readelf -n "$(ldconfig -p | awk '$1 == "libc.so.6" { print $NF; exit }')" |
	awk '/Build ID/ { print $3 }')
libc=/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
[ ! -f "$libc" ] || set -- "$@" "$libc"
python3 "$here/dwarf_frames.py" "$tools/dwarf_frames" 600 "$@"
