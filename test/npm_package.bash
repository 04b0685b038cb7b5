# SPDX-License-Identifier: GPL-2.0-or-later
# For tests that need a program from npm. Source it.

# npm_package NAME@VERSION: sets $package to its folder below $work. The test is skipped if npm is
# missing or cannot download the package. The installation runs no code of the package.
npm_package() {
	if ! command -v npm >/dev/null; then
		echo "no npm to get $1 with"
		exit 77
	fi
	if ! timeout 100 npm install --prefix "$work" --ignore-scripts --no-audit --no-fund \
		--fetch-retries=1 "$1" >"$work/npm.log" 2>&1; then
		echo "npm cannot get $1: $(grep -m 1 'npm error' "$work/npm.log")"
		exit 77
	fi
	# shellcheck disable=SC2034 # for who sources this
	package=$work/node_modules/${1%@*}
}
