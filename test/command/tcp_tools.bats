# SPDX-License-Identifier: GPL-2.0-or-later
# cupel tcplife, tcpconnect, tcpaccept, tcpretrans, tcptop and tcpdrop: arguments. test/live/activity_tcp.sh tests what they show.

@test "TCP tools: words" {
	for tool in tcplife tcpconnect tcpaccept tcpretrans tcpdrop; do
		run "$CUPEL" $tool word
		[ "$status" -eq 2 ]
	done
	run "$CUPEL" tcptop soon
	[ "$status" -eq 2 ]
	for option in -L -U -t -d; do # columns of single connections
		run "$CUPEL" tcpconnect -c $option
		[ "$status" -eq 2 ]
	done
	run "$CUPEL" tcpretrans -c -s
	[ "$status" -eq 2 ]
	run "$CUPEL" tcpretrans -c soon
	[ "$status" -eq 2 ]
}

@test "TCP tools: ports are numbers with commas" {
	for ports in abc 1x 80,x 80, ,80 0 99999 1-65000 ""; do
		for option in "tcplife -L" "tcplife -D" "tcpconnect -P" "tcpconnect -c -P" "tcpaccept -P"; do
			run "$CUPEL" $option "$ports"
			[ "$status" -eq 2 ]
			[[ $output == *"invalid value '$ports': expected ports"* ]]
		done
	done
}
