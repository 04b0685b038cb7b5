#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles with known changes: cupel diff finds exactly the planted changes, none in equal profiles, and
# no frame that varies between runs.
set -eu
corpus=${CUPEL_CORPUS:-$(dirname "$0")/../../../shared/corpus}/significance
if [ ! -f "$corpus/TRUTH.tsv" ]; then
	echo "no corpus at $corpus (set CUPEL_CORPUS)"
	exit 77
fi
if ! command -v python3 >/dev/null; then
	echo "needs python3"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for case in null planted lowcount; do
	"$CUPEL" diff --json "$corpus/${case}_before.folded" "$corpus/${case}_after.folded" \
		>"$work/$case.json"
done
"$CUPEL" diff --json --before "$corpus"/runs_before_*.folded \
	--after "$corpus"/runs_after_*.folded >"$work/runs.json"
# The same program on both sides, for every assignment of runs to sides.
null=0
for side in 012,345 024,135 045,123; do
	set --
	for i in $(echo "${side%,*}" | sed 's/./& /g'); do
		set -- "$@" "$corpus/runs_before_$i.folded"
	done
	set -- "$@" --after
	for i in $(echo "${side#*,}" | sed 's/./& /g'); do
		set -- "$@" "$corpus/runs_before_$i.folded"
	done
	null=$((null + 1))
	"$CUPEL" diff --json --before "$@" >"$work/null$null.json"
done
# difffolded's format: the same lines; inferno cuts fractions.
pair=$corpus/../inferno/diff-folded
"$CUPEL" diff --format folded "$pair/before.txt" "$pair/after.txt" | LC_ALL=C sort >"$work/ours"
LC_ALL=C sort "$pair/results/default.txt" | diff "$work/ours" -
# The real script, if FLAMEGRAPH_DIR has it, with all its options. Intended differences: fractions are
# kept, comments and stacks without weight are ignored.
if [ -n "${FLAMEGRAPH_DIR:-}" ]; then
	printf '%s\n' 'a;b c d 5' 'a;0xABCdef;x 3' 'a;0X12;x 1' 'a;b c d 2' 'a;fl 1.5' 'one 4' \
		'before 9' >"$work/odd1"
	printf '%s\n' 'a;b c d 7' 'a;0x1;x 3' 'one 4' 'after 2' 'a;fl 2.25' >"$work/odd2"
	for pair in "$corpus"/planted_before.folded,"$corpus"/planted_after.folded "$work/odd1,$work/odd2" \
		"$corpus"/../async-profiler/sample1.collapsed,"$corpus"/../async-profiler/sample2.collapsed; do
		for options in -s -n -ns; do
			perl "$FLAMEGRAPH_DIR/difffolded.pl" $options "${pair%%,*}" "${pair##*,}" |
				LC_ALL=C sort >"$work/theirs"
			"$CUPEL" diff --format folded $options "${pair%%,*}" "${pair##*,}" |
				awk -v cut="${options#-s}" \
					'{ if (cut) { n = int($(NF - 1) + 1e-9); sub(/ [^ ]+ [^ ]+$/, " " n " " $NF) } print }' |
				LC_ALL=C sort | diff "$work/theirs" -
		done
	done
fi
cd "$work"
python3 - <<'END'
import json

BLOCK = {"app;codec::run": "grew", "app;codec::run;codec::decode_block": "grew"}
MOVED = {"app;store::flush": "shrank", "app;store::flush;store::old_path": "gone",
         "app;store::flush;store::new_path": "new"}
WANT = {"null": {}, "lowcount": {}, "planted": {**BLOCK, **MOVED}, "runs": {**BLOCK, **MOVED}}
for case, want in WANT.items():
    event = json.load(open(case + ".json"))["events"][0]
    rows = {";".join(r["path"]): r for r in event["rows"]}
    found = {p: r["change"] for p, r in rows.items()
             if r["inclusive"]["significant"] or r["self"]["significant"]}
    assert found == want, (case, found)
    assert {p for p, r in rows.items() if r["change"] != "none"} == set(found)
    for row in rows.values():
        for part in (row["inclusive"], row["self"]):
            lo, hi = part["interval"]
            assert lo <= part["delta"] <= hi, row
            assert part["significant"] == (lo > 0 or hi < 0), row
            assert part["significant"] == (part["q"] <= 0.05), row
            assert abs(part["after"] - part["before"] - part["delta"]) < 1e-8, row
    if want:  # as large as it was planted
        run = rows["app;codec::run;codec::decode_block"]["inclusive"]
        assert 1.2 < run["after"] / run["before"] < 1.4, run
        new = rows["app;store::flush;store::new_path"]["inclusive"]
        assert new["before"] == 0 and 0.004 < new["after"] < 0.006, new
        old = rows["app;store::flush;store::old_path"]["inclusive"]
        assert old["after"] == 0 and 0.006 < old["before"] < 0.01, old
    print(case, len(rows), "paths,", len(found), "changed, detectable", event["detectable_share"])
for case in ("null1", "null2", "null3"):
    rows = json.load(open(case + ".json"))["events"][0]["rows"]
    found = [r for r in rows if r["inclusive"]["significant"] or r["self"]["significant"]]
    assert len(found) <= 0.05 * len(rows), (case, len(found), len(rows))
    print("runs of one side, split:", len(found), "of", len(rows), "changed")
END
