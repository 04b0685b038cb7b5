#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The flame graph in headless Chromium: flame_graph.py does the work.
set -eu
for tool in chromium chromedriver python3; do
	if ! command -v "$tool" >/dev/null; then
		echo "needs $tool (apt-get install chromium chromium-driver python3)"
		exit 77
	fi
done
exec python3 "$(dirname "$0")/flame_graph.py"
