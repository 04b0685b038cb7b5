#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How flame graphs behave in headless Chromium: flame_manners.py does the work.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/need_browser.bash"
exec python3 "$(dirname "$0")/flame_manners.py"
