#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The profiles with known changes: nothing is found where nothing changed, what was planted is found
# and nothing else, a frame that varies from run to run is not taken for a change.
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
# difffolded's format: the same lines; fractions whole where inferno cuts them.
pair=$corpus/../inferno/diff-folded
"$CUPEL" diff --format folded "$pair/before.txt" "$pair/after.txt" | LC_ALL=C sort >"$work/ours"
LC_ALL=C sort "$pair/results/default.txt" | diff "$work/ours" -
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
    print(case, len(rows), "paths,", len(found), "changed, detectable", event["detectable_share"])
END
