/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tar archives: members lie inside the data, links end. */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "format/archive/tar.h"

static void check(const struct tar_member *member, const uint8_t *data, size_t size)
{
	if (member->len && (member->data < data || member->data > data + size ||
			    member->len > (size_t)(data + size - member->data)))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct tar *tar;

	(void)tar_is(data, size);
	if (tar_parse(data, size, &tar, &err))
		return 0;
	if (tar_cut(tar))
		check(tar_cut(tar), data, size);
	for (size_t i = 0; i < tar_count(tar); i++) {
		const struct tar_member *member = tar_get(tar, i);

		check(member, data, size);
		(void)tar_find(tar, member->name);
		(void)tar_name_is_safe(member->name);
	}
	tar_free(tar);
	return 0;
}
