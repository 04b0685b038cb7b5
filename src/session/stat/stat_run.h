/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting: one or more runs of a program, or processes, CPUs or cgroups for a time. */
#ifndef SESSION_STAT_RUN_H
#define SESSION_STAT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "profile/counts/counts.h"
#include "source/options.h"

#define STAT_DETAIL_MAX 3

struct stat_options {
	struct source_options source;
	bool each_cgroup;
	bool null_run;	   /* nothing is counted but time */
	bool transactions; /* -T */
	bool topdown;
	bool apart;	 /* an event on several PMUs is not added up */
	bool as_counted; /* values are not scaled */
	unsigned detail; /* -d, -dd, -ddd */
	enum counts_by by;
	uint64_t repeat; /* 0 = until interrupted */
	uint64_t interval_ms, interval_count;
	int64_t delay_ms; /* -1: until a command enables */
	uint64_t timeout_ms;
	const char *control;
	const char *pre, *post; /* shell commands around each run */
	bool sync;
	const char *record;	  /* perf.data for the counts; NULL = none */
	const char *const *words; /* of the command line, for it */
	size_t word_count;
};

/* Called by session_stat(). 0 or -errno, which ends it. */
struct stat_listener {
	void *context;
	/* After every interval, with its counts. */
	int (*interval)(void *context, const struct counts *counts, uint64_t time_ns,
			struct err *err);
	/* After every run but the last; only if runs go on until interrupted. */
	int (*run)(void *context, const struct counts *counts, struct err *err);
	/* What a delay or a command did, without the end of the line. May be NULL. */
	void (*say)(void *context, const char *line);
	/* A signal that we did not send ended the program. May be NULL. */
	void (*killed)(void *context, int signal);
};

struct stat_result {
	struct counts counts;			     /* means of all runs */
	VEC(double) each_ns;			     /* how long every run took */
	uint64_t user_ns, system_ns, peak_rss_bytes; /* of the last run's program */
	bool launched;
	int stopped;	      /* by this signal; 0 = by none */
	int exit_status;      /* of the last run's program */
	struct err unwritten; /* why the recording is not whole; the counts are */
	char notes[1024];     /* what cannot be counted here and why, a line for each reason */
	struct stat_session *session; /* owns what the counts borrow */
};

/* *ret must be freed in any case. */
int session_stat(const struct stat_options *options, char **argv,
		 const struct stat_listener *listener, struct stat_result *ret, struct err *err);
void stat_result_done(struct stat_result *result);

#endif
