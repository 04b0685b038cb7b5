#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cupel annotate: options, errors without code, and sums of percentages.

CUPEL=${CUPEL:-$BATS_TEST_DIRNAME/../../build/cupel}

setup_file() {
	export CUPEL_PAGER= # a test may run in a terminal
	cd "$BATS_FILE_TMPDIR" || exit 1
	cat >hot.c <<'END'
static unsigned mix(unsigned x)
{
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}
__attribute__((noinline)) unsigned hot_loop(unsigned n)
{
	unsigned s = 1;
	for (unsigned i = 0; i < n; i++)
		s = mix(s) + i;
	return s;
}
int main(void)
{
	return hot_loop(300000000) == 1;
}
END
	cc -O2 -g -o hot hot.c
	"$CUPEL" record -e cpu-clock -o perf.data ./hot 2>/dev/null || [ $? -le 1 ]
}

setup() {
	cd "$BATS_FILE_TMPDIR" || exit 1
}

@test "annotate: percentages of the function add up to 100, most of them in the loop" {
	"$CUPEL" annotate -q hot_loop >out
	grep -q '^ Percent |.*Source code & Disassembly of hot for cpu-clock (.* samples, percent: local period)$' out
	grep -q 'mix(): inlined into hot_loop() at hot.c:12' out
	awk '/^ *[0-9.]+ : +[0-9a-f]+:/ { sum += $1; if ($1 > most) { most = $1; line = $0 } }
		END { print line; exit !(sum > 99.9 && sum < 100.1 && most > 5) }' out
}

@test "annotate: the recording needs no -i, before or behind the function" {
	"$CUPEL" annotate -q -i perf.data hot_loop >named
	"$CUPEL" annotate -q ./perf.data hot_loop >out
	cmp named out
	"$CUPEL" annotate -q hot_loop perf.data >out
	cmp named out
	run "$CUPEL" annotate hot_loop mix
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "cupel: annotate: one function only" ]
}

@test "annotate: source lines are those of the inlined code" {
	"$CUPEL" annotate -q -l hot_loop >out
	sed -n '/^Sorted summary/,/Percent/p' out | grep -q ' hot.c:[3-5]$'
	"$CUPEL" annotate -q --source-only hot_loop >out
	grep -q '[1-9][0-9.]* : 4 .*x ^= x >> 17;' out
	"$CUPEL" annotate -q --no-source hot_loop >out
	[ "$(grep -c 'x >> 17' out)" -eq 0 ]
}

@test "annotate: JSON has the counts, the loop and the inlined place" {
	"$CUPEL" annotate --json -s hot_loop >out.json
	python3 - <<'END'
import json
f, = json.load(open("out.json"))["functions"]
assert f["function"] == "hot_loop", f["function"]
event = f["events"][0]
assert sum(i["counts"][0][0] for i in f["instructions"]) == event["samples"] > 0
loop = max(f["loops"], key=lambda l: l["last"] - l["first"])
inside = sum(i["counts"][0][0] for i in f["instructions"][loop["first"]:loop["last"] + 1])
assert inside > 0.9 * event["samples"]
assert any(p["function"] == "mix" and f["places"][p["caller"]]["line"] == 12 for p in f["places"])
assert event["precise"] is False
END
}

@test "annotate: a note explains skid; -q leaves it out" {
	"$CUPEL" annotate hot_loop | grep -q 'cpu-clock is not precise: the instruction before a hot one is a suspect too'
	[ "$("$CUPEL" annotate -q hot_loop | grep -c suspect)" -eq 0 ]
}

@test "annotate: syntax, bytes, arrows, samples and periods" {
	"$CUPEL" annotate -q -M intel --asm-raw hot_loop | grep -q ': *\([0-9a-f][0-9a-f] \)* *xor *e[a-d]x,e[a-d]x$'
	"$CUPEL" annotate -q --arrows hot_loop | grep -q '╔.→\|╔→'
	[ "$("$CUPEL" annotate -q hot_loop | grep -c '╔')" -eq 0 ]
	"$CUPEL" annotate -q -n hot_loop | grep -q '^ Samples '
	"$CUPEL" annotate -q --show-total-period hot_loop | grep -q '^ Period  '
	"$CUPEL" annotate -q --percent-type global-hits hot_loop | grep -q 'percent: global hits'
	run "$CUPEL" annotate --percent-type half hot_loop
	[ "$status" -eq 2 ]
}

@test "annotate: an unknown function is an error that suggests the nearest name" {
	run "$CUPEL" annotate hot_lop
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "cupel: annotate: perf.data: no samples in a function 'hot_lop'" ]
	[ "${lines[1]}" = "cupel: hint: did you mean 'hot_loop'?" ]
}

@test "annotate: a changed program is an error with a hint" {
	mkdir -p changed && cp perf.data changed
	cp hot hot.kept
	cc -O1 -o hot hot.c
	run "$CUPEL" annotate hot_loop
	mv hot.kept hot
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"hot_loop: "*"build id differs"* ]]
	[[ "${lines[1]}" == *"cupel report"*"--symfs"* ]]
}

@test "annotate: a missing or damaged program is a short error" {
	root=$PWD/root
	mkdir -p "$root$PWD"
	run "$CUPEL" annotate --symfs "$root" hot_loop
	[ "$status" -eq 1 ]
	for damage in head noise; do
		case $damage in
		head) head -c 300 hot >"$root$PWD/hot" ;;
		noise) { head -c 64 hot; head -c 4000 /dev/zero | tr '\0' '\377'; } >"$root$PWD/hot" ;;
		esac
		run "$CUPEL" annotate --symfs "$root" hot_loop
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -le 3 ]
	done
}

