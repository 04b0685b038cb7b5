#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# Software events that are counts: samples of a program's page faults stand for all of them, at low
# rates too, with children and beside other events; an event that is seldom slows down no clock.
set -eu
if [ "$(id -u)" != 0 ]; then
	echo "needs root"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

# near VALUE TRUTH TOLERANCE
near() {
	awk -v v="$1" -v t="$2" -v d="$3" 'BEGIN { exit !(v >= t * (1 - d) && v <= t * (1 + d)) }'
}

# A period that is not complete when the program ends is no sample: one on each CPU.
near_count() {
	awk -v v="$1" -v t="$2" -v cpus="$(nproc)" 'BEGIN { exit !(v >= t * 0.98 - 100 * cpus && v <= t * 1.07) }'
}

# Number of samples, and what they stand for.
count() {
	"$CUPEL" script -F event,period -i "$1" | awk -v event="$2:" '$2 == event { n++; sum += $1 }
		END { print n + 0, sum + 0 }'
}

one='b"x" * (300 << 20)'
children='import subprocess
for i in range(20): subprocess.run(["/bin/true"])'
cat >busy.py <<'EOF'
import time
end = time.process_time() + 1
while time.process_time() < end: pass
EOF

"$CUPEL" record -q -o probe.data -- python3 -c 'sum(range(10**7))' # certainly has samples
if ! "$CUPEL" report --stats -i probe.data 2>/dev/null | grep -q 'user stacks unwound in the kernel'; then
	echo "BPF is not available here"
	exit 77
fi
for program in "$one" "$children"; do
	"$CUPEL" stat -x, -o counted -e page-faults python3 -c "$program"
	faults=$(sed -n 's/^\([0-9]*\),.*page-faults.*/\1/p' counted)
	for rate in "" "-F 99" "-F 5000" "-c 100"; do
		# shellcheck disable=SC2086 # two words
		timeout -s KILL 60 "$CUPEL" record -q $rate -e page-faults -o faults.data -- \
			python3 -c "$program"
		read -r samples sum <<<"$(count faults.data page-faults)"
		echo "$rate: $faults page faults, $samples samples stand for $sum"
		case $rate in
		-c*) near_count "$sum" "$faults" ;;
		*) near "$sum" "$faults" 0.07 ;;
		esac || fail "$rate: $sum page faults of $faults"
		[ "$samples" -ge 20 ] || fail "$rate: $samples samples of $faults page faults"
	done
done

# Clocks keep their rate, and their samples their time.
timeout -s KILL 60 "$CUPEL" record -e cpu-clock,page-faults,context-switches,cpu-migrations -o list.data -- \
	python3 busy.py >out 2>said
read -r samples sum <<<"$(count list.data cpu-clock)"
echo "a list of four: $samples samples stand for $sum ns"
near "$sum" "$((samples * 1001001))" 0.01 || fail "the clock of a list: $samples samples of $sum ns: $(cat said)"

exit $failed
