#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: it loads BPF programs, which would stop stock perf
# The page of cupel wall --timeline in headless Chromium: timeline.py does the work.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/need_browser.bash"
if ! "$CUPEL" wall -o /dev/null -- true 2>/dev/null; then
	echo "the scheduler cannot be watched here"
	exit 77
fi
exec python3 "$(dirname "$0")/timeline.py"
