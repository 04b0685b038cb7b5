/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines cut out of a source file: the first two bytes say which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "profile/profile.h"
#include "profile/source_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;
	char *text;

	if (size < 2)
		return 0;
	p = profile_new(0);
	text = mem_alloc(size); /* no NUL: nothing may look past the end */
	memcpy(text, data + 2, size - 2);
	const struct source_spot spots[] = {
		{ .file = strtab_puts(p->strings, "a.c"), .line = data[0] + 1u },
		{ .file = strtab_puts(p->strings, "a.c"), .line = data[0] + data[1] + 2u },
	};
	(void)source_text_add(p, spots, 2, text, size - 2);
	free(text);
	profile_free(p);
	return 0;
}
