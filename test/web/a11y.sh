#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# in turn: it loads BPF programs, which would stop stock perf
# axe-core (its npm package) finds no problem in the pages, in Chromium. a11y.py does the work.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/need_browser.bash"
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package= # which npm_package sets
. "$here/../npm_package.bash"
npm_package axe-core@4.10.2
python3 "$here/a11y.py" "$package/axe.min.js"
