#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: stock perf aborts while other processes load BPF programs
# Runs the shell tests of the installed perf with cupel as perf: their results are those in the first
# table of doc/perf-tests.md. Stock perf supplies the workloads.
set -u

: "${CUPEL:?path of the cupel binary}"
perf=$(command -v perf) || { echo "stock perf is not installed"; exit 77; }
case $("$perf" --version) in
"perf version 6.1."*) ;;
*) echo "the table is about the tests of perf 6.1"; exit 77 ;;
esac
for tests in /usr/lib/perf-core/tests/shell /usr/libexec/perf-core/tests/shell ""; do
	[ -e "$tests/record.sh" ] && break
done
[ -n "$tests" ] || { echo "the installed perf brings no shell tests"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "the tests of perf need root"; exit 77; }
table=$(readlink -f "$(dirname "$0")/../../doc/perf-tests.md")
work=$(mktemp -d) || exit 1
touch "$work/start"
# files that failed tests leave
clean() {
	find /tmp -maxdepth 1 -newer "$work/start" \( -name 'perf.data.*' -o -name 'perf.ex.*' -o \
		-name 'perf.debug.*' -o -name 'perf.log.*' \) -exec rm -rf {} +
	rm -rf "$work"
}
trap clean EXIT
mkdir "$work/bin" "$work/home"
cat >"$work/bin/perf" <<END
#!/bin/bash
[ "\$1" != bench ] || exec "$perf" "\$@"
exec -a perf "$CUPEL" "\$@"
END
chmod +x "$work/bin/perf"
# the tests write into the current folder, and some into HOME
cd "$work" || exit 1
export PATH="$work/bin:$PATH" HOME="$work/home" LC_ALL=C.UTF-8

failed=0
count=0
while IFS='|' read -r _ name _ want _; do
	name=${name// /} want=${want// /}
	timeout -k 1 120 bash "$tests/$name.sh" >"$name.log" 2>&1 </dev/null
	case $? in
	0) got=pass ;;
	2) got=skip ;;
	*) got=fail ;;
	esac
	count=$((count + 1))
	[ "$got" != "$want" ] || continue
	echo "$name: $got, doc/perf-tests.md says $want; the end of its output:"
	tail -n 8 "$name.log"
	failed=1
done < <(awk '/^## Tests of newer/ { exit } /^\| [a-z]/ && !/^\| test \|/' "$table")

[ "$count" -ge 10 ] || { echo "only $count tests in $table"; failed=1; }
[ "$failed" = 0 ] && echo "$count tests of perf end as documented"
exit "$failed"
