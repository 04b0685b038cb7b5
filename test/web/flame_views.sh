#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Views of a flame graph in headless Chromium: flame_views.py does the work.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/need_browser.bash"
exec python3 "$(dirname "$0")/flame_views.py"
