/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Label selectors, moments and names of parts of a store: any text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "session/store/store_input.h"
#include "store/label_set.h"
#include "store/selector.h"
#include "store/time_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct label_set labels = { 0 };
	struct selector *selector;
	struct store_input input;
	struct err err = { 0 };
	uint64_t time;
	char *text = mem_zalloc(size + 1);

	memcpy(text, data, size);
	(void)label_set_put(&labels, "service", "web");
	(void)label_set_put(&labels, "host", "db-1");
	if (!selector_parse(text, &selector, &err)) {
		(void)selector_match(selector, &labels);
		selector_free(selector);
	} else if (!err.usage || !err.msg[0]) {
		__builtin_trap();
	}
	(void)label_set_put_text(&labels, text, &err);
	(void)time_text_parse(text, (uint64_t)1 << 60, &time, &err);
	if (store_input_is(text) && !store_input_parse(text, (uint64_t)1 << 60, &input, &err))
		store_input_done(&input);
	label_set_done(&labels);
	free(text);
	return 0;
}
