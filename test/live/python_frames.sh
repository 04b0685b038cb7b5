#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# Python frames in stacks walked in the kernel: for each installed CPython most samples have the stacks,
# names and lines that python_frames.py prints about itself, also in a running and in a forked process.
# Stock perf reads the file.
set -eu
# shellcheck source=test/live/stock_perf.bash
. "$(dirname "$0")/stock_perf.bash"
if [ "$(id -u)" != 0 ] || ! "$CUPEL" version --build-options | grep -q '^ *bpf: yes$'; then
	echo "needs root and BPF"
	exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$here/python_frames.py" tree.py
failed=0
both=0 # threads were seen in one recording

fail() {
	echo "FAIL: $*"
	failed=1
}

# pythons: one interpreter of each installed version.
pythons() {
	for python in /usr/bin/python3 /usr/local/bin/python3.* "$HOME"/.pyenv/versions/3.*/bin/python3; do
		[ -x "$python" ] || continue
		version=$("$python" -c 'import sys; print("3.%d" % sys.version_info[1])' 2>/dev/null) || continue
		case $version in
		3.8 | 3.9 | 3.1[0-4]) echo "$version $python" ;;
		esac
	done | sort -u -k 1,1
}

# stacks FILE: the Python part of each user stack, outermost first, as NAME:LINE.
stacks() {
	"$CUPEL" script -i "$1" -F comm,tid,ip,sym,srcline | awk '
		function flush() { if (stack != "") print stack; stack = "" }
		/^[^ \t]/ { flush(); next }
		$2 ~ /@tree\.py$/ { name = $2; sub(/@tree\.py$/, "", name); getline
			line = $1; sub(/.*:/, "", line)
			stack = name ":" line (stack == "" ? "" : ";" stack) }
		END { flush() }'
}

# same NAME: nearly all samples inside work() have a stack that the program printed, with the lines of
# the leaf and of work().
same() {
	stacks c.data | grep ';leaf:[0-9]*;work:[0-9]*$' | sed 's/;leaf:[0-9]*;work:[0-9]*$//' >found || true
	# Threads start in Python's own modules, which the program does not print.
	sed 's/.*;\(other:\)/\1/' told >wanted
	total=$(wc -l <found)
	good=$(grep -c -F -x -f wanted found || true)
	seen=$(sort -u found | grep -c -F -x -f wanted || true)
	echo "$1: $good of $total stacks in work() match Python's, $seen of $(wc -l <wanted) kinds"
	[ "$total" -ge 5 ] || fail "$1: only $total samples in work()"
	[ $((good * 100)) -ge $((total * 95)) ] || fail "$1: wanted $(cat wanted), found $(sort found | uniq -c)"
	[ "$seen" -lt 2 ] || both=1
}

list=$(pythons)
[ -n "$list" ] || {
	echo "no CPython from 3.8 to 3.14"
	exit 77
}
while read -r version python; do
	if ! "$CUPEL" record -F 299 -o c.data -- "$python" tree.py 0.7 told >/dev/null 2>said; then
		fail "$version: $(cat said)"
		continue
	fi
	same "$version"
done <<LIST
$list
LIST
python=$(echo "$list" | head -n 1 | cut -d ' ' -f 2)

# A running process.
rm -f told.ready
"$python" tree.py 3 told &
for _ in $(seq 600); do
	[ ! -e told.ready ] || break
	sleep 0.1
done
"$CUPEL" record -F 299 -o c.data -p $! -- sleep 0.7 >/dev/null 2>said || fail "-p: $(cat said)"
wait
same "running already"

# A forked process has the runtime of its parent.
cat >fork.py <<'PYTHON'
import os, runpy, sys
pid = os.fork()
if not pid:
    sys.argv = ["tree.py", "0.7", "told"]
    runpy.run_path("tree.py", run_name="tree")
    os._exit(0)
os.waitpid(pid, 0)
PYTHON
"$CUPEL" record -F 299 -o c.data -- "$python" fork.py >/dev/null 2>said || fail "fork: $(cat said)"
sed -i 's/.*;\(<module>:[0-9]*;main:\)/\1/' told
stacks c.data >all
grep -q 'main:[0-9]*;recurse.*;work' all || fail "fork: no stack of the child: $(sort all | uniq -c)"

# A code object at the address of an earlier one.
cat >reuse.py <<'PYTHON'
import sys, time
source = "while time.time() < end: pass"
code = compile(source, "short", "exec")
where, end, kept = id(code), time.time() + 0.4, []
exec(code)
del code
for _ in range(20000):
    code = compile(source, "quite_another_name", "exec")
    if id(code) == where:
        break
    kept.append(code)
else:
    sys.exit(77)
end = time.time() + 1.6
exec(code)
PYTHON
code=0
"$CUPEL" record -F 299 -o reused.data -- "$python" reuse.py >/dev/null 2>said || code=$?
if [ $code = 77 ]; then
	echo "no code came to the address of other code"
elif [ $code != 0 ]; then
	fail "reuse: $(cat said)"
else
	"$CUPEL" script -i reused.data -F ip,sym >all
	short=$(grep -c '<module>@short' all || true)
	other=$(grep -c '<module>@quite_another_name' all || true)
	echo "same address: $short samples in what was there first, $other in what came later"
	[ "$other" -gt $((short * 2)) ] || fail "code is taken for other code that was at its address"
fi

if command -v perf >/dev/null; then
	perf script -f -i c.data -F ip,sym,dso >out 2>errors || fail "perf script: $(cat errors)"
	[ ! -s errors ] || fail "perf says: $(cat errors)"
	grep -q '\[python\] work (.*tree.py)' out || fail "perf shows no Python function"
fi
[ $both = 1 ] || fail "never more than one thread was seen"
[ $failed = 0 ]
