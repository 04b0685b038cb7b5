#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel annotate of one function of a library of 100 MB (LLVM, while clang compiles), beside
# perf annotate --stdio: at least 10 times faster, with at most a third of the memory. Each is run five
# times in turn, so start-up is a part of it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
CUPEL=${CUPEL:-$here/../build/cupel}
CUPEL=$(realpath "$CUPEL")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
limit=300
runs=3
missed=0
# shellcheck source=bench/timing.bash
. "$here/timing.bash"
need perf objdump clang python3
[ -x /usr/bin/time ] || need time

python3 - >"$work/big.c" <<'PYTHON'
for i in range(200):
    print(f"int f{i}(int x) {{ int a[16]; for (int i = 0; i < 16; i++) a[i] = x * i + {i};"
          f" int s = 0; for (int i = 0; i < 16; i++) s += a[(i * {i | 1}) & 15] ^ x; return s; }}")
PYTHON
perf record -q -e cpu-clock -F 499 -o "$work/perf.data" clang -O2 -c "$work/big.c" -o /dev/null
library=$("$CUPEL" report -i "$work/perf.data" --no-children -g none --sort dso -q |
	awk '$2 ~ /^libLLVM/ { print $2; exit }')
if [ -z "$library" ]; then
	echo "bench: clang does not use a shared libLLVM here" >&2
	exit 1
fi
function=$("$CUPEL" report -i "$work/perf.data" --no-children -g none --sort symbol -d "$library" -q |
	awk '$2 == "[.]" && NF == 3 && $3 !~ /^0x/ { print $3; exit }')
size=$(stat -Lc %s "$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')")
echo "$function of $library, $((size / 1000000)) MB"

five="for i in 1 2 3 4 5; do"
for _ in 1 2 3; do
	runs=1
	timed perf "$five perf annotate --stdio -f -i $work/perf.data -s '$function' -d $library; done"
	timed cupel "$five $CUPEL annotate -i $work/perf.data -s '$function' -d $library; done"
	timed cupel-all "$five $CUPEL annotate -i $work/perf.data '$function'; done"
done
ratio "annotate, faster than perf annotate --stdio" perf cupel 1 10
ratio "annotate, less memory" perf cupel 4 3
ratio "the same without --dsos, faster" perf cupel-all 1 10
ratio "the same without --dsos, less memory" perf cupel-all 4 3
exit $missed
