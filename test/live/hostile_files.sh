#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: only
# no BPF: it only reads files
# Recordings and profiles with invalid contents (hostile_files.py), and thousands of damaged ones, read
# in one process as by a fuzzer.
set -eu
command -v python3 >/dev/null || {
	echo "needs python3"
	exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -B "$here/hostile_files.py" "$CUPEL" "$scratch"
set --
for seed in default callgraph dwarf zstd tracepoint pipe pipe_zstd; do
	set -- "$@" "$here/../fuzz/seeds/perf_data/$seed"
done
damage=$(dirname "$CUPEL")/test/live/hostile_mutations
"$damage" 20 300 "$@"
# small ones are cut at every size
"$damage" 20 20 "$here/../fuzz/seeds/load/names" "$here/../fuzz/seeds/load/big_endian"
