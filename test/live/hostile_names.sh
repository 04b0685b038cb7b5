#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: only
# no BPF: it only reads files
# Names with control sequences and forged lines, in every reading command in `cupel help` and every
# format in `cupel convert --list`: see hostile_names.py.
set -eu
command -v python3 >/dev/null || {
	echo "needs python3"
	exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
HOME=$scratch XDG_CACHE_HOME=$scratch/cache python3 -B "$here/hostile_names.py" "$CUPEL" "$scratch" files
