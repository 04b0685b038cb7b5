#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: it loads BPF programs, which would stop stock perf
# The page of cupel annotate in headless Chromium: annotate_page.py does the work.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/need_browser.bash"
exec python3 "$(dirname "$0")/annotate_page.py"
