/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server/access, server/tokens, server/listener, server/peer: each rule, with what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/fd.h"
#include "server/admission.h"
#include "server/listener.h"
#include "server/peer.h"
#include "server/tokens.h"
#include "store/store.h"

static char folder[] = "/tmp/cupel-access-XXXXXX";
static char path[64];
static char secret[3][TOKEN_MAX]; /* of reader, writer, boss */

static int make_tokens(void **state)
{
	struct tokens tokens = { 0 };
	struct token reader = { .name = "reader", .rights = token_rights("read"), .uid = 1000 };
	struct token writer = { .name = "writer",
				.tenant = "ci",
				.rights = token_rights("ingest"),
				.uid = STORE_EVERYBODY };
	struct token boss = { .name = "boss",
			      .rights = token_rights("admin"),
			      .uid = STORE_EVERYBODY };
	struct err err = { 0 };

	(void)state;
	if (!mkdtemp(folder) || token_make(&reader, secret[0], &err) ||
	    token_make(&writer, secret[1], &err) || token_make(&boss, secret[2], &err))
		return -1;
	vec_push(&tokens.token, reader);
	vec_push(&tokens.token, writer);
	vec_push(&tokens.token, boss);
	(void)snprintf(path, sizeof(path), "%s/tokens", folder);
	if (tokens_write(path, &tokens, &err))
		return -1;
	tokens_done(&tokens);
	return 0;
}

static int remove_tokens(void **state)
{
	(void)state;
	(void)unlink(path);
	return rmdir(folder);
}

static unsigned check(const struct admission_claim *claim, unsigned rights, struct caller *ret)
{
	static const char *const hosts[] = { "profiles.example" };
	const struct admission_rules rules = { path, hosts, 1, geteuid() };
	const char *why;

	return admission_check(&rules, claim, rights, ret, &why);
}

static void test_tokens__survive_the_file(void **state)
{
	struct tokens tokens;
	struct err err = { 0 };
	struct stat st;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(tokens_read(path, &tokens, &err), 0);
	assert_int_equal(tokens.token.count, 3);
	assert_string_equal(tokens_find(&tokens, secret[1])->tenant, "ci");
	assert_int_equal(tokens_find(&tokens, secret[0])->uid, 1000);
	assert_null(tokens_find(&tokens, "cupel_x"));
	assert_null(tokens_find(&tokens, ""));
	assert_string_not_equal(secret[0], secret[1]);
	tokens_done(&tokens);
	/* others may not read it */
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_not_equal(tokens_read(path, &tokens, &err), 0);
	assert_int_equal(chmod(path, 0600), 0);
}

static void test_tokens__damaged_lines(void **state)
{
	static const char hex[] =
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
	static const char *const bad[] = { "a",
					   "a read - -",
					   "a read - - abc",
					   "a write - - %s",
					   "../a read - - %s",
					   "a read ../x - %s",
					   "a read - -1 %s",
					   "a read - 1x %s",
					   "a read - - %s x",
					   "a read - 4294967295 %s" };
	struct tokens tokens;
	char line[256];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { 0 };
		const char *place = strstr(bad[i], "%s");

		(void)snprintf(line, sizeof(line), "%.*s%s%s",
			       (int)(place ? (size_t)(place - bad[i]) : strlen(bad[i])), bad[i],
			       place ? hex : "", place ? place + 2 : "");
		if (!tokens_parse("tokens", line, &tokens, &err))
			fail_msg("%s", line);
	}
}

static void test_admission__tokens(void **state)
{
	struct admission_claim claim = { .kind = LISTENER_REMOTE, .socket = -1, .method = "GET" };
	struct caller caller;
	char header[128];

	(void)state;
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 401); /* without */
	claim.authorization = "Bearer cupel_wrong";
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 401);
	claim.authorization = header;
	(void)snprintf(header, sizeof(header), "Bearer %s", secret[0]);
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 0);
	assert_int_equal(caller.viewer, 1000);
	assert_string_equal(caller.tenant, "");
	assert_int_equal(check(&claim, RIGHT_INGEST, &caller), 403);
	assert_int_equal(check(&claim, RIGHT_ADMIN, &caller), 403);
	(void)snprintf(header, sizeof(header), "Bearer %s", secret[1]);
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 403);
	assert_int_equal(check(&claim, RIGHT_INGEST, &caller), 0);
	assert_string_equal(caller.tenant, "ci");
	(void)snprintf(header, sizeof(header), "bearer  %s", secret[2]);
	assert_int_equal(check(&claim, RIGHT_ADMIN | RIGHT_READ | RIGHT_INGEST, &caller), 0);
	claim.authorization = NULL;
	claim.api_key = secret[1];
	assert_int_equal(check(&claim, RIGHT_INGEST, &caller), 0);
	claim.api_key = "x";
	assert_int_equal(check(&claim, RIGHT_INGEST, &caller), 401);
}

static void test_admission__words_of_the_header(void **state)
{
	char found[TOKEN_MAX];

	(void)state;
	assert_true(admission_secret("Basic YTpzZWNyZXQ=", found));
	assert_string_equal(found, "secret");
	assert_true(admission_secret("Basic OnNlY3JldDp4", found)); /* ":secret:x" */
	assert_string_equal(found, "secret:x");
	assert_false(admission_secret("Basic c2VjcmV0", found)); /* no colon */
	assert_false(admission_secret("Basic ****", found));
	assert_false(admission_secret("Basic YTphAGI=", found)); /* a NUL */
	assert_false(admission_secret("Digest a", found));
	assert_false(admission_secret("Bearer", found));
	assert_false(admission_secret("Bearer ", found));
	assert_false(
		admission_secret("Bearer "
				 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
				 "aaaaaaaa",
				 found));
}

