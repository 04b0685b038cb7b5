/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Label selectors: any text, applied to a few labels. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "store/label_set.h"
#include "store/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct label_set labels = { 0 };
	struct selector *selector;
	struct err err = { 0 };
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
	label_set_done(&labels);
	free(text);
	return 0;
}
