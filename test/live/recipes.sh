#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of CONTRIBUTING.md, each applied literally to a copy of the tree: see recipes.py.
if ! command -v meson >/dev/null || ! command -v bats >/dev/null; then
	echo "needs meson and bats"
	exit 77
fi
exec python3 -B "$(dirname "$0")/recipes.py"
