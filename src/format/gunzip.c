/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/gunzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

bool gunzip_open(struct gunzip *g, ssize_t (*fetch)(void *context, void *data, size_t len),
		 void *context)
{
	*g = (struct gunzip){ .fetch = fetch, .context = context };
	if (inflateInit2(&g->z, 15 + 16) != Z_OK)
		return false;
	g->packed = mem_alloc(GUNZIP_BYTES);
	return true;
}

bool gunzip_copy(struct gunzip *g, const struct gunzip *from)
{
	*g = (struct gunzip){ .fetch = from->fetch,
			      .context = from->context,
			      .member_ended = from->member_ended,
			      .any_ended = from->any_ended };
	if (inflateCopy(&g->z, (z_stream *)(uintptr_t)&from->z) != Z_OK) /* it is only read */
		return false;
	g->z.avail_in = 0;
	g->packed = mem_alloc(GUNZIP_BYTES);
	return true;
}

bool gunzip_reset(struct gunzip *g)
{
	g->z.avail_in = 0;
	g->member_ended = g->any_ended = false;
	return inflateReset(&g->z) == Z_OK;
}

ssize_t gunzip_read(struct gunzip *g, void *data, size_t len)
{
	z_stream *z = &g->z;

	z->next_out = data;
	z->avail_out = (uInt)(len < (1u << 30) ? len : 1u << 30);
	len = z->avail_out;
	while (z->avail_out == len) {
		int result;

		if (!z->avail_in) {
			ssize_t n = g->fetch(g->context, g->packed, GUNZIP_BYTES);

			if (n == 0)
				g->cut = !g->member_ended;
			if (n <= 0)
				return n; /* a truncated member ends the stream */
			z->next_in = g->packed;
			z->avail_in = (uInt)n;
		}
		if (g->member_ended) {
			if (inflateReset(z) != Z_OK)
				return -EIO;
			g->member_ended = false;
		}
		result = inflate(z, Z_NO_FLUSH);
		if (result == Z_STREAM_END) {
			g->member_ended = g->any_ended = true;
		} else if (result != Z_OK && result != Z_BUF_ERROR) {
			/* what is behind a member and is none is padding, as for gzip */
			g->cut = z->total_out || !g->any_ended;
			return z->avail_out == len ? -EBADMSG : (ssize_t)(len - z->avail_out);
		}
	}
	return (ssize_t)(len - z->avail_out);
}

void gunzip_close(struct gunzip *g)
{
	(void)inflateEnd(&g->z); /* only frees */
	free(g->packed);
	g->packed = NULL;
}
