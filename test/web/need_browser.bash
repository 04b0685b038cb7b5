# SPDX-License-Identifier: GPL-2.0-or-later
# Source it: a test without a browser is skipped.
for tool in chromium chromedriver python3; do
	if ! command -v "$tool" >/dev/null; then
		echo "needs $tool (apt-get install chromium chromium-driver python3)"
		exit 77
	fi
done
