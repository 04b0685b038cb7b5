#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers: yes
# `cupel report` in a terminal of 80 columns and 24 lines, with keys sent by tmux: screens, output
# files, other sizes, and the state of the terminal afterwards.
set -u
# shellcheck source=test/live/wait_for.bash
. "$(dirname "$0")/wait_for.bash"
: "${CUPEL:?path of the cupel binary}"
if ! command -v tmux >/dev/null; then
	echo "tmux is missing"
	exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
socket=$work/tmux
started=0
trap 'tmux -S "$socket" kill-server 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() {
	echo "FAIL: $*"
	tmux -S "$socket" capture-pane -p
	exit 1
}

cp "$here/../golden/report/callee/input.folded" profile.folded
cp "$here/../fuzz/seeds/perf_data/default" other.data
cat >two.txt <<'EOF'
work 7 [000] 1.000: 100 cycles: 
	1010 hash+0x10 (/bin/app)
	1000 main+0x10 (/bin/app)

idle 9 [000] 1.100: 50 cycles: 
	2010 poll+0x10 (/lib/libc.so.6)
	1000 main+0x10 (/bin/app)

work 7 [000] 1.200: 1 page-faults: 
	1020 touch+0x10 (/bin/app)
	1000 main+0x10 (/bin/app)

EOF
: >shown

pane() {
	tmux -S "$socket" capture-pane -p >shown
}
shows() {
	pane
	grep -q -- "$1" shown
}
shows_not() {
	pane
	! grep -q -- "$1" shown
}
keys() {
	tmux -S "$socket" send-keys -- "$@"
}
# start COLUMNS LINES COMMAND: in a new terminal, which shows its status and modes afterwards
start() {
	tmux -S "$socket" kill-server 2>/dev/null
	socket=$work/tmux$((++started)) # the old server may not be gone yet
	tmux -S "$socket" -f /dev/null new-session -d -x "$1" -y "$2" \
		"echo before; $3; echo \"status \$?\"; stty -a | tr ' ' '\\n' | grep -x -- '-*echo\\|-*icanon'; cat"
}
# ended STATUS: the program has exited, and the terminal has its modes
ended() {
	wait_for shows "^status $1$" && wait_for shows '^echo$' && shows '^icanon$' ||
		fail "the terminal does not have its modes"
}
# left STATUS: the earlier lines are there as well
left() {
	ended "$1"
	shows '^before$' || fail "the screen is not as it was"
}

start 80 24 "'$CUPEL' report profile.folded"
wait_for shows "Samples: 1000  of event 'samples'" || fail "no list"
shows '^  Children      Self  95% interval  Command  Shared Object  Symbol' || fail "no headings"
shows '^+  100.00%     0.00% .* main' || fail "no entry"
shows 'Enter menu .* ? help  q quit  *1/11$' || fail "no keys"
keys Down +
wait_for shows '^-   90.00%' || fail "+ does not expand"
keys C E
wait_for shows '^    *- 48.00% work' || fail "E does not expand all"
keys C
wait_for shows ' 2/11$' || fail "C does not collapse"
keys End
wait_for shows ' 11/11$' || fail "End"
keys Home PageDown Up
wait_for shows ' 10/11$' || fail "Home, PageDown, Up"
keys / r e a d _ Enter
wait_for shows ', Symbol: read_,' || fail "/ does not filter"
shows_not '] hash$' || fail "the filter leaves hash"
keys Escape
wait_for shows_not ', Symbol:' || fail "Esc does not take the filter back"
keys x
wait_for shows '^Callers and callees of ' || fail "x"
keys q
wait_for shows '^Samples' || fail "q does not leave callers"
keys Enter
wait_for shows '^What to do with this entry' || fail "no menu"
shows 'Zoom into DSO' || fail "the menu has no zoom"
keys Escape '?'
wait_for shows '^Keys' || fail "no help"
keys / f l a m e Enter
wait_for shows 'write a flame graph' || fail "no search"
keys q P
wait_for test -s report.hist.1 && grep -q '^+  100.00% .* main$' report.hist.1 || fail "P writes nothing"
keys P
wait_for test -s report.hist.2 || fail "the second P writes no second file"
keys Home f
wait_for test -s report.flame.1.html && grep -q '<html' report.flame.1.html || fail "f writes nothing"
wait_for shows 'written to report.flame.1.html' || fail "f does not name its file"
tmux -S "$socket" resize-window -x 40 -y 10
wait_for shows ' 1/11$' && [ "$(wc -l <shown)" -le 10 ] || fail "no room for 40x10"
shows '^+  100.00%     0.00%  \[.\] main' || fail "40 columns have no names"
tmux -S "$socket" resize-window -x 120 -y 30
wait_for shows '95% interval .* 95% interval' || fail "120 columns have no room for intervals"
keys s
wait_for shows '^Recordings in this folder' && shows ' other.data' || fail "s offers no recording"
keys Escape
wait_for shows_not '^Recordings' || fail "Esc does not leave the menu"
keys Escape
wait_for shows '^Quit?' || fail "Esc does not ask"
keys n q
left 0

