#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The generated completions, in the shells themselves.

# complete_bash WORDS...: what bash offers for the last word.
complete_bash() {
	bash --norc -c '
		source <("$CUPEL" help --completion bash)
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_cupel
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

@test "bash completes commands" {
	run complete_bash cupel ver
	[ "$status" -eq 0 ]
	[ "$output" = version ]
	run complete_bash cupel help ver
	[ "$output" = version ]
}

@test "bash completes options of a command" {
	run complete_bash cupel version --bu
	[ "$output" = --build-options ]
	run complete_bash cupel help --
	[[ $output == *--completion* ]]
}

@test "bash completes values of options, with = and in lists" {
	run complete_bash cupel convert --format sp
	[ "$output" = speedscope ]
	run complete_bash cupel flamegraph --format = h
	[ "$output" = html ]
	run complete_bash cupel wall --by =
	[[ $output == *thread*process*name* ]]
	run complete_bash cupel report -s comm,ds
	[[ $output == comm,dso* ]]
	run complete_bash cupel sched latency -s ru
	[ "$output" = runtime ]
}

@test "bash completes programs after --" {
	run complete_bash cupel version -- bas
	[[ $output == *bash* ]]
}

@test "bash registers the function" {
	run bash --norc -c 'source <("$CUPEL" help --completion bash); complete -p cupel'
	[ "$status" -eq 0 ]
	[ "$output" = "complete -o default -F _cupel cupel" ]
}

@test "shellcheck finds no problem in the bash script" {
	command -v shellcheck >/dev/null || skip "no shellcheck"
	# COMPREPLY=($(...)) splits the lines of compgen into words on purpose.
	"$CUPEL" help --completion bash | shellcheck -s bash -e SC2207 -
}

# Lets zsh complete a line in a terminal.
@test "zsh completes commands and options" {
	command -v zsh >/dev/null || skip "no zsh"
	[ -e /dev/pts/ptmx ] || skip "no pseudo terminals: /dev/pts is not mounted"
	dir=$(mktemp -d)
	"$CUPEL" help --completion zsh >"$dir/_cupel"
	cat >"$dir/try.zsh" <<-'EOF'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; cd $1"
		zpty -w shell "zstyle ':completion:*' list-rows-first true; bindkey '^I' complete-word"
		zpty -w shell "print -r -- REA''DY"
		zpty -r -m shell output '*READY*'
		zpty -n -w shell "cupel ver"$'\t'"--bui"$'\t'$'\n'
		zpty -n -w shell "cupel convert --format=spee"$'\t'$'\n'
		zpty -n -w shell "print -r -- DO''NE"$'\n'
		zpty -r -m shell output '*DONE*'
		print -r -- "$output"
	EOF
	run timeout 60 zsh -f "$dir/try.zsh" "$dir"
	rm -r "$dir"
	echo "$output"
	[[ $output == *"cupel version"*"--build-options"*"--format=speedscope"* ]]
}

@test "an unknown shell is a usage error" {
	run "$CUPEL" help --completion fish
	[ "$status" -eq 2 ]
	[[ $output == "cupel: help: no completion for 'fish'; available: bash, zsh"* ]]
}
