/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forms (see multipart.h). */
#include "server/multipart.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool multipart_boundary(const char *type, char ret[MULTIPART_BOUNDARY_MAX])
{
	const char *at = strcasestr(type, "boundary=");
	size_t len;

	if (strncasecmp(type, "multipart/form-data", 19) != 0 || !at)
		return false;
	at += 9;
	if (*at == '"')
		len = strcspn(++at, "\"");
	else
		len = strcspn(at, "; \t");
	if (!len || len >= MULTIPART_BOUNDARY_MAX)
		return false;
	memcpy(ret, at, len);
	ret[len] = '\0';
	return true;
}

/* Whether the headers of a part have name="NAME". */
static bool is_named(const uint8_t *headers, size_t len, const char *name)
{
	char wanted[80];
	int count = snprintf(wanted, sizeof(wanted), "name=\"%s\"", name);
	const uint8_t *at = headers;

	if (count <= 0 || (size_t)count >= sizeof(wanted))
		return false;
	while ((at = memmem(at, (size_t)(headers + len - at), wanted, (size_t)count))) {
		if (at > headers && (at[-1] == ' ' || at[-1] == ';')) /* not filename= */
			return true;
		at++;
	}
	return false;
}

bool multipart_find(struct body_bytes data, const char *boundary, const char *name,
		    struct body_bytes *ret)
{
	const uint8_t *end = data.at + data.len, *at, *next;
	char mark[MULTIPART_BOUNDARY_MAX + 4];
	size_t mark_len = (size_t)snprintf(mark, sizeof(mark), "\r\n--%s", boundary);

	/* the first mark has no line end before it */
	at = memmem(data.at, data.len, mark + 2, mark_len - 2);
	if (!at)
		return false;
	at += mark_len - 2;
	for (; at < end; at = next + mark_len) {
		const uint8_t *body = memmem(at, (size_t)(end - at), "\r\n\r\n", 4);

		next = memmem(at, (size_t)(end - at), mark, mark_len);
		if (!body || !next)
			return false;
		body += 4;
		if (body > next) /* a part without headers or content */
			continue;
		if (!is_named(at, (size_t)(body - at), name))
			continue;
		*ret = (struct body_bytes){ body, (size_t)(next - body) };
		return true;
	}
	return false;
}
