#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inlined functions and lines of 20,000 distinct addresses, beside the addr2line programs: of a large
# C++ program with one compilation unit, of libc's debug package when it is there, and of cupel. Each
# command is printed before its time; peers are stopped after BENCH_LIMIT (120) seconds, which makes
# their ratio a lower bound.
#
# Environment: CUPEL; BENCH_ADDRESSES (20000); BENCH_LIMIT.
set -u
export LC_ALL=C
count=${BENCH_ADDRESSES:-20000}
limit=${BENCH_LIMIT:-120}
frames=$(dirname "$CUPEL")/test/live/dwarf_frames
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -x "$frames" ]; then
	ninja -C "$(dirname "$CUPEL")" test/live/dwarf_frames >/dev/null || exit 1
fi

# Random addresses of executable sections, each once.
addresses() {
	python3 - "$1" "$count" <<'PYTHON'
import random, subprocess, sys
path, count = sys.argv[1], int(sys.argv[2])
text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
code = []
for line in text.splitlines():
    word = line.replace("[ ", "[").split()
    if len(word) > 8 and word[0].startswith("[") and "X" in word[7]:
        start, size = int(word[3], 16), int(word[5], 16)
        code += range(start, start + size)
for address in random.Random(1).sample(code, min(count, len(code))):
    print("%x" % address)
PYTHON
}

big_program() {
	python3 - >"$work/big.cc" <<'PYTHON'
print("#include <algorithm>\n#include <map>\n#include <memory>\n#include <string>\n#include <vector>")
for i in range(60):
    print(f"""struct S{i} {{ int a; std::string s; std::vector<int> v;
bool operator<(const S{i} &o) const {{ return a * {i + 1} < o.a; }} }};
int f{i}(int n) {{ std::map<S{i}, std::unique_ptr<int>> m; std::vector<S{i}> v;
for (int i = 0; i < n; i++) {{ v.push_back(S{i}{{i, std::to_string(i), {{i}}}});
m[v.back()] = std::make_unique<int>(i); }}
std::sort(v.begin(), v.end(), [](const S{i} &a, const S{i} &b) {{ return a.s < b.s; }});
return (int)(m.size() + v.size()); }}""")
print("int main(int c, char **) { return " + " + ".join(f"f{i}(c)" for i in range(60)) + "; }")
PYTHON
	c++ -g -O1 -o "$work/big" "$work/big.cc"
}

# timed COMMAND...: seconds, also when the limit stopped it.
timed() {
	/usr/bin/time -q -o "$work/time" -f '%e %M %x' timeout "$limit" "$@" \
		<"$work/addresses" >/dev/null 2>&1
	read -r seconds peak status <"$work/time"
	printf '  %8.2f s  %7.1f MB  %s%s\n' "$seconds" "$(awk "BEGIN { print $peak / 1024 }")" "$*" \
		"$([ "$status" -ne 124 ] || echo " (stopped)")"
}

compare() {
	addresses "$1" >"$work/addresses"
	echo "$(basename "$1"): $(wc -l <"$work/addresses") addresses, $(stat -Lc %s "$1") bytes"
	timed "$frames" -q "$1"
	cupel_seconds=$seconds
	for peer in addr2line llvm-addr2line eu-addr2line; do
		command -v "$peer" >/dev/null || continue
		timed "$peer" -a -f -i -e "$1"
		awk -v peer="$peer" -v peer_seconds="$seconds" -v cupel_seconds="$cupel_seconds" -v stopped="$status" 'BEGIN {
			printf "  %s%.1f times faster than %s -i\n", stopped == 124 ? "more than " : "",
				peer_seconds / (cupel_seconds > 0.01 ? cupel_seconds : 0.01), peer }'
	done
}

big_program && compare "$work/big"
libc=$(ldconfig -p | awk '$1 == "libc.so.6" { print $NF; exit }')
id=$(readelf -n "$libc" | awk '/Build ID/ { print $3 }')
debug=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
[ ! -f "$debug" ] || compare "$debug"
compare "$CUPEL"
