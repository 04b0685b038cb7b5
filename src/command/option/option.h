/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options are rows of a table. One table per command defines the parser, --help, the OPTIONS
 * section of the man page and the completions. Names may be abbreviated to a unique prefix (as in
 * perf and Getopt::Long); `--no-NAME` clears a flag (and `--NAME` clears a flag with the row
 * no-NAME); values follow as `--name=value`, `--name value`, `-nvalue` or `-n value`. Parsing stops
 * at `--`, or at the first non-option if the command takes a program; otherwise options and
 * arguments may be mixed. */
#ifndef COMMAND_OPTION_H
#define COMMAND_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;

enum option_type {
	OPT_END,
	OPT_GROUP,    /* help: heading of the rows below */
	OPT_FLAG,     /* bool */
	OPT_COUNT,    /* unsigned: -vv */
	OPT_UINT,     /* uint64_t; decimal or 0x…; k, m, g are powers of 1000 */
	OPT_SIZE,     /* uint64_t bytes; B, K, M, G, T are powers of 1024 */
	OPT_DOUBLE,   /* double */
	OPT_DURATION, /* uint64_t ns: "30s", "500ms", "2m", plain number = seconds; not 0 */
	OPT_STR,      /* const char *, borrowed from argv */
	OPT_OUTPUT,   /* the same: a file that the command writes at its end */
	OPT_CHOICE,   /* an enum: the position of the word in choices */
	OPT_LIST,     /* struct option_list: may be given several times */
	OPT_WORDS,    /* struct option_list: all words up to the next option */
	OPT_CALL,     /* set() decides; value may be NULL when arg is optional */
	OPT_REFUSE,   /* a usage error: another tool has it; help says what to use instead */
	OPT_INCLUDE,  /* all rows of another table, values at an offset */
};

struct option_list {
	const char **item;
	size_t count;
};

struct option_def {
	const char *name; /* long name; NULL = none; heading for OPT_GROUP */
	char letter;	  /* 0 = none */
	enum option_type type;
	/* "HZ"; NULL = takes no value; "[=HZ]" = optional, only with = or glued; "[HZ]" = optional,
	 * but the next word is taken too unless it begins with - or there is none (perf's -g). */
	const char *arg;
	size_t offset;	  /* of the field in the command's options struct */
	const char *help; /* one line; NULL = hidden alias */
	/* OPT_CALL. value is NULL if the row takes no value or the optional value is missing, and
	 * empty if a row with a required value is negated. */
	int (*set)(void *field, const char *value, bool negated, struct err *err);
	const struct option_def *include; /* OPT_INCLUDE */
	void (*words)(struct buf *ret);	  /* appends to the help, such as a registry's names */
	/* Values with blanks between them: all that OPT_CHOICE takes, in the order of its enum; for
	 * other types those that completion offers. */
	const char *choices;
};

#define OPT(type, field) offsetof(struct type, field)

struct command;

/* Words of a command line; the array is reordered by parsing, the strings stay the caller's. */
struct option_words {
	int argc;
	char **argv;
};

/* Parses the arguments; argv[0] is the command's name. *words gets those that are not options, in
 * order. Drops `--` unless command->keeps_dashes. Returns 0, -EINVAL (usage), or 1 for --help. */
int option_parse(const struct command *command, struct option_words *words, void *options,
		 struct err *err);
/* One value of the number types, for set() functions and others that read such words. */
int option_parse_number(enum option_type type, const char *text, void *ret, struct err *err);
/* A number without a unit, as in C: 10, 0x10, 010. */
bool option_parse_plain(const char *text, uint64_t *ret);
/* "invalid value 'x': expected y"; -EINVAL. */
int option_bad_value(struct err *err, const char *value, const char *expected);
/* An enum field from one of the words, which have blanks between them. */
int option_set_word(void *field, const char *value, const char *words, struct err *err);
/* The set() of a string where a second value would silently replace the first. */
int option_set_once(void *field, const char *value, bool negated, struct err *err);
/* Appends to an OPT_LIST field; for set() functions. */
void option_list_add(struct option_list *list, const char *item);
/* Calls check() with each output that was named, until it fails. */
int option_check_outputs(const struct option_def *table, const void *options,
			 int (*check)(const char *path, struct err *err), struct err *err);
/* Frees what OPT_LIST rows allocated. */
void option_done(const struct option_def *table, void *options);

/* The row's help with its words. */
void option_put_help(const struct option_def *row, struct buf *ret);
/* Help text as --help prints it, and the OPTIONS section in mdoc for the man page. */
void option_help(const struct command *command, struct buf *ret);
void option_man(const struct command *command, struct buf *ret);
/* Walks all rows, included ones too (OPT_INCLUDE rows themselves are not returned): the nth from 0,
 * NULL past the end. */
const struct option_def *option_row(const struct option_def *table, size_t n);

#endif
