/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The binaries of a recording by build id. */
#ifndef SESSION_BUILD_IDS_H
#define SESSION_BUILD_IDS_H

#include <stdbool.h>

struct build_id;
struct err;
struct recording;

struct build_id_visit {
	/* A length of 0 = unknown. A result other than 0, -errno, ends the visit. */
	int (*each)(void *context, const struct build_id *id, const char *path);
	void *context;
};

/* Each once: those listed in the header, or, without a list there or with `hits`, those that
 * samples fall into. */
int build_ids_of(struct recording *recording, bool hits, const struct build_id_visit *visit,
		 struct err *err);

#endif
