#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Opens the output of cupel convert in speedscope (its npm package, in Chromium): it has all stacks and
# weights. speedscope.py does the work.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/need_browser.bash"
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package= # which npm_package sets
. "$here/../npm_package.bash"
npm_package speedscope@1.25.0
python3 "$here/speedscope.py" "$package/dist/release/index.html"
