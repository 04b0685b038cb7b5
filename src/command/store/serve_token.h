/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel serve token: makes, lists and removes tokens. */
#ifndef COMMAND_STORE_SERVE_TOKEN_H
#define COMMAND_STORE_SERVE_TOKEN_H

struct err;
struct option_words;

struct serve_token_options {
	int right; /* 0 read, 1 ingest, 2 admin: ORDER as in the option's choices */
	const char *tenant, *uid;
};

/* The words behind "token". path NULL = "tokens" in the store. Returns the exit status, or -1. */
int serve_token_run(const struct serve_token_options *options, const char *store, const char *path,
		    const struct option_words *words, struct err *err);

#endif
