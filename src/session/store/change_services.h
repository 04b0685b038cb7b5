/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The services (values of a label) of a store that are tested for changes: which event of each, and
 * when its builds and versions were first seen. */
#ifndef SESSION_STORE_CHANGE_SERVICES_H
#define SESSION_STORE_CHANGE_SERVICES_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

struct err;
struct store_changes;
struct store_changes_question;

struct change_first {
	uint64_t time_ns, end_ns; /* it came in [time_ns, end_ns) */
	const char *text;	  /* "build 1234abcd" */
};

struct change_service {
	const char *name, *event;
	const char *selector;		 /* of its samples */
	VEC(struct change_first) firsts; /* of values that were not there from the beginning */
};

struct change_services {
	struct arena arena;
	VEC(struct change_service) item; /* by name */
	uint64_t damaged;
};

/* range: [from, to) and the step of what is tested. */
int change_services_find(const struct store_changes_question *question,
			 const struct store_changes *range, struct change_services *ret,
			 struct err *err);
void change_services_done(struct change_services *services);

#endif
