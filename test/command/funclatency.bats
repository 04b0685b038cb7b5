# SPDX-License-Identifier: GPL-2.0-or-later
# cupel funclatency: arguments. test/live/funclatency.sh tests the times.

@test "funclatency: steps, units and probes that have a duration" {
	run "$CUPEL" funclatency -m -u c:malloc
	[ "$status" -eq 2 ]
	run "$CUPEL" funclatency --linear 5 c:malloc
	[ "$status" -eq 2 ]
	[[ $output == *"expected FROM:STEP"* ]]
	run "$CUPEL" funclatency --linear 0:0 c:malloc
	[ "$status" -eq 2 ]
	run "$CUPEL" funclatency --slowest 17 c:malloc
	[ "$status" -eq 2 ]
	[[ $output == *"at most 16"* ]]
	run "$CUPEL" funclatency --slowest 3 -i 1 c:malloc
	[ "$status" -eq 2 ]
	run "$CUPEL" funclatency --slowest 3 c:malloc+4
	[ "$status" -eq 2 ]
	run "$CUPEL" funclatency c:malloc+4
	[ "$status" -eq 2 ]
	[[ $output == *"only whole functions"* ]]
	run "$CUPEL" funclatency c:malloq
	[ "$status" -eq 1 ]
}
