#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of cupel serve in headless Chromium: serve.py does the work.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/need_browser.bash"
exec python3 "$(dirname "$0")/serve.py"