start 80 24 "'$CUPEL' report two.txt"
wait_for shows '^Events of the recording' || fail "no menu of events"
keys Enter
wait_for shows "event 'cycles'" || fail "no first event"
keys Tab
wait_for shows "event 'page-faults'" || fail "Tab does not switch"
keys BTab
wait_for shows "event 'cycles'" || fail "Shift-Tab does not switch back"
keys / h a s h Enter t
wait_for shows 'Thread: work, Symbol: hash' || fail "t does not zoom"
keys d
wait_for shows 'Thread: work, DSO: app, Symbol: hash' || fail "d does not zoom"
keys t d Escape Left
wait_for shows '^Events of the recording' || fail "Left does not go back to the events"
keys C-c
left 0

cat >spin.c <<'C'
static volatile unsigned long sum;

__attribute__((noinline)) void hot(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i * 7; /* the line to find */
}

int main(void)
{
	hot(300000000);
	return 0;
}
C
if cc -g -O1 -o spin spin.c && timeout -s KILL 60 "$CUPEL" record -q -o spin.data -- ./spin 2>log; then
	start 80 24 "'$CUPEL' report spin.data"
	wait_for shows '] hot' || fail "no hot function"
	keys / h o t Enter a
	wait_for shows '^hot  Samples: [0-9]' || fail "a does not annotate"
	shows 'the line to find' || fail "no source"
	keys s
	wait_for shows_not 'the line to find' || fail "s does not hide the source"
	keys H Tab q
	wait_for shows '^Samples' || fail "q does not leave the code"
	keys i
	wait_for shows '^# hostname : ' || fail "no header"
	keys q q
	left 0
	head -c $(($(wc -c <spin.data) / 2)) spin.data >cut.data # within the samples or behind
	start 80 24 "'$CUPEL' report cut.data"
	wait_for shows '^damaged: ' || fail "no word about damage"
	keys i
	wait_for shows '^# Damaged: ' || fail "no damage above the header"
	keys q q
	left 0
	start 80 24 "'$CUPEL' annotate -i spin.data"
	wait_for shows '^hot  Samples: [0-9]' || fail "annotate does not show the hottest function"
	shows 'the line to find' || fail "annotate shows no source"
	keys q
	wait_for shows '] hot' || fail "no list behind the code"
	keys q
	left 0
	start 80 24 "'$CUPEL' annotate -i spin.data nobody"
	wait_for shows 'nobody: not among the functions here' || fail "no word about nobody"
	keys q
	left 0
	strip -o bare spin
	"$CUPEL" record -q -F 99 -g -o bare.data -- ./bare 2>/dev/null
	start 80 24 "'$CUPEL' report --no-children -g none bare.data"
	wait_for shows '^ .* bare .*\] 0x' || fail "no row without a name"
	keys a
	wait_for shows '^0x[0-9a-f]*  Samples: [0-9]' || fail "a does not show code without a name"
	keys q q
	left 0
else
	echo "not tested: annotate: no recording here: $(head -n 1 log)"
fi

for signal in TERM HUP QUIT; do
	start 80 24 "'$CUPEL' report profile.folded"
	wait_for shows '^Samples' || fail "no list"
	kill -"$signal" "$(pgrep -P "$(tmux -S "$socket" list-panes -F '#{pane_pid}')" cupel | head -n 1)"
	left "$((128 + $(kill -l "$signal")))"
done
start 80 24 "'$CUPEL' report profile.folded"
wait_for shows '^Samples' || fail "no list"
kill -ABRT "$(pgrep -P "$(tmux -S "$socket" list-panes -F '#{pane_pid}')" cupel | head -n 1)"
left 134

start 80 24 "'$CUPEL' report profile.folded"
wait_for shows '^Samples' || fail "no list"
keys 'C-\'
left 131

# job COMMAND: by a shell with job control, in a new terminal.
job() {
	start 80 24 "PS1='shell$ ' bash --norc --noprofile -i"
	wait_for shows '^shell\$' || fail "no shell"
	tmux -S "$socket" send-keys -l "$1"
	keys Enter
}
# in_shell: the job has stopped, and the terminal is the shell's.
in_shell() {
	wait_for shows 'Stopped' || fail "$1"
	shows_not '^Samples\|^# Overhead' || fail "$1: the screen is not given back"
	stty -a -F "$(tmux -S "$socket" list-panes -F '#{pane_tty}')" >modes
	! grep -q -- ' -isig' modes || fail "$1: the terminal is raw"
}
job "'$CUPEL' report profile.folded"
wait_for shows '^Samples' || fail "no list"
keys C-z
in_shell "Ctrl-Z does not stop"
tmux -S "$socket" resize-window -x 100 -y 20
keys f g Enter
wait_for shows '^Samples' && wait_for shows ' 1/11$' || fail "fg does not bring it back"
keys Down
wait_for shows ' 2/11$' || fail "no keys after fg"
kill -TSTP "$(pgrep -P "$(pgrep -P "$(tmux -S "$socket" list-panes -F '#{pane_pid}')" bash)" cupel | head -n 1)"
in_shell "SIGTSTP does not stop"
keys f g Enter
wait_for shows ' 2/11$' || fail "fg does not bring it back a second time"
keys q
wait_for shows_not '^Samples' || fail "q after fg"

