#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# cupel serve over real connections: who is let in and who is not, what is received is stored whole,
# and no process stays. serve.py does the work.
set -eu
: "${CUPEL:?path of the cupel binary}"
if ! command -v python3 >/dev/null; then
	echo "needs python3"
	exit 77
fi
exec python3 "$(dirname "$0")/serve.py"
