#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# alone: records the whole machine
# Copies of recordings: perf and cupel read the same data as from the original, from files and pipes.
# Build ids, generated code and merged waits equal those of perf inject.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
for need in gcc perf; do
	if ! command -v "$need" >/dev/null; then
		echo "needs $need"
		exit 77
	fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch/home"
mkdir "$HOME"
cd "$scratch"
printf '%s\n' 'static volatile long sum;' \
	'__attribute__((noinline)) void spin(void) { for (long i = 0; i < 200000000; i++) sum += i; }' \
	'int main(void) { spin(); return 0; }' >work.c
gcc -O1 -g -fno-omit-frame-pointer -o program work.c
perf record -q -B -N -e cpu-clock -F 500 -g -o perf.data -- ./program
perf record -q -e cpu-clock -F 500 -g -o - -- ./program >pipe.data 2>/dev/null
perf record -q -z -e cpu-clock -F 500 -g -o packed.data -- ./program 2>/dev/null || rm -f packed.data
timeout -k 1 -s KILL 60 "$CUPEL" record -q -o cupel.data -- ./program

alike() { # READER IN OUT: the samples are the same
	"$1" script -i "$2" 2>/dev/null >in.txt
	"$1" script -i "$3" 2>/dev/null >out.txt
	[ -s in.txt ]
	cmp in.txt out.txt
}
for data in perf.data pipe.data packed.data cupel.data; do
	[ -e $data ] || continue
	"$CUPEL" inject -i $data -o copy.data
	"$CUPEL" inject -i $data >copy.pipe
	"$CUPEL" inject -i - <$data >copy.twice
	for copy in copy.data copy.pipe copy.twice; do
		alike perf $data $copy
		alike "$CUPEL" $data $copy
	done
	"$CUPEL" inject copy.pipe -o back.data
	alike perf $data back.data
done

# names that a recording keeps are in each copy, and stock perf copies the recording too
perf inject -i cupel.data -o theirs.data
alike perf cupel.data theirs.data
alike "$CUPEL" cupel.data theirs.data
"$CUPEL" inject -i cupel.data -o copy.data
"$CUPEL" inject -i cupel.data >copy.pipe
"$CUPEL" inject -i - <cupel.data >copy.twice
mv program away
mv "$HOME" without
for copy in theirs.data copy.data copy.pipe copy.twice; do
	"$CUPEL" report --stdio -i $copy 2>/dev/null | grep -q spin || {
		echo "$copy has no names"
		exit 1
	}
done
"$CUPEL" report --stdio -i - <copy.pipe 2>/dev/null | grep -q spin
mv without "$HOME"
mv away program

# the copy of a damaged recording is damaged
# shellcheck disable=SC2046 # two numbers: where the data begins, and its size
set -- $(od -An -tu8 -j40 -N16 perf.data)
head -c $(($1 + $2 / 2)) perf.data >cut.data
"$CUPEL" inject -i cut.data -o copy.data 2>said
grep -q 'cupel: warning: the recording is damaged, and its copy says so: truncated data section' said
"$CUPEL" inject -i copy.data 2>/dev/null >copy.pipe
for data in cut.data copy.data copy.pipe; do
	"$CUPEL" report --stdio -i $data 2>/dev/null | grep '^# Damaged\|^# Missing' >$data.damage
	[ "$(wc -l <$data.damage)" = 2 ]
	cmp cut.data.damage $data.damage
done

# build ids, compared with perf
[ -z "$(perf buildid-list -i perf.data | grep -v '^ ')" ]
"$CUPEL" inject -b -i perf.data -o ids.data
perf inject -b -i perf.data -o theirs.data
for data in ids theirs; do
	perf buildid-list -i $data.data | grep -v vdso | sort >$data.list
done
comm -13 ids.list theirs.list >missing
[ ! -s missing ] || {
	cat missing
	exit 1
}
"$CUPEL" buildid-list -i ids.data | sort | comm -13 - ids.list | cmp - /dev/null
alike perf perf.data ids.data
"$CUPEL" inject --buildid-all -i perf.data -o all.data
perf buildid-list -i all.data | grep -q "^[0-9a-f]* .*/libc"
id=$(perf buildid-list -i ids.data | awk '/program$/ { print $1 }')
mv program away
"$CUPEL" inject -b -i perf.data -o none.data
! perf buildid-list -i none.data | grep '^[0-9a-f].*program$'
"$CUPEL" inject -b --known-build-ids "$id $PWD/program" -i perf.data -o known.data
perf buildid-list -i known.data | grep -qx "$id $PWD/program"
mv away program

# an archive becomes a recording with kept names
"$CUPEL" archive -o archive.tar.gz perf.data 2>/dev/null
"$CUPEL" inject -i archive.tar.gz -o named.data
mv program away
"$CUPEL" report --stdio -i named.data | grep -q spin
mv away program

# generated code
if command -v node >/dev/null; then
	mkdir jit
	cd jit
	perf record -q -k mono -e cpu-clock -F 500 -g -o jit.data -- node --perf-prof -e '
		function hotNumbers(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s }
		let t = 0; const end = Date.now() + 700
		while (Date.now() < end) t += hotNumbers(1e5)' >/dev/null
	perf inject -j -i jit.data -o theirs.data
	perf script -i theirs.data -F ip,sym 2>/dev/null >theirs.txt
	# source lines of the function; its compiled versions have them
	lines() {
		for file in $(grep -l hotNumbers jitted-* | sort); do
			readelf -wL "$file" 2>/dev/null | awk -v file="$file" '$2 ~ /^[0-9]+$/ && $3 ~ /^0x/ { print file, $1, $2, $3 }'
		done
	}
	lines >theirs.lines
	rm jitted-*
	"$CUPEL" inject -j -i jit.data -o ours.data
	lines >ours.lines
	[ -s ours.lines ]
	diff ours.lines theirs.lines | head -20 >changed.lines
	[ ! -s changed.lines ] || {
		cat changed.lines
		exit 1
	}
	perf script -i ours.data -F ip,sym 2>/dev/null >ours.txt
	grep -q hotNumbers ours.txt
	cmp ours.txt theirs.txt || {
		diff ours.txt theirs.txt | head
		exit 1
	}
	rm jit-*.dump
	"$CUPEL" report --stdio -i ours.data | grep -q 'jitted-.*hotNumbers'
	cd ..
fi

# waits
if perf record -q -e sched:sched_switch -e sched:sched_stat_runtime -g -a -o sched.data -- \
	sh -c 'for i in 1 2 3 4 5; do sleep 0.02; done' 2>/dev/null; then
	perf inject -s -i sched.data -o theirs.data
	"$CUPEL" inject -s -i sched.data -o ours.data
	for data in ours theirs; do
		perf script -i $data.data -F comm,tid,time,period,event,ip,sym 2>/dev/null >$data.txt
	done
	grep -q sched_switch ours.txt
	cmp ours.txt theirs.txt
fi
! "$CUPEL" inject -s -i perf.data -o ours.data 2>said
grep -q 'off-cpu' said
echo "copies read alike: $(wc -l <ids.list) build ids"
