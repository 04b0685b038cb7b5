#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run by root, every command in `cupel help` that reads a file enters the sandbox before it opens the
# input: each waits for a FIFO, and /proc shows its remaining privileges. Then the outputs.
set -u
: "${CUPEL:?path of the cupel binary}"
[ "$(id -u)" = 0 ] || {
	echo "needs root"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

commands() {
	local name
	for name in $("$CUPEL" help | sed -n 's/^  \([a-z][-a-z]*\)  .*/\1/p'); do
		if [ "$name" = sched ]; then
			"$CUPEL" sched --help | sed -n 's/^  \([a-z][-a-z]*\)  .*/sched \1/p'
		else
			echo "$name"
		fi
	done
}

# waits_confined PID WHAT
waits_confined() {
	local status=
	for _ in $(seq 3000); do
		status=$(cat "/proc/$1/status" 2>/dev/null) || break
		grep -q 'Seccomp:.2' <<<"$status" && break
		sleep 0.02
	done
	grep -q 'Seccomp:.2' <<<"$status" || fail "$2: no filter of system calls"
	grep -q 'NoNewPrivs:.1' <<<"$status" || fail "$2: could gain privileges"
	local caps
	caps=$(sed -n 's/^CapPrm:\t//p' <<<"$status")
	((0x${caps:-0} & ~0x10400080004)) && fail "$2: capabilities $caps"
}

mkfifo input
tested=0
while read -r -a words; do
	usage=$("$CUPEL" "${words[@]}" --help)
	case "${words[*]}" in *record | *stats | *replay) continue ;; esac
	if grep -qE '^ *(-i, )?--input' <<<"$usage"; then
		words+=(-i input)
	elif head -n 1 <<<"$usage" | grep -qE 'INPUT|BEFORE'; then
		words+=(input input)
	else
		continue
	fi
	[ "${words[0]}" != convert ] || words+=(--format folded)
	"$CUPEL" "${words[@]}" >/dev/null 2>&1 &
	pid=$!
	waits_confined "$pid" "${words[*]}"
	kill "$pid"
	wait "$pid" 2>/dev/null
	tested=$((tested + 1))
done < <(commands)
[ "$tested" -ge 12 ] || fail "only $tested commands were found"

# only a command that may write a file has a second process, which opens it
for words in "collapse input" "script -i input" "sched timehist -i input" "report --stdio -i input"; do
	# shellcheck disable=SC2086 # words
	"$CUPEL" $words >/dev/null 2>&1 &
	pid=$!
	waits_confined "$pid" "$words"
	! pgrep -P "$pid" >/dev/null || fail "$words: starts a process that has nothing to do"
	kill "$pid"
	wait "$pid" 2>/dev/null
done

# what probe shows of a program is read there as well: here it waits for the source
echo 'int main(void) { return 0; }' >source.c
if cc -g -o shown source.c 2>/dev/null; then
	rm source.c
	mkfifo source.c
	"$CUPEL" probe -x ./shown -L main >/dev/null 2>&1 &
	pid=$!
	waits_confined "$pid" "probe -L"
	kill "$pid"
	wait "$pid" 2>/dev/null
fi

# named outputs are written, even over existing files, in spite of the sandbox
echo 'main;work 5' >in.folded
echo old >out.svg
"$CUPEL" flamegraph -o out.svg in.folded 2>/dev/null || fail "flamegraph -o"
grep -q '<svg' out.svg || fail "out.svg is not a picture"
"$CUPEL" report --stdio -i in.folded --output=table || fail "report --output=table"
grep -q work table || fail "table is empty"
"$CUPEL" collapse -o folded in.folded || fail "collapse -o"
"$CUPEL" convert -o out.pb.gz in.folded || fail "convert -o"
"$CUPEL" flamegraph --cp in.folded >palette.svg 2>/dev/null || fail "flamegraph --cp"
for file in folded out.pb.gz palette.map; do
	[ -s "$file" ] || fail "$file is empty"
done
"$CUPEL" flamegraph -o none/out.svg in.folded 2>log && fail "wrote into a folder that is not there"
grep -q 'none.*No such file' log || fail "says: $(cat log)"
# another user's link is not followed
mkdir -m 1777 shared
ln -s "$work/victim" shared/link && chown -h 65534 shared/link
"$CUPEL" report --stdio -i in.folded -o shared/link 2>log && fail "wrote through another user's link"
[ ! -e victim ] || fail "the target of another user's link was made"
# no process remains
for _ in $(seq 600); do
	pgrep -P $$ -f "$work" >/dev/null || break
	sleep 0.1
done
echo "$tested commands"
exit $failed
