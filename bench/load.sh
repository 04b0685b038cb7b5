#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A mixed load for recordings: compilers, interpreters, compressors and file system work, on all CPUs
# until the given number of seconds is over. Prints nothing.
set -u
seconds=${1:?seconds}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
	for i in $(seq 300); do
		echo "int f$i(int *p, int n) { int s = $i; for (int i = 0; i < n; i++)"
		echo "	s += p[i] * s ^ (s >> 3); return s; }"
	done
} >"$work/big.c"
cat >"$work/templates.cc" <<'EOF'
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>
int main()
{
	std::map<std::string, std::vector<int>> m;
	for (int i = 0; i < 1000; i++)
		m[std::to_string(i % 37)].push_back(i);
	return std::regex_match("aab", std::regex("a*b")) + (int)m.size();
}
EOF
cat >"$work/work.py" <<'EOF'
import json, re, zlib
text = json.dumps({str(i): [i, i * i, "x" * (i % 50)] for i in range(20000)})
for _ in range(20):
    data = json.loads(text)
    words = re.findall(r'"(\d+)"', text)
    total = sum(int(w) for w in words) + sum(v[1] for v in data.values())
    zlib.compress(text.encode())
EOF
# shellcheck disable=SC2016 # Perl's variables
perl='my %h; for my $i (1 .. 400000) { $h{$i % 5000} .= chr(65 + $i % 26) } print length(join "", sort values %h)'

round() {
	case $1 in
	0) cc -O2 -c -o "$work/big.o" "$work/big.c" ;;
	1) c++ -O2 -c -o "$work/templates.o" "$work/templates.cc" 2>/dev/null ;;
	2) python3 "$work/work.py" ;;
	3) perl -e "$perl" ;;
	4) gzip -9 -c /usr/bin/python3 2>/dev/null | gzip -d ;;
	5) xz -T1 -3 -c /bin/bash ;;
	6) grep -rc main /usr/include/linux ;;
	7) find /usr/share -name '*.gz' -exec true {} + ;;
	esac >/dev/null 2>&1
}

end=$((SECONDS + seconds))
for cpu in $(seq "$(nproc)"); do
	(
		i=$cpu
		while [ $SECONDS -lt $end ]; do
			round $((i++ % 8))
		done
	) &
done
wait
