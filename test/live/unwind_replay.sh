#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Saved snapshots of Debian's programs, with the parts of their binaries that unwinding needs, give the
# same stacks as gdb, on any machine.
# sanitizers: yes
set -eu
tools=$(dirname "$CUPEL")/test/live
data=$(cd "$(dirname "$0")/../data/unwind" && pwd)
case $(uname -m) in
x86_64) ;;
*)
	echo "steps x86-64 stacks only"
	exit 77
	;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xJf "$data/files.tar.xz" -C "$work"
"$tools/unwind_replay" "$work" "$data"/*.txt
