#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of cupel wall --timeline in headless Chromium: timeline.py does the work.
set -eu
for tool in chromium chromedriver python3; do
	if ! command -v "$tool" >/dev/null; then
		echo "needs $tool (apt-get install chromium chromium-driver python3)"
		exit 77
	fi
done
if ! "$CUPEL" wall -o /dev/null -- true 2>/dev/null; then
	echo "the scheduler cannot be watched here"
	exit 77
fi
exec python3 "$(dirname "$0")/timeline.py"
