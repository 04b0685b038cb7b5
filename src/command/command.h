/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command is a const struct and a file; main.c holds the array. Only this folder prints
 * messages. */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct option_def;

enum exit_status {
	EXIT_STATUS_OK = 0,
	EXIT_STATUS_FAILED = 1,
	EXIT_STATUS_USAGE = 2,
};

struct command {
	const char *name;
	const char *args;		  /* "[options] [-- command]" */
	const char *summary;		  /* one line, lower case, no full stop */
	const struct option_def *options; /* NULL = none; ends with OPT_END */
	size_t options_size; /* bytes of the options struct; allocated zeroed by main() */
	void (*defaults)(void *options); /* may be NULL */
	void (*done)(void *options);	 /* frees what set() functions allocated; may be NULL */
	/* argc/argv are the words after the options. Returns the exit status, or -1 with err filled
	 * (main() prints it and exits with 1), or command_usage(). */
	int (*run)(void *options, int argc, char **argv, struct err *err);
	bool takes_program; /* stop parsing at the first word that is not an option */
	bool keeps_dashes;  /* leave "--" among the words, to tell files from a program's words */
	bool hidden;
	const struct command *record; /* what `NAME record` runs; NULL = it is a word like others */
	const struct command *report; /* the same of `NAME report` */
	bool reads;		      /* only parses untrusted input (command/reader.h) */
	bool names_outputs; /* of those that do: it writes no files but those of OPT_OUTPUT rows */
	/* A command of commands ("sched latency"), NULL-terminated; then everything above but
	 * name, args and summary is theirs. Their names include the parent's. */
	const struct command *const *sub;
	/* Of a command of commands: what it runs when its first word names none of them. */
	const struct command *otherwise;
};

const struct command *const *command_all(void); /* NULL-terminated, in order of `cupel help` */
/* The part of a subcommand's name that follows its parent's. */
const char *command_last_name(const struct command *command);
const struct command *command_find(const char *name);
/* Like command_find(), with an error that suggests the nearest name. Returns 0 or -EINVAL. */
int command_require(const char *name, const struct command **ret, struct err *err);
/* The command that the words name, moved to their front: words[0] is its last name then. Options
 * may stand before the name of a subcommand, as in `sched -i FILE latency`. */
struct option_words;
int command_choose(struct option_words *words, const struct command **ret, struct err *err);

/* Runs another command with these words, words->argv[0] being its name. Returns its exit status;
 * its errors are printed. */
int command_run(const struct option_words *words);

/* The running program's words, for JSON "command" and the perf.data header. They are borrowed. */
void command_set_words(const struct option_words *words);
const struct option_words *command_words(void);

/* "cupel: msg" and, when there is one, "cupel: hint: …" on stderr. */
void command_print_error(const struct err *err);
/* Prints to stderr, one per line, what deviates from the request. */
void command_print_notes(const char *notes);
/* Sets err and returns EXIT_STATUS_USAGE for an invalid command line; main() prints it. */
int command_usage(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The status of a command that may have run a program, when all is done (code, with err): the
 * program's own; 126 or 127 and a message when it could not be started; -1 after another error. */
int command_program_status(int code, bool launched, int exit_status, const struct err *err);
/* "cupel: warning: …" */
void command_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Writes text to a file, or to stdout if path is NULL or "-". All text output goes through this
 * function, which removes control characters (text_tidy_lines() in base/buf.h). Returns 0 or -errno
 * with err set. */
struct buf;
int command_write_output(const char *path, struct buf *text, struct err *err);
/* Writes the text unless `code` is that of an earlier failure, and frees it. Returns code, or what
 * writing returned. */
int command_end_output(int code, const char *path, struct buf *text, struct err *err);
/* The same for data that is not text, and for what commands the terminal on purpose. */
int command_write_bytes(const char *path, const struct buf *data, struct err *err);
/* Columns of the terminal that text for this path goes to; 0 = it goes somewhere else. */
size_t command_terminal_width(const char *path);
/* Can that be written? Asked before something is done that takes long. Leaves nothing behind. */
int command_check_output(const char *path, struct err *err);

/* The default INPUT: "-" if standard input is a pipe or a file, else NULL (perf.data), as in
 * perf. */
const char *command_default_input(void);
/* The input of a command that has one: a word, else that of --input (NULL = not given), else the
 * default one. Returns 0, or command_usage(). */
struct option_words;
int command_take_input(const struct option_words *words, const char *option, const char **ret,
		       struct err *err);

#endif
