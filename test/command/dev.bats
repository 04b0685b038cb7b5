#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# ./dev on a bare machine: it says what it will download, and refuses an old release before it installs
# packages. The package manager is a fake one.

setup() {
	command -v dpkg >/dev/null || skip "needs dpkg"
	cd "$BATS_TEST_TMPDIR" || return
	mkdir bin
	export PATH="$PWD/bin:$PATH"
	fake dpkg-query 'echo not-installed'
	fake id 'echo 0'
	fake apt-cache 'printf "meson:\n  Installed: (none)\n  Candidate: %s\n" "$(cat version)"'
	fake apt-get 'case $* in *assume-no*) cat sizes ;; *install*) echo "$*" >>installed ;; esac'
	cat >sizes <<-'END'
		Need to get 128 MB of archives.
		After this operation, 565 MB of additional disk space will be used.
	END
	echo 1.0.1-5 >version
	dev=$BATS_TEST_DIRNAME/../../dev
}

fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

@test "sizes are said before packages are installed" {
	run "$dev" install-deps build
	[ "$status" -eq 0 ]
	[[ $output == "dev: installing with apt (128 MB to download, 565 MB on disk): gcc "* ]]
	grep -q ' meson ' installed
	printf '  Download size: 12.5 MB\n  Space needed: 60 MB / 20 GB available\n' >sizes
	run "$dev" install-deps build
	[[ $output == *"apt (12.5 MB to download, 60 MB on disk): "* ]]
	: >sizes
	run "$dev" install-deps build
	[[ $output == *"installing with apt: gcc "* ]]
}

@test "an old release is refused, and nothing installed" {
	echo 0.56.2-1 >version
	run "$dev" install-deps build
	[ "$status" -eq 1 ]
	[[ $output == *"too old: it has meson 0.56.2-1, the build needs 1.0 (Debian 12, "* ]]
	[ ! -e installed ]
	echo '(none)' >version
	run "$dev" install-deps build
	[ "$status" -eq 1 ]
	[ ! -e installed ]
	run "$dev" install-deps lint
	[ "$status" -eq 0 ]
}
