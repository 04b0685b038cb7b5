#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs the examples of every man page, each page in an empty folder. A line of an example is
# `.Dl $ COMMAND`.
set -eu
if [ "$(id -u)" -ne 0 ]; then
	echo "needs root: examples record"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$CUPEL" "$work/bin/cupel"
PATH="$work/bin:$PATH"
status=0
for page in "$(dirname "$0")"/../../doc/man/*.1.in; do
	name=$(basename "$page" .1.in)
	mkdir "$work/$name"
	sed -n 's/^\.Dl \$ //p' "$page" | sed 's/\\&//g; s/\\-/-/g; s/\\e/\\/g' >"$work/$name.sh"
	if [ ! -s "$work/$name.sh" ]; then
		echo "$name: no examples"
		status=1
	elif ! (cd "$work/$name" && bash -ex "$work/$name.sh") >"$work/log" 2>&1; then
		echo "$name: an example fails:"
		tail -n 30 "$work/log"
		status=1
	fi
done
exit $status