@test "annotate: functions of a stripped program have their addresses as names" {
	strip -o stripped hot
	"$CUPEL" record -e cpu-clock -o stripped.data ./stripped 2>/dev/null || [ $? -le 1 ]
	"$CUPEL" annotate -i stripped.data -d stripped --json >json
	nm -S --defined-only hot >symbols
	python3 - <<'PY'
import json
known = [line.split() for line in open("symbols")]
hottest = json.load(open("json"))["functions"][0]
start = int(hottest["function"], 16)
size = [int(s[1], 16) for s in known if len(s) == 4 and int(s[0], 16) == start]
rows = hottest["instructions"]
assert size and int(rows[0]["address"], 16) == start, hottest["function"]
assert sum(len(row["bytes"]) // 2 for row in rows) == size[0], (size, rows[-1])
PY
	run "$CUPEL" annotate -i stripped.data -s nobody
	[ "$status" -eq 1 ]
	[[ "$output" == *"no samples in a function 'nobody'"* ]]
}

@test "annotate: on a terminal, options for text print text" {
	for words in --stdio '-l' '-M intel' '--json' '--percent-limit 1' '-o -'; do
		TERM=xterm script -qc "'$CUPEL' annotate $words hot_loop; echo END" /dev/null >text </dev/null
		grep -q END text
		! grep -q "$(printf '\033')" text
	done
	run "$CUPEL" annotate --tui hot_loop
	[[ "$output" == *"warning: --tui: "* ]]
}

@test "annotate: without call frame information a stripped program is an error" {
	strip -R .eh_frame -R .eh_frame_hdr -o bare hot
	"$CUPEL" record -e cpu-clock -o bare.data ./bare 2>/dev/null || [ $? -le 1 ]
	run "$CUPEL" annotate -i bare.data -d bare
	[ "$status" -eq 1 ]
	[[ "$output" == *"no sample"* ]]
}

@test "annotate: several events side by side" {
	"$CUPEL" record -e cpu-clock -e task-clock -o two.data ./hot 2>/dev/null || [ $? -le 1 ]
	"$CUPEL" annotate -q -i two.data --group hot_loop >out
	grep -q 'for cpu-clock, task-clock' out
	grep -q '^ *[0-9.]* *[0-9.]* : *[0-9a-f]*: *xor' out
}

@test "annotate: -o code.html is a page" {
	"$CUPEL" annotate -q -o code.html hot_loop
	grep -q '<title>hot_loop: perf.data</title>' code.html
	grep -q 'Content-Security-Policy' code.html
}

@test "annotate: --redact is an error" {
	run "$CUPEL" annotate --redact
	[ "$status" -eq 2 ]
	[[ $output == *"--redact cannot hide what the code itself shows"* ]]
}

# The first is called as its source is not; the second has a name that terminals obey.
@test "annotate: clones of compilers, and a program with control characters in its name" {
	cat >clone.c <<'END'
__attribute__((noinline)) static long poly(long a, long b, long n)
{
	volatile long s = 0;
	for (long i = 0; i < n; i++)
		s += a * i - b;
	return s;
}
int main(int argc, char **argv)
{
	(void)argv;
	return (int)(poly(-8, argc, 100000000) + poly(-8, argc + 1, 100000000));
}
END
	name=$'red\033[31m\rname'
	cc -O2 -g -o "$name" clone.c
	nm "$name" | grep -q 'poly\.constprop\.0'
	timeout -k 1 -s KILL 20 "$CUPEL" record -e cpu-clock -o clone.data "./$name" 2>/dev/null || [ $? -le 1 ]
	for wanted in poly poly.constprop poly.constprop.0; do
		"$CUPEL" annotate -q -i clone.data -s "$wanted" >out
		grep -q '<poly.constprop.0>:' out
	done
	"$CUPEL" annotate -v --source-only -i clone.data poly >>out 2>&1
	grep -q 'of red?\[31m?name for' out
	[ "$(grep -c $'[\033\r]' out)" -eq 0 ]
}

@test "annotate: the cache of binaries has what a cut program lacks" {
	export PERF_BUILDID_DIR=$PWD/cache
	"$CUPEL" buildid-cache -a "$PWD/hot"
	cp hot hot.kept
	head -c 3000 hot.kept >hot
	"$CUPEL" annotate -q hot_loop >out || true
	mv hot.kept hot
	grep -q 'inlined into hot_loop() at hot.c:12' out
}

@test "annotate: an archive with binaries has the code, one without says how to get it" {
	mkdir -p elsewhere
	cp hot elsewhere/packed
	timeout -k 1 -s KILL 20 "$CUPEL" record -e cpu-clock -o packed.data elsewhere/packed 2>/dev/null || [ $? -le 1 ]
	"$CUPEL" archive -i packed.data -o thin.tar.gz 2>/dev/null
	"$CUPEL" archive --binaries -i packed.data -o whole.tar.gz 2>/dev/null
	rm elsewhere/packed
	export PERF_BUILDID_DIR=$PWD/none
	"$CUPEL" annotate -q -i whole.tar.gz hot_loop | grep -q '<hot_loop>:$'
	run "$CUPEL" annotate -i thin.tar.gz hot_loop
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"hot_loop: "*"packed: no such file" ]]
	[[ "${lines[1]}" == *"cupel archive --binaries"* ]]
}
