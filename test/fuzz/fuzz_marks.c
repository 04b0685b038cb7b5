/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks of a store: any text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "store/mark.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct marks marks = { 0 };
	struct err err = { 0 };
	char *text = mem_zalloc(size + 1);

	memcpy(text, data, size);
	(void)marks_parse("text", text, &marks, &err);
	marks_done(&marks);
	free(text);
	return 0;
}
