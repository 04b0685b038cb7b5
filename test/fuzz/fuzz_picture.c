/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flame graphs as inputs: any bytes, packed data of any bytes, and what came of them written and
 * read back. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "format/picture/picture.h"
#include "profile/profile.h"
#include "round_trip.h"
#include "view/flame/flame_pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Else every change would stop at the checksum. */
static void read_unpacked(const uint8_t *data, size_t size)
{
	const struct buf head = { .data = (char *)(uintptr_t)data, .len = size }, body = { 0 };
	struct profile *profile = profile_new(0);
	struct buf packed = { 0 };
	struct err err = { 0 };

	if (flame_pack_bytes(&head, &body, &packed, &err) == 0)
		(void)flame_data_read((struct slice){ packed.data, packed.len }, profile, &err);
	buf_done(&packed);
	profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	round_trip_bytes(format_find("picture"), data, size);
	read_unpacked(data, size);
	return 0;
}
