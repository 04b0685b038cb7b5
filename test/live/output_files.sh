#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The modes of all outputs: 0600 for recordings and archives, for others by the umask. No output is
# written through a symbolic link of another user, and none replaces an input of its command.
set -u
[ "$(id -u)" = 0 ] || {
	echo "needs root"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
umask 027
cmd() { timeout -k 1 -s KILL 60 "$CUPEL" "$@" >/dev/null 2>err; }

cmd record -q -F 2000 -o in.data -- sh -c 'i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done'
cmd sched record -o in.sched -- true

# Each command writes to the file in its last argument.
outputs=('600 record -q -F 99 -o' '600 record -q -F 99 -z -o' '600 sched record -o'
	'600 flamegraph -q -F 2000 -o x.svg --save' '640 flamegraph in.data -o' '640 convert --format folded in.data -o'
	'640 report in.data -o' '640 collapse in.data -o' '640 heatmap in.data -o' '640 diff --format html in.data in.data -o'
	'640 timechart -i in.sched -o' '600 archive in.data -o' '600 inject -i in.data -o')
for row in "${outputs[@]}"; do
	read -r mode words <<<"$row"
	program=()
	case $words in *record*|*--save) program=(-- sh -c 'i=0; while [ $i -lt 99999 ]; do i=$((i+1)); done') ;; esac
	rm -f out out.old
	# shellcheck disable=SC2086 # words
	cmd $words out "${program[@]}"
	[ "$(stat -c %a out 2>/dev/null)" = "$mode" ] || {
		echo "FAIL: $words: mode $(stat -c %a out 2>&1), wanted $mode: $(cat err)"
		failed=1
	}
	for victim in full empty missing; do
		rm -f out out.old victim
		case $victim in full) echo precious >victim ;; empty) : >victim ;; esac
		ln -s victim out
		chown -h nobody out
		# shellcheck disable=SC2086 # words
		cmd $words out "${program[@]}"
		case $victim in
		full) [ "$(cat victim)" = precious ] ;;
		empty) [ ! -s victim ] ;;
		missing) [ ! -e victim ] ;;
		esac || {
			echo "FAIL: $words: wrote through a link of another user ($victim)"
			failed=1
		}
	done
done

# The input of a command cannot be its output, by any name.
cp in.data in.before
cp in.sched sched.before
ln -s in.data symbolic
ln in.data hard
cp in.data other.data
refused=('flamegraph in.data -o in.data' 'flamegraph in.data -o symbolic' 'flamegraph symbolic -o hard'
	'convert --format folded in.data -o in.data' 'collapse in.data -o hard' 'heatmap in.data -o in.data'
	'annotate -i in.data -o in.data' 'report --stdio -i in.data -o ./in.data'
	'diff -o in.data in.data other.data' 'diff -o symbolic other.data in.data' 'inject -i in.data -o symbolic'
	'archive in.data -o hard' 'timechart -i in.sched -o in.sched'
	'flamegraph -o in.data -')
for words in "${refused[@]}"; do
	# shellcheck disable=SC2086 # words
	! cmd $words <in.data && grep -q "the output would replace the input" err && [ -z "$(find . -name "*.tmp")" ] &&
		cmp in.data in.before && cmp in.sched sched.before && [ in.data -ef hard ] && [ in.data -ef symbolic ] || {
		echo "FAIL: $words: wanted a refusal: $(cat err)"
		failed=1
		cp in.before in.data
		ln -f in.data hard
		ln -sf in.data symbolic
		cp sched.before in.sched
	}
done
cmd flamegraph in.data -o /dev/null && cmd flamegraph - -o piped.svg <in.data || {
	echo "FAIL: an output beside the input: $(cat err)"
	failed=1
}

# Names in messages are tidy.
odd=$'o\nout'
for words in 'record -F 99' 'archive in.data' 'timechart -i in.sched' 'flamegraph in.data'; do
	program=()
	case $words in record*) program=(-- true) ;; esac
	rm -f "$odd" out*
	# shellcheck disable=SC2086 # words
	cmd $words -o "$odd" "${program[@]}"
	[ -e "$odd" ] && grep -q 'o?out' err && ! grep -q '^out' err || {
		echo "FAIL: $words: a name with a newline: $(cat err)"
		failed=1
	}
done

# Switched files: their common prefix is a link of another user.
: >victim
rm -f out*
ln -s victim out
chown -h nobody out
cmd record -q -F 99 --switch-output=1s -o out -- true
[ ! -s victim ] || {
	echo "FAIL: --switch-output wrote through a link"
	failed=1
}
exit $failed
