#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: only
# no BPF: it only reads files
# Binaries, perf maps and jitdumps with invalid contents, of other file types, or that shrink during
# reading.
set -eu
for tool in python3 cc; do
	command -v $tool >/dev/null || {
		echo "needs $tool"
		exit 77
	}
done
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -B "$here/hostile_modules.py" "$CUPEL" "$scratch"
