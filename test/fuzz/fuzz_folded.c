/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded text: any bytes; what was read must survive being written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/folded/folded.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_text(const struct profile *profile, struct buf *ret)
{
	struct fold_options options = { .names = FOLD_NAMES_WHOLE };
	struct err err = { 0 };

	buf_clear(ret);
	(void)folded_write(profile, &options, ret, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *first = profile_new(0), *second = profile_new(0);
	struct input *input = input_memory(data, size);
	struct buf once = { .limit = 256 << 20 };
	struct err err = { 0 };

	(void)folded_sniff(data, size);
	if (!format_read(&format_folded, input, NULL, first, &err) && first->samples.count) {
		write_text(first, &once);
		folded_parse(once.data, once.len, second);
		/* If every name ends in a number, the text reads as two columns: that cannot be
		 * told. */
		if (second->events.count == 1 && second->meta.unknown_records)
			abort();
	}
	buf_done(&once);
	input_close(input);
	profile_free(first);
	profile_free(second);
	return 0;
}
