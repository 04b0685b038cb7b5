#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# At every instruction of a program without frame pointers the stack is correct, also in a signal
# handler at the first execution of each. Loops over the clock and the end of a child make every pass
# different, so a pass with wrong stacks is printed and repeated; a second one is a failure.
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
