#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Hardware counters, on an emulated CPU that counts each instruction as one cycle: counts of a program
# that executes a known number of instructions, multiplexed and not, in every layout.
failed=0
million=1000000
event=armv8_pmuv3/inst_retired/u

fail() {
	echo "$*"
	failed=1
}

# has FILE PATTERN
has() {
	grep -Eq "$2" "$1" && return
	echo "no line with $2:"
	cat "$1"
	failed=1
}

# near WHAT VALUE EXPECTED PERCENT
near() {
	awk -v value="$2" -v expected="$3" -v percent="$4" 'BEGIN {
		off = value - expected
		exit !(value != "" && (off < 0 ? -off : off) <= expected * percent / 100)
	}' || fail "$1: $2 instead of $3, tolerance $4 %"
}

# value EVENT FILE: of -x,
value() {
	awk -F, -v event="$1" '$3 == event { print $1 }' "$2"
}

"$CUPEL" stat -x, -o none -e instructions:u -- /helper/counted 0 || exit 1
"$CUPEL" stat -x, -o loop -e '{cycles:u,instructions:u}' -- /helper/counted 20 || exit 1
start=$(value instructions:u none)
near "instructions" "$(value instructions:u loop)" $((start + 40 * million)) 0.01
near "cycles" "$(value cycles:u loop)" $((start + 40 * million)) 0.01
"$CUPEL" stat -o text -e cycles,instructions -- /helper/counted 20 || exit 1
has text ' instructions +# +1\.00 +insn per cycle'
! grep -q '%)$' text || fail "a percentage of time, although all were counted all the time: $(cat text)"

# more events than counters
many=$event
for _ in 1 2 3 4 5 6 7 8 9; do
	many=$many,$event
done
"$CUPEL" stat -x, -o many -e $many -- /helper/counted 100 || exit 1
[ "$(grep -c $event many)" -eq 10 ] || fail "not ten events: $(cat many)"
grep $event many | while IFS=, read -r count _ _ running percent _; do
	near "scaled" "$count" $((start + 200 * million)) 2 || exit 1
	near "percentage of time" "$percent" 60 15
	near "counted" "$(awk "BEGIN { print $count * $percent / 100 / $running }")" 1 3
	exit $failed
done || failed=1
"$CUPEL" stat -o text -e $many -- /helper/counted 50 || exit 1
[ "$(grep -cE " $event +\([4-8][0-9]\.[0-9]{2}%\)$" text)" -eq 10 ] ||
	fail "no percentages of time: $(cat text)"
"$CUPEL" stat -j -o json -e $many -- /helper/counted 50 || exit 1
[ "$(grep -cE '"pcnt-running" : [4-8][0-9]\.[0-9]{2}' json)" -eq 10 ] ||
	fail "no percentages of time: $(cat json)"

# Groups count all of their events at the same time, so their counts are equal; two of four events take
# turns on the six counters.
four=$event,$event,$event,$event
"$CUPEL" stat -x, -o groups -e "{$four},{$four}" -- /helper/counted 50 || exit 1
[ "$(awk -F, -v event=$event '$3 == event { print $1, $4 }' groups | sort -u | wc -l)" -eq 2 ] ||
	fail "events of one group have different counts: $(cat groups)"
for count in $(value $event groups); do
	near "scaled in a group" "$count" $((start + 100 * million)) 4
done
"$CUPEL" stat -o text -e "{$many}" -- /helper/counted 1 || exit 1
has text 'not counted here: .*its group has more events than the CPU has counters'
"$CUPEL" stat -x, -o weak -e "{$many}:W" -- /helper/counted 50 || exit 1
[ "$(value $event weak | wc -l)" -eq 10 ] || fail "a weak group is not split: $(cat weak)"
! grep -q 'not ' weak || fail "a weak group is not split: $(cat weak)"

# intervals add up; runs have the mean
"$CUPEL" stat -x, -I 20 -o intervals -e instructions:u -- /helper/counted 50 || exit 1
near "sum of intervals" "$(awk -F, '/instructions/ { sum += $2 } END { print sum }' intervals)" \
	$((start + 100 * million)) 0.01
[ "$(grep -c instructions intervals)" -ge 4 ] || fail "too few intervals: $(cat intervals)"
"$CUPEL" stat -x, -r 3 -o runs -e instructions:u -- /helper/counted 10 || exit 1
near "mean of three runs" "$(value instructions:u runs)" $((start + 20 * million)) 0.01

"$CUPEL" list pmu >list || exit 1
has list 'armv8_pmuv3/inst_retired/'
"$CUPEL" list hw | tr -s ' \n' '  ' >list
has list ' instructions that were completed [^(]' # no "not on this CPU"
"$CUPEL" list metric | tr -s ' \n' '  ' >list
has list ' insn_per_cycle OR IPC instructions in a cycle [^(]'
has list ' TopdownL1 [^(]*\(not on this CPU' # its events have Intel's numbers
# a name of libpfm4, which does not know the emulated CPU
export LIBPFM_FORCE_PMU=arm_ac57
"$CUPEL" list pfm >list || exit 1
has list '^  BRANCH_MISPRED +'
"$CUPEL" stat -x, -o vendor -e arm_ac57::INST_RETIRED:u -- /helper/counted 10 || exit 1
near "by the vendor's name" "$(value arm_ac57::INST_RETIRED:u vendor)" $((start + 20 * million)) 0.01
"$CUPEL" doctor -v >doctor
has doctor 'hardware-events.*armv8_pmuv3'
exit $failed
