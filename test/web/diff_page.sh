#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of cupel diff in headless Chromium: diff_page.py does the work.
set -eu
for tool in chromium chromedriver python3; do
	if ! command -v "$tool" >/dev/null; then
		echo "needs $tool (apt-get install chromium chromium-driver python3)"
		exit 77
	fi
done
exec python3 "$(dirname "$0")/diff_page.py"
