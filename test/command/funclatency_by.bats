# SPDX-License-Identifier: GPL-2.0-or-later
# cupel funclatency --by: arguments. test/live/funclatency.sh tests the times.

@test "funclatency --by: what it goes with" {
	run "$CUPEL" funclatency --by arg1 -F c:malloc
	[ "$status" -eq 2 ]
	[[ $output == *"--by and -F cannot be combined"* ]]
	run "$CUPEL" funclatency --by arg1 --slowest 2 c:malloc
	[ "$status" -eq 2 ]
	[[ $output == *"--by and --slowest cannot be combined"* ]]
	run "$CUPEL" funclatency --by arg1 c:malloc+4
	[ "$status" -ne 0 ]
	run "$CUPEL" funclatency --by
	[ "$status" -eq 2 ]
	run "$CUPEL" funclatency --by 'arg1 +' c:malloc
	[ "$status" -ne 0 ]
	[[ $output == *"arg1 +"* ]]
	run "$CUPEL" funclatency --by no_such_name c:malloc
	[ "$status" -ne 0 ]
	[[ $output == *"no_such_name"* ]]
}
