/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `cupel report` and `cupel annotate` on a terminal: loads recordings, and shows them in the
 * browser (view/browser) until the user quits. */
#ifndef COMMAND_BROWSER_REPORT_BROWSER_H
#define COMMAND_BROWSER_REPORT_BROWSER_H

#include <stdbool.h>

struct err;
struct load_options;
struct profile;
struct recording;
struct report_options;

/* How a recording becomes a profile, and how it is to be shown. */
struct report_loading {
	void *context;
	/* ret_view is borrowed until the profile is freed. */
	int (*load)(void *context, struct recording *recording, struct profile **ret,
		    const struct report_options **ret_view, struct err *err);
	/* Its filters and symbols. */
	void (*choose)(void *context, struct load_options *ret);
	bool code;	      /* begins with the code of a function, */
	const char *function; /* of this one; NULL = of the first in the list */
};

/* path as recording_open() has it. Returns the exit status, or -1 with err. */
int report_browse(const char *path, const struct report_loading *loading, struct err *err);

#endif
