/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tokens (see tokens.h). A secret has 256 random bits, so its digest needs neither salt nor many
 * rounds. */
#include "server/tokens.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/output_file.h"
#include "store/store.h"

#define FILE_MAX      ((size_t)1 << 20)
#define SECRET_BYTES  32
#define SECRET_PREFIX "cupel_"

static const struct {
	const char *name;
	unsigned rights;
} words[] = {
	{ "read", RIGHT_READ },
	{ "ingest", RIGHT_INGEST },
	{ "admin", RIGHT_READ | RIGHT_INGEST | RIGHT_ADMIN },
};

unsigned token_rights(const char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].name, word) == 0)
			return words[i].rights;
	return 0;
}

const char *token_right_name(unsigned rights)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].rights == rights)
			return words[i].name;
	return "-";
}

bool token_name_is_valid(const char *name)
{
	size_t len = strlen(name);

	return len && len < TOKEN_NAME_MAX && *name != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
		       len;
}

static bool parse_digest(const char *text, uint8_t ret[SHA256_BYTES])
{
	if (strlen(text) != 2 * SHA256_BYTES ||
	    strspn(text, "0123456789abcdef") != 2 * SHA256_BYTES)
		return false;
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		char pair[3] = { text[2 * i], text[2 * i + 1], '\0' };

		ret[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return true;
}

/* The line is taken apart in place. */
static bool parse_line(char *line, struct token *ret)
{
	struct token token = { .uid = STORE_EVERYBODY };
	const char *word[6];
	size_t count = 0;
	char *rest = NULL, *end = NULL;

	for (char *at = strtok_r(line, " \t", &rest); at; at = strtok_r(NULL, " \t", &rest)) {
		if (count == 5)
			return false;
		word[count++] = at;
	}
	if (count != 5 || !token_name_is_valid(word[0]) || !token_rights(word[1]) ||
	    (strcmp(word[2], "-") != 0 && !token_name_is_valid(word[2])) ||
	    !parse_digest(word[4], token.digest))
		return false;
	if (strcmp(word[3], "-") != 0) {
		unsigned long uid = strtoul(word[3], &end, 10);

		if (*end || word[3][0] < '0' || word[3][0] > '9' || uid >= UINT32_MAX)
			return false;
		token.uid = (uint32_t)uid;
	}
	token.rights = token_rights(word[1]);
	(void)snprintf(token.name, sizeof(token.name), "%s", word[0]);
	(void)snprintf(token.tenant, sizeof(token.tenant), "%s", *word[2] == '-' ? "" : word[2]);
	*ret = token;
	return true;
}

int tokens_parse(const char *name, const char *text, struct tokens *ret, struct err *err)
{
	AUTO_FREE char *copy = mem_strdup(text);
	char *rest = copy;
	unsigned number = 0;

	*ret = (struct tokens){ 0 };
	while (rest) {
		char *line = strsep(&rest, "\n");
		struct token token;

		number++;
		if (!line[strspn(line, " \t")] || *line == '#')
			continue;
		if (!parse_line(line, &token)) {
			tokens_done(ret);
			return err_set(err, -EINVAL, "%s:%u: expected NAME RIGHT TENANT UID SHA256",
				       name, number);
		}
		vec_push(&ret->token, token);
	}
	return 0;
}

int tokens_read(const char *path, struct tokens *ret, struct err *err)
{
	struct buf text = { .limit = FILE_MAX };
	struct stat st;
	int code;

	*ret = (struct tokens){ 0 };
	if (stat(path, &st))
		return errno == ENOENT ? 0 : err_errno(err, "%s", path);
	if (st.st_mode & (S_IRWXO | S_IWGRP)) {
		(void)err_set(err, -EPERM, "%s: other users may read or change it", path);
		return err_hint(err, "chmod 600 %s", path);
	}
	code = fd_read_file(path, &text, err);
	if (!code)
		code = tokens_parse(path, text.data ? text.data : "", ret, err);
	buf_done(&text);
	return code;
}

static void put_token(const struct token *token, struct buf *out)
{
	(void)buf_printf(out, "%s %s %s ", token->name, token_right_name(token->rights),
			 *token->tenant ? token->tenant : "-");
	if (token->uid == STORE_EVERYBODY)
		(void)buf_puts(out, "- ");
	else
		(void)buf_printf(out, "%u ", token->uid);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		(void)buf_printf(out, "%02x", token->digest[i]);
	(void)buf_putc(out, '\n');
}

int tokens_write(const char *path, const struct tokens *tokens, struct err *err)
{
	mode_t mask = umask(0077);
	struct output_file file;
	struct buf text = { 0 };
	int fd = output_file_open(&file, path), code;

	(void)umask(mask);
	if (fd < 0)
		return output_file_error(path, fd, err);
	for (size_t i = 0; i < tokens->token.count; i++)
		put_token(&tokens->token.item[i], &text);
	code = fchmod(fd, 0600) ? -errno : 0;
	if (!code && text.len)
		code = fd_write_all(fd, text.data, text.len);
	(void)close(fd);
	buf_done(&text);
	if (code)
		(void)output_file_end(&file, false);
	else
		code = output_file_end(&file, true);
	return code ? output_file_error(path, code, err) : 0;
}

void tokens_done(struct tokens *tokens)
{
	vec_done(&tokens->token);
}

const struct token *tokens_find(const struct tokens *tokens, const char *secret)
{
	const struct token *found = NULL;
	uint8_t digest[SHA256_BYTES];

	sha256(secret, strlen(secret), digest);
	for (size_t i = 0; i < tokens->token.count; i++) {
		uint8_t differs = 0;

		for (size_t b = 0; b < SHA256_BYTES; b++)
			differs |= (uint8_t)(digest[b] ^ tokens->token.item[i].digest[b]);
		if (!differs)
			found = &tokens->token.item[i];
	}
	return found;
}

int token_make(struct token *token, char ret_secret[TOKEN_MAX], struct err *err)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	uint8_t random[SECRET_BYTES];
	size_t at = strlen(SECRET_PREFIX);

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_errno(err, "random bytes");
	memcpy(ret_secret, SECRET_PREFIX, at);
	for (size_t bit = 0; bit < 8 * SECRET_BYTES; bit += 6) {
		unsigned pair = (unsigned)random[bit / 8] << 8 |
				(bit / 8 + 1 < SECRET_BYTES ? random[bit / 8 + 1] : 0u);

		ret_secret[at++] = letters[pair >> (10 - bit % 8) & 63];
	}
	ret_secret[at] = '\0';
	sha256(ret_secret, at, token->digest);
	return 0;
}
