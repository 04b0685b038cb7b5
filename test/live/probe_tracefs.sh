#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# Probes made in tracefs (--tracefs): under perf's name, seen by perf, with the same arguments; and removed
# whatever ends the command, SIGKILL of it and of its guards included.
set -u
: "${CUPEL:?path of the cupel binary}"
. "$(dirname "$0")/wait_for.bash"
stock=$(readlink -f "$(dirname "$0")/stock_perf.bash")
# shellcheck source=test/live/stock_perf.bash
. "$stock"
if [ "${1:-}" != inside ]; then
	unshare -m true 2>/dev/null || { echo "no mount namespaces here"; exit 77; }
	exec unshare -m "$0" inside
fi
tracefs=/sys/kernel/tracing
[ -e $tracefs/events ] || mount -t tracefs nodev $tracefs 2>/dev/null
[ -w $tracefs/uprobe_events ] || { echo "uprobe_events cannot be written here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CONFIG_HOME=$work
program=prog$$ # its probes are no other test's
group=probe_$program
failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
ours() {
	grep "$group/" $tracefs/uprobe_events
}
are_gone() {
	! ours >/dev/null
}

cat >prog.c <<'C'
struct point { int x, y; unsigned short low; };
__attribute__((noipa)) int work(struct point *p, long n, const char *s) { return p->x + (int)n + s[0]; }
__attribute__((noipa)) int walk(int n) { return n * 2; }
int main(void)
{
	struct point p = { -3, 2, 65535 };
	int sum = 0;
	for (int i = 0; i < 5; i++)
		sum += work(&p, i - 1, "text") + walk(i);
	return sum == 0;
}
C
gcc -g -O1 -o $program prog.c || exit 1

# Arguments are those of the probe without --tracefs.
for way in "" --tracefs; do
	# shellcheck disable=SC2086 # an option or none
	"$CUPEL" record -q $way -o "data$way" -e "$group:work=probe:./$program:work p->x n p->low s" -- ./$program 2>log ||
		fail "record $way: $(cat log)"
	"$CUPEL" script -F event,trace -i "data$way" >"events$way" 2>log || fail "script $way: $(cat log)"
done
sed 's/([0-9a-f]*) //; s/ low=.*//' events >plain
sed 's/([0-9a-f]*) //; s/ low=.*//' events--tracefs | cmp -s plain - || fail "other values: $(cat events events--tracefs)"
[ "$(grep -c "$group:work: (.*) x=-3 n=.* low=65535 s=\"text\"" events--tracefs)" = 5 ] || fail "values: $(cat events--tracefs)"
are_gone || fail "record leaves $(ours)"

# Returns, globs, several events, counts, lines.
"$CUPEL" record -q --tracefs -o data -e "uretprobe:./$program:w* \$retval,probe:./$program:main" -- ./$program 2>log ||
	fail "returns: $(cat log)"
"$CUPEL" script -F event,trace -i data >events 2>log
[ "$(grep -c "$group:w_*return.* retval=" events)" = 10 ] && [ "$(grep -c "$group:main" events)" = 1 ] ||
	fail "returns: $(cat events)"
"$CUPEL" stat -x, --tracefs -o counts -e "probe:./$program:work,uretprobe:./$program:walk" -- ./$program 2>log || fail "stat: $(cat log)"
grep -q "^5,,$group:work," counts && grep -q "^5,,$group:walk__return," counts || fail "stat: $(cat counts)"
"$CUPEL" record -q --tracefs -o data -e "probe:./$program:work n+1" -- ./$program 2>log && fail "arithmetic was taken"
grep -q 'n+1: tracefs has registers' log || fail "arithmetic: $(cat log)"
are_gone || fail "leaves $(ours)"

# While it lasts, perf has it, too; then nobody.
if perf record -q -o perf.data true 2>log; then
	"$CUPEL" probe --tracefs -x ./$program 'work p->x s' -- \
		bash -c ". $stock; perf record -q -e $group:work -o perf.data ./$program" 2>log ||
		fail "perf: $(cat log)"
	[ "$(perf script -i perf.data 2>log | grep -c "$group:work: (.*) x=-3 s=\"text\"")" = 5 ] || fail "perf: $(cat log)"
else
	echo "not tested: perf: it cannot record here: $(head -n 1 log)"
fi
are_gone || fail "probe leaves $(ours)"
"$CUPEL" probe --tracefs -q -x ./$program work -- sh -c 'exit 7' 2>log
[ $? = 7 ] || fail "status of the program"
"$CUPEL" probe --tracefs -x ./$program work -- "$CUPEL" probe -l >list 2>log
grep -q "$group:work .*(on work" list || fail "list: $(cat list)"
"$CUPEL" probe --tracefs -x ./$program work -- "$CUPEL" probe -d "$group:work" >list 2>log || fail "del: $(cat log)"

# hold: starts one; $pid is it, $guards are its guards
hold() {
	"$CUPEL" probe --tracefs -q -x ./$program work >log 2>&1 &
	pid=$!
	wait_for ours >/dev/null || fail "no probe: $(cat log)"
	guards=$(pgrep -P $pid -x cupel-guard)
	[ "$(wc -w <<<"$guards")" = 2 ] || fail "guards: $guards"
}
for signal in INT TERM HUP KILL; do
	hold
	kill -$signal $pid
	wait $pid 2>/dev/null
	wait_for are_gone || fail "SIG$signal leaves $(ours)"
done
# The guards first, each, both; the command still removes the probe when it ends.
for which in 1 2 '1 2'; do
	hold
	for i in $which; do
		kill -KILL "$(sed -n "${i}p" <<<"$guards")"
	done
	kill -TERM $pid
	wait $pid
	are_gone || fail "guard $which killed: $(ours)"
done
# A guard and the command at once.
for i in 1 2; do
	hold
	kill -KILL "$(sed -n "${i}p" <<<"$guards")" $pid
	wait $pid 2>/dev/null
	wait_for are_gone || fail "guard $i and command killed: $(ours)"
done
# Killed while it makes it, at any moment.
for i in $(seq 20); do
	"$CUPEL" record -q --tracefs -o data -e "probe:./$program:work,probe:./$program:walk" -- sleep 1 >/dev/null 2>&1 &
	pid=$!
	sleep 0.0$((i * 4 + 10))
	kill -KILL $pid
	wait $pid 2>/dev/null
done
no_guards() {
	! pgrep -x cupel-guard -f "$program" >/dev/null
}
wait_for are_gone || fail "killed records leave $(ours)"

# Another user has enabled the probe when its command is killed.
hold
event=work
exec 3>"$tracefs/events/$group/$event/enable"
echo 1 >&3
exec 3>&-
kill -KILL $pid
wait $pid 2>/dev/null
wait_for are_gone || fail "enabled: $(ours)"

# Without CAP_SYS_ADMIN, CAP_PERFMON and CAP_BPF, as the owner of tracefs.
if command -v setpriv >/dev/null; then
	setpriv --bounding-set -all --inh-caps -all "$CUPEL" record -q --tracefs -o data -e "probe:./$program:work n" -- ./$program 2>log
	if "$CUPEL" script -F event,trace -i data 2>/dev/null | grep -q "$group:work.*n=3"; then
		echo "recorded without capabilities"
	else
		fail "without capabilities: $(cat log)"
	fi
	are_gone || fail "without capabilities: $(ours)"
fi
exit $failed