/* Both ends of a connection over the loopback interface. */
static void connect_pair(const char *place, int ends[2], struct listener *listener)
{
	struct err err = { 0 };

	assert_int_equal(listener_parse(place, listener, &err), 0);
	assert_int_equal(listener_open(listener, &err), 0);
	ends[0] = socket(listener->address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(ends[0], &listener->address.any, listener->address_len), 0);
	ends[1] = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
	assert_true(ends[1] >= 0);
}

static void test_admission__users_of_this_machine(void **state)
{
	char local[96];
	const char *places[] = { "127.0.0.1:0", local };

	(void)state;
	(void)snprintf(local, sizeof(local), "%s/socket", folder);
	for (size_t i = 0; i < 2; i++) {
		struct admission_claim claim = { .method = "GET", .host = "localhost:80" };
		struct listener listener;
		struct caller caller;
		uint32_t uid = UINT32_MAX;
		int ends[2];

		connect_pair(places[i], ends, &listener);
		assert_true(peer_uid(ends[1], &uid));
		assert_int_equal(uid, getuid());
		claim.kind = listener.kind;
		claim.socket = ends[1];
		assert_int_equal(check(&claim, RIGHT_READ, &caller), 0);
		assert_int_equal(caller.viewer, STORE_EVERYBODY);
		claim.authorization = "Bearer wrong"; /* is not better than none */
		assert_int_equal(check(&claim, RIGHT_READ, &caller), 401);
		(void)close(ends[0]);
		(void)close(ends[1]);
		listener_close(&listener);
	}
	assert_int_equal(access(local, F_OK), -1);
}

static void test_admission__other_hosts_and_sites(void **state)
{
	struct admission_claim claim = {
		.kind = LISTENER_LOOPBACK, .socket = -1, .method = "GET", .api_key = secret[2]
	};
	static const char *const ours[] = { "localhost",  "LOCALHOST:4170",	"127.0.0.1:1",
					    "[::1]:4170", "profiles.example:2", "[::1]" };
	static const char *const others[] = { "evil.example", "localhost.evil.example",
					      "127.0.0.1.x",  "",
					      "localhost:x",  "localhos" };
	struct caller caller;

	(void)state;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		claim.host = ours[i];
		assert_int_equal(check(&claim, RIGHT_READ, &caller), 0);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		claim.host = others[i];
		assert_int_equal(check(&claim, RIGHT_READ, &caller), 421);
	}
	claim.host = NULL;
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 421);
	claim.host = "localhost";
	claim.fetch_site = "cross-site";
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 403);
	claim.fetch_mode = "navigate"; /* a link */
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 0);
	claim.method = "POST";
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 403);
	claim.fetch_site = NULL;
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 0);
	claim.origin = "https://evil.example";
	assert_int_equal(check(&claim, RIGHT_READ, &caller), 403);
}

static void test_listener__places(void **state)
{
	static const char *const bad[] = { "",
					   "80",
					   "localhost",
					   "127.0.0.1:",
					   ":80",
					   "1.2.3:80",
					   "127.0.0.1:-1",
					   "127.0.0.1:99999",
					   "[::1]",
					   "[::1:80",
					   "example.org:1",
					   "127.0.0.1:80x",
					   "127.0.0.1:80/",
					   "http://",
					   "http://127.0.0.1",
					   "http://127.0.0.1:80/x",
					   "https://127.0.0.1:80" };
	static const struct {
		const char *text;
		enum listener_kind kind;
	} good[] = { { "127.0.0.1:80", LISTENER_LOOPBACK },
		     { "localhost:80", LISTENER_LOOPBACK },
		     { "127.8.0.1:80", LISTENER_LOOPBACK },
		     { "[::1]:80", LISTENER_LOOPBACK },
		     { "0.0.0.0:80", LISTENER_REMOTE },
		     { "[::]:80", LISTENER_REMOTE },
		     { "10.0.0.1:80", LISTENER_REMOTE },
		     { "/run/x", LISTENER_LOCAL },
		     { "http://127.0.0.1:80/", LISTENER_LOOPBACK },
		     { "http://[::1]:80", LISTENER_LOOPBACK } };
	struct listener listener;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = { 0 };

		if (!listener_parse(bad[i], &listener, &err))
			fail_msg("%s", bad[i]);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct err err = { 0 };

		assert_int_equal(listener_parse(good[i].text, &listener, &err), 0);
		assert_int_equal(listener.kind, good[i].kind);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tokens__survive_the_file),
		cmocka_unit_test(test_tokens__damaged_lines),
		cmocka_unit_test(test_admission__tokens),
		cmocka_unit_test(test_admission__words_of_the_header),
		cmocka_unit_test(test_admission__users_of_this_machine),
		cmocka_unit_test(test_admission__other_hosts_and_sites),
		cmocka_unit_test(test_listener__places),
	};

	return cmocka_run_group_tests(tests, make_tokens, remove_tokens);
}
