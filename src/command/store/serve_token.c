/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens of cupel serve (see serve_token.h). A secret is printed once, when it is made. */
#include "command/store/serve_token.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "command/command.h"
#include "command/option/option.h"
#include "server/tokens.h"
#include "store/store.h"

static struct token *find(struct tokens *tokens, const char *name)
{
	for (size_t i = 0; i < tokens->token.count; i++)
		if (strcmp(tokens->token.item[i].name, name) == 0)
			return &tokens->token.item[i];
	return NULL;
}

static int fill(const struct serve_token_options *options, const char *name, struct token *ret,
		struct err *err)
{
	static const char *const rights[] = { "read", "ingest", "admin" };
	char *end = NULL;

	if (!token_name_is_valid(name))
		return err_usage(err, "'%s': names have letters, digits, - and _", name);
	if (options->tenant && !token_name_is_valid(options->tenant))
		return err_usage(err, "--tenant %s: names have letters, digits, - and _",
				 options->tenant);
	*ret = (struct token){ .rights = token_rights(rights[options->right]),
			       .uid = STORE_EVERYBODY };
	if (options->uid) {
		unsigned long uid = strtoul(options->uid, &end, 10);

		if (options->uid[0] < '0' || options->uid[0] > '9' || *end || uid >= UINT32_MAX)
			return err_usage(err, "--uid %s: expected a number", options->uid);
		ret->uid = (uint32_t)uid;
	}
	(void)snprintf(ret->name, sizeof(ret->name), "%s", name);
	(void)snprintf(ret->tenant, sizeof(ret->tenant), "%s",
		       options->tenant ? options->tenant : "");
	return 0;
}

static int add(const struct serve_token_options *options, const char *path, const char *name,
	       struct tokens *tokens, struct err *err)
{
	char secret[TOKEN_MAX];
	struct token token;

	if (fill(options, name, &token, err))
		return -1;
	if (find(tokens, name)) {
		(void)err_set(err, -EEXIST, "there is a token '%s'", name);
		(void)err_hint(err, "remove it first: cupel serve token remove %s", name);
		return -1;
	}
	if (token_make(&token, secret, err))
		return -1;
	vec_push(&tokens->token, token);
	if (tokens_write(path, tokens, err))
		return -1;
	(void)printf("%s\n", secret);
	(void)fprintf(stderr, "[ cupel: this is the only time that the token is shown ]\n");
	return EXIT_STATUS_OK;
}

static int remove_one(const char *path, const char *name, struct tokens *tokens, struct err *err)
{
	struct token *token = find(tokens, name);

	if (!token) {
		(void)err_set(err, -ENOENT, "%s: there is no token '%s'", path, name);
		return -1;
	}
	*token = *vec_last(&tokens->token);
	tokens->token.count--;
	return tokens_write(path, tokens, err) ? -1 : EXIT_STATUS_OK;
}

static int list(const struct tokens *tokens, struct err *err)
{
	struct buf text = { 0 };
	int code;

	(void)buf_printf(&text, "%-24s %-7s %-16s %s\n", "name", "right", "tenant", "sees");
	for (size_t i = 0; i < tokens->token.count; i++) {
		const struct token *token = &tokens->token.item[i];

		(void)buf_printf(&text, "%-24s %-7s %-16s ", token->name,
				 token_right_name(token->rights),
				 *token->tenant ? token->tenant : "-");
		if (token->uid == STORE_EVERYBODY)
			(void)buf_puts(&text, "everything\n");
		else
			(void)buf_printf(&text, "user %u\n", token->uid);
	}
	code = command_write_output(NULL, &text, err);
	buf_done(&text);
	return code ? -1 : EXIT_STATUS_OK;
}

static int run(const struct serve_token_options *options, const char *path,
	       const struct option_words *words, struct err *err)
{
	const char *what = words->argc ? words->argv[0] : "";
	bool adds = strcmp(what, "add") == 0, removes = strcmp(what, "remove") == 0;
	bool lists = strcmp(what, "list") == 0 || !words->argc;
	struct tokens tokens;
	int status;

	if ((!adds && !removes && !lists) || words->argc > 2 ||
	    (words->argc == 2) != (adds || removes))
		return command_usage(err, "expected: token add NAME, token list, or token remove "
					  "NAME");
	if (tokens_read(path, &tokens, err))
		return -1;
	status = adds	   ? add(options, path, words->argv[1], &tokens, err)
		 : removes ? remove_one(path, words->argv[1], &tokens, err)
			   : list(&tokens, err);
	tokens_done(&tokens);
	return status;
}

int serve_token_run(const struct serve_token_options *options, const char *store, const char *path,
		    const struct option_words *words, struct err *err)
{
	struct buf usual = { 0 };
	int status;

	if (!store_is_folder(store))
		store = STORE_DEFAULT;
	if (!path) {
		(void)mkdir(store, 0700); /* writing says what is wrong */
		(void)buf_printf(&usual, "%s/tokens", store);
	}
	status = run(options, path ? path : usual.data, words, err);
	buf_done(&usual);
	return status;
}