if [ -x spin ] && timeout -s KILL 60 "$CUPEL" top --stdio --duration 200ms >log 2>&1; then
	job "'$CUPEL' top -d 300ms"
	wait_for shows '# Overhead' || fail "no top"
	keys C-z
	in_shell "top: Ctrl-Z does not stop"
	keys f g Enter
	wait_for shows '# Overhead' || fail "top: fg does not bring it back"
	keys '?'
	wait_for shows '^any key: ' || fail "top: no keys after fg"
	keys q 'C-\'
	wait_for shows '^shell\$ *$' || fail "top: Ctrl-\\ does not end it"
	stty -a -F "$(tmux -S "$socket" list-panes -F '#{pane_tty}')" >modes
	! grep -q -- ' -isig' modes || fail "top: the terminal is raw"
else
	echo "not tested: top: none here: $(head -n 1 log)"
fi

# Long texts go through a pager, short ones and those with --no-pager do not.
paged="CUPEL_PAGER=\"sed 's/^/paged: /'\""
start 80 12 "$paged '$CUPEL' list sw"
ended 0
shows '^paged: ' || fail "list: no pager"
start 80 12 "$paged '$CUPEL' --no-pager list sw"
ended 0
shows_not '^paged: ' || fail "list: a pager in spite of --no-pager"
start 80 12 "$paged '$CUPEL' list sw --no-pager"
ended 0
shows_not '^paged: ' || fail "list: a pager in spite of its own --no-pager"
start 80 24 "$paged '$CUPEL' list off-cpu"
ended 0
shows '^  off-cpu' || fail "list: short text goes through a pager"
start 80 12 "CUPEL_PAGER=/no/such/program '$CUPEL' doctor --help"
ended 0
shows 'print JSON' || fail "no text without a pager"

# So does the text of commands that read recordings, in spite of their sandbox, also if it comes in
# pieces; what is left early ends the command.
start 80 12 "$paged '$CUPEL' report --stdio profile.folded"
ended 0
shows '^paged: .*the key a\|^paged: *$' || fail "report: no pager"
start 80 50 "$paged '$CUPEL' report --stdio -g none --sort sym --percent-limit 20 profile.folded"
ended 0
shows '%' || fail "report: short text is not shown"
shows_not '^paged: ' || fail "report: short text goes through a pager"
start 80 12 "PERF_PAGER=\"sed 's/^/paged: /'\" '$CUPEL' script -D -i other.data"
ended 0
shows '^paged: ' || fail "script: no pager"
start 80 12 "PERF_PAGER=false '$CUPEL' script -D -i other.data"
ended 0
start 80 12 "$paged '$CUPEL' --buildid-dir . --no-pager script -D -i other.data"
ended 0
shows_not '^paged: ' || fail "script: a pager in spite of --no-pager behind another option"
if command -v less >/dev/null; then
	start 80 12 "PAGER=less '$CUPEL' script -D -i other.data"
	wait_for shows '^:' || fail "script: less does not wait for keys"
	keys C-c
	keys G
	wait_for shows '(END)' || fail "script: Ctrl-C ends more than what less does"
	keys q
	ended 0
else
	echo "not tested: script in less: less is missing"
fi

# No browser with options for text output, or without a screen.
start 80 24 "'$CUPEL' --no-pager report --stdio --no-interval --sort sym -g none profile.folded"
ended 0
shows '^   100.00%' || fail "--stdio does not print"
start 80 24 "TERM=dumb '$CUPEL' report --sort sym -g none profile.folded"
ended 0
start 80 24 "TERM=nothing-like-it '$CUPEL' --no-pager report --sort sym -g none profile.folded"
ended 0
start 80 24 "'$CUPEL' report --tui missing.data"
ended 1
shows 'missing.data: No such file' || fail "no message"
start 80 24 "NO_COLOR=1 '$CUPEL' report profile.folded"
wait_for shows '^Samples' || fail "no list without colours"
tmux -S "$socket" capture-pane -p -e >shown
! grep -q "$(printf '\033')\\[[0-9;]*3[0-7]m" shown || fail "colours in spite of NO_COLOR"
keys q
left 0
exit 0
