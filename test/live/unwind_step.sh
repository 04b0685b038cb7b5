#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# At every instruction of a program without frame pointers our stack is the true one, and so it is in a
# signal handler at each when it is first reached. Loops over the clock and the end of a child make no
# two passes the same, so one with wrong stacks is shown and repeated; it is a failure when they come
# again.
set -eu
tools=$(dirname "$CUPEL")/test/live
case $(uname -m) in
x86_64) ;;
*)
	echo "steps x86-64 code only"
	exit 77
	;;
esac
"$tools/unwind_step" -e "$tools/unwind_target" || "$tools/unwind_step" -e "$tools/unwind_target"
