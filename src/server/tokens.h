/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access tokens: the rights of clients without another identity. A file has one line for each, with
 * the digest of the secret in place of the secret:
 *
 *     NAME RIGHT TENANT UID SHA256
 *
 * RIGHT is read, ingest or admin (which is both, and the server's state). TENANT "-" is the store
 * itself, another one a store of its own in the folder tenant-NAME of it. UID "-" sees everything,
 * a number what that user may see. # begins a comment line. */
#ifndef SERVER_TOKENS_H
#define SERVER_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"
#include "base/vec.h"

struct buf;
struct err;

#define TOKEN_NAME_MAX 64
#define TOKEN_MAX      64 /* characters of the secret, with its NUL */

enum right {
	RIGHT_READ = 1,
	RIGHT_INGEST = 2,
	RIGHT_ADMIN = 4,
};

struct token {
	char name[TOKEN_NAME_MAX], tenant[TOKEN_NAME_MAX]; /* tenant "" = the store itself */
	unsigned rights;
	uint32_t uid; /* STORE_EVERYBODY: sees everything */
	uint8_t digest[SHA256_BYTES];
};

struct tokens {
	VEC(struct token) token;
};

/* Bits of enum right; 0 = no such word. */
unsigned token_rights(const char *word);
/* "read", "ingest" or "admin". */
const char *token_right_name(unsigned rights);
/* Letters, digits, - and _. */
bool token_name_is_valid(const char *name);

/* `name` is for messages, which have the number of the line. */
int tokens_parse(const char *name, const char *text, struct tokens *ret, struct err *err);
/* A file that is not there has none. Refuses one that others may read. */
int tokens_read(const char *path, struct tokens *ret, struct err *err);
int tokens_write(const char *path, const struct tokens *tokens, struct err *err);
void tokens_done(struct tokens *tokens);
/* Takes the same time for every secret. NULL = none. */
const struct token *tokens_find(const struct tokens *tokens, const char *secret);
/* A new secret; its digest is set in the token. */
int token_make(struct token *token, char ret_secret[TOKEN_MAX], struct err *err);

#endif
