#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# At every instruction of a program without frame pointers our stack is the true one: plainly, and
# with a signal sent at every 97th instruction. Where the signals land depends on timing, so a pass
# with wrong stacks is shown and repeated; it is a failure when they come again.
set -eu
tools=$(dirname "$CUPEL")/test/live
case $(uname -m) in
x86_64) ;;
*)
	echo "steps x86-64 code only"
	exit 77
	;;
esac
"$tools/unwind_step" "$tools/unwind_target"
"$tools/unwind_step" -i 97 "$tools/unwind_target" || "$tools/unwind_step" -i 97 "$tools/unwind_target"
