/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What clients of the server send: addresses, headers; and the file of its tokens. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "server/admission.h"
#include "server/asset.h"
#include "server/exchange.h"
#include "server/listener.h"
#include "server/question.h"
#include "server/request.h"
#include "server/tokens.h"

static void ask(const char *text)
{
	const struct question_place place = { "/nowhere", 1000, (uint64_t)1 << 60 };
	static const char *const prefixes[] = { "", "before_" };
	struct request request;
	struct err err = { 0 };

	if (request_parse(text, &request, &err))
		return;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		struct question question;

		if (question_make(&request, &place, prefixes[i], &question, &err))
			continue;
		if (!question.step_ns || question.input.from_ns >= question.input.to_ns ||
		    (question.input.to_ns - question.input.from_ns) / question.step_ns >
			    QUESTION_COLUMNS_MAX)
			__builtin_trap();
		question_done(&question);
	}
	request_done(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct admission_rules rules = { .tokens_path = "/nowhere" };
	char *text = mem_zalloc(size + 1);
	struct listener listener;
	struct tokens tokens;
	struct err err = { 0 };
	char secret[TOKEN_MAX];
	unsigned status;

	memcpy(text, data, size);
	ask(text);
	(void)exchange_route("GET", text, &status);
	if (admission_secret(text, secret) && strlen(secret) >= TOKEN_MAX)
		__builtin_trap();
	(void)admission_host_is_ours(&rules, text);
	(void)listener_parse(text, &listener, &err);
	if (!tokens_parse("tokens", text, &tokens, &err)) {
		(void)tokens_find(&tokens, text);
		tokens_done(&tokens);
	}
	free(text);
	return 0;
}
