/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options are rows. One table per command makes the parser, --help, the man page's OPTIONS section
 * and the completions. Names may be shortened to any unique prefix (as perf and Getopt::Long
 * allow),
 * `--no-NAME` clears a flag, values follow as `--name=value` or `--name value`, `-nvalue` or
 * `-n value`. Parsing stops at `--` or, when the command takes a program, at the first word that is
 * not an option. */
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
	OPT_UINT,     /* uint64_t; accepts k, m, g suffixes (1000s are not meant: 1k = 1000 for
			 counts; see OPT_SIZE) */
	OPT_SIZE,     /* uint64_t bytes; B, K, M, G are powers of 1024 */
	OPT_DOUBLE,   /* double */
	OPT_DURATION, /* uint64_t ns: "30s", "500ms", "2m", plain number = seconds */
	OPT_STR,      /* const char *, borrowed from argv */
	OPT_LIST,     /* struct option_list: may be given several times */
	OPT_CALL,     /* set() decides; value may be NULL when arg is optional */
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
	const char *arg; /* "HZ", NULL = takes no value; "[=HZ]" = value is optional, only with = or
			    glued */
	size_t offset;	 /* of the field in the command's options struct */
	const char *help; /* one line; NULL = hidden alias */
	int (*set)(void *field, const char *value, bool negated, struct err *err); /* OPT_CALL */
	const struct option_def *include;					   /* OPT_INCLUDE */
};

#define OPT(type, field) offsetof(struct type, field)

struct command;

/* Parses argv[1..]; argv[0] is the command's word. *ret_rest is the index of the first word not
 * consumed. Returns 0, -EINVAL (usage), or 1 when --help was asked for (nothing else done). */
int option_parse(const struct command *command, int argc, char **argv, void *options, int *ret_rest,
		 struct err *err);
/* Frees what OPT_LIST rows allocated. */
void option_done(const struct option_def *table, void *options);

/* Help text as --help prints it, and the OPTIONS section in mdoc for the man page. */
void option_help(const struct command *command, struct buf *ret);
void option_man(const struct command *command, struct buf *ret);
/* Walks all rows, included ones too: returns the nth (from 0), NULL past the end. */
const struct option_def *option_row(const struct option_def *table, size_t n);

#endif
