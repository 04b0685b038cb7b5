/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of the page, which the program carries: the page itself and, below /asset/, scripts and
 * styles. */
#ifndef SERVER_ASSET_H
#define SERVER_ASSET_H

struct asset {
	const char *path, *type;
	const char *text;
	const char *tag; /* changes with the bytes; NULL = it is not kept by browsers */
};

/* NULL = there is none. */
const struct asset *asset_find(const char *path);

#endif
