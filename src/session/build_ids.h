/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The binaries of a recording by build id. */
#ifndef SESSION_BUILD_IDS_H
#define SESSION_BUILD_IDS_H

struct build_id;
struct err;
struct recording;

struct build_id_visit {
	/* A length of 0 = unknown. A result other than 0, -errno, ends the visit. */
	int (*each)(void *context, const struct build_id *id, const char *path);
	void *context;
};

enum build_id_set {
	BUILD_IDS_LISTED, /* in the header; without a list there as the next */
	BUILD_IDS_HIT,	  /* samples fall into them */
	BUILD_IDS_STACKS, /* or frames of their stacks */
	BUILD_IDS_MAPPED, /* into a process that was sampled, or not */
};

/* Each once. */
int build_ids_of(struct recording *recording, enum build_id_set set,
		 const struct build_id_visit *visit, struct err *err);

#endif
