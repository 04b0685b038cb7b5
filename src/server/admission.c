/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Access (see admission.h). Headers are untrusted. */
#include "server/admission.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "server/peer.h"
#include "store/store.h"

#define BASIC_MAX 256 /* bytes of a name and a token */

bool admission_host_is_ours(const struct admission_rules *rules, const char *host)
{
	static const char *const own[] = { "localhost", "127.0.0.1", "[::1]" };
	const char *end = host + strlen(host), *colon = strrchr(host, ':');
	size_t len;

	if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1))
		end = colon;
	len = (size_t)(end - host);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strlen(own[i]) == len && strncasecmp(own[i], host, len) == 0)
			return true;
	for (size_t i = 0; i < rules->host_count; i++)
		if (strlen(rules->hosts[i]) == len && strncasecmp(rules->hosts[i], host, len) == 0)
			return true;
	return false;
}

static bool copy_secret(const char *text, size_t len, char ret[TOKEN_MAX])
{
	if (!len || len >= TOKEN_MAX || memchr(text, '\0', len))
		return false;
	memcpy(ret, text, len);
	ret[len] = '\0';
	return true;
}

static bool basic_secret(const char *text, char ret[TOKEN_MAX])
{
	struct buf pair = { .limit = BASIC_MAX };
	const char *colon = NULL;
	bool found = false;

	if (base64_decode(text, strlen(text), &pair) && pair.len)
		colon = memchr(pair.data, ':', pair.len);
	if (colon)
		found = copy_secret(colon + 1, (size_t)(pair.data + pair.len - colon - 1), ret);
	buf_done(&pair);
	return found;
}

bool admission_secret(const char *authorization, char ret[TOKEN_MAX])
{
	const char *word = strchr(authorization, ' ');
	size_t len = word ? (size_t)(word - authorization) : 0;

	if (!word)
		return false;
	word += strspn(word, " ");
	if (len == 6 && strncasecmp(authorization, "Bearer", len) == 0)
		return copy_secret(word, strlen(word), ret);
	return len == 5 && strncasecmp(authorization, "Basic", len) == 0 && basic_secret(word, ret);
}

/* What a page of another origin makes a browser send: only links to pages may come from there. */
static const char *foreign(const struct admission_claim *claim)
{
	bool reads = strcmp(claim->method, "GET") == 0 || strcmp(claim->method, "HEAD") == 0;

	if (!reads && claim->origin)
		return "pages do not send data here";
	if (!claim->fetch_site || strcmp(claim->fetch_site, "same-origin") == 0 ||
	    strcmp(claim->fetch_site, "none") == 0)
		return NULL;
	if (reads && claim->fetch_mode && strcmp(claim->fetch_mode, "navigate") == 0)
		return NULL;
	return "the request is from a page of another site";
}

static unsigned by_token(const struct admission_rules *rules, const char *secret,
			 struct caller *ret, const char **ret_why)
{
	struct err err = { 0 };
	const struct token *token;
	struct tokens tokens;

	if (tokens_read(rules->tokens_path, &tokens, &err)) {
		*ret_why = "the file of tokens cannot be used; the server's log has the reason";
		return 500;
	}
	token = tokens_find(&tokens, secret);
	if (token) {
		*ret = (struct caller){ .rights = token->rights,
					.viewer = token->uid,
					.by = "token" };
		memcpy(ret->name, token->name, sizeof(ret->name));
		memcpy(ret->tenant, token->tenant, sizeof(ret->tenant));
	}
	tokens_done(&tokens);
	*ret_why = "the token is not known here";
	return token ? 0 : 401;
}

static unsigned by_user(const struct admission_rules *rules, const struct admission_claim *claim,
			struct caller *ret, const char **ret_why)
{
	bool sees_all;
	uint32_t uid;

	if (claim->kind == LISTENER_REMOTE) {
		*ret_why = "a token is needed";
		return 401;
	}
	if (!peer_uid(claim->socket, &uid)) {
		*ret_why = "the user of this connection is not known: a token is needed";
		return 401;
	}
	sees_all = uid == 0 || uid == rules->owner;
	*ret = (struct caller){ .rights = RIGHT_READ | RIGHT_INGEST,
				.viewer = sees_all ? STORE_EVERYBODY : uid,
				.by = "user" };
	if (sees_all)
		ret->rights |= RIGHT_ADMIN;
	(void)snprintf(ret->name, sizeof(ret->name), "%u", uid);
	return 0;
}

unsigned admission_check(const struct admission_rules *rules, const struct admission_claim *claim,
			 unsigned rights, struct caller *ret, const char **ret_why)
{
	char secret[TOKEN_MAX];
	struct caller caller;
	unsigned status;

	if (claim->kind == LISTENER_LOOPBACK &&
	    (!claim->host || !admission_host_is_ours(rules, claim->host))) {
		*ret_why = "the request names another host: open the page by the server's address, "
			   "or start it with --host NAME";
		return 421;
	}
	*ret_why = foreign(claim);
	if (*ret_why)
		return 403;
	if (claim->api_key && copy_secret(claim->api_key, strlen(claim->api_key), secret))
		status = by_token(rules, secret, &caller, ret_why);
	else if (claim->authorization && admission_secret(claim->authorization, secret))
		status = by_token(rules, secret, &caller, ret_why);
	else if (claim->api_key || claim->authorization) {
		*ret_why = "expected the header Authorization: Bearer TOKEN";
		status = 401;
	} else
		status = by_user(rules, claim, &caller, ret_why);
	if (status)
		return status;
	if ((caller.rights & rights) != rights) {
		*ret_why = "this token has another right";
		return 403;
	}
	*ret = caller;
	return 0;
}
