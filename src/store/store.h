/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Profiles over time: samples of (time, labels, event, stack, count, weight) are put in batch by
 * batch and come out as a profile of a time range and a selection of labels, or as sums over time.
 * One variant per engine: a folder of this machine (segment/), a ClickHouse server
 * (clickhouse/), and another machine's server of this program, which only takes samples (remote/).
 *
 * Times are Unix time in ns. The store keeps time in buckets of STORE_BUCKET_NS, older data in
 * buckets of an hour and of a day; counts and weights are exact in all of them. A range [from, to)
 * means the buckets that begin in it.
 *
 * Labels: the batch's own, those of the thread, and always `comm`, the thread's name. Label names
 * with a meaning: service, host, container, cgroup, unit, build (id of the main binary), comm, uid
 * (the user that owned the process, decimal; needed for store_query.viewer). In queries the name
 * of the event is the label `event`.
 *
 * What store_append() took survives the end of this process, however it ends, once the call
 * returned 0; what store_sync() returned 0 for survives the end of the machine. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "store/label_set.h"

struct err;
struct profile;
struct selector;
struct store;

#define STORE_DEFAULT	"/var/lib/cupel"
#define STORE_BUCKET_NS ((uint64_t)10 * 1000000000u)
#define STORE_HOUR_NS	((uint64_t)3600 * 1000000000u)
#define STORE_DAY_NS	(24 * STORE_HOUR_NS)

/* What is kept how long, and how much of it. 0 = no limit. */
struct store_limits {
	uint64_t bucket_age_ns, hour_age_ns, day_age_ns; /* the three resolutions */
	uint64_t bytes;					 /* of all files of the store */
	uint64_t free_bytes;				 /* left on the disk */
	/* Unix time is right. Else nothing is deleted for its age in the first hour, and in the
	 * hour after the clock was set: it may have been a mistake. */
	bool clock_is_sure;
};

struct store_options {
	const char *location; /* "/var/lib/cupel", or "SCHEME://…" of another engine */
	bool write;
	const char *spool; /* a folder for what another engine cannot take yet; NULL = none */
};

/* Samples of one profile. Its samples' own times count (PROFILE_KEEP_TIME), else all are at
 * clock_ns. A profile's lost samples (events[].lost, or meta.lost_samples if those are 0) are
 * stored as lost ones of the batch's last time. Frames need no names: those with an offset in a
 * module with a build id get them when they are read (session/store/). */
struct store_batch {
	const struct profile *profile;
	const struct label_set *labels;		      /* of all samples; NULL = none */
	const struct label_set *const *thread_labels; /* by thread_id, NULLs allowed; NULL = none */
	int64_t clock_ns; /* what is added to samples' times to make them Unix time */
	uint64_t id;	  /* one that its sender may send again: it is appended once; 0 = none */
};

#define STORE_EVERYBODY UINT32_MAX

struct store_query {
	const struct selector *selector; /* NULL = everything */
	uint64_t from_ns, to_ns;
	const char *event; /* only this one; NULL = all */
	unsigned keep;	   /* of the profile: PROFILE_KEEP_TIME, else one sample per stack */
	/* The user who asks. Samples of other users are one stack "[other users]", and stacks have
	 * no frames of the kernel. STORE_EVERYBODY: all is shown. */
	uint32_t viewer;
	/* For store_timeline(): the width of its columns (a multiple of STORE_BUCKET_NS) and the
	 * label that makes its lines; NULL or "" = one line. For store_series(): how exact its
	 * times are at least, if such rows are kept; 0 = an hour. */
	uint64_t step_ns;
	const char *by;
};

/* Sums over time, by value of a label. */
struct store_line {
	char *value;		  /* of the label; "" = series without it */
	uint64_t *weight, *count; /* by column */
	uint64_t total;		  /* weight */
};

struct store_timeline {
	uint64_t first_ns, step_ns;
	size_t columns;
	bool has_unit;
	char unit[16];		      /* of weights; "" if events differ */
	uint64_t damaged;	      /* blocks that could not be read */
	VEC(struct store_line) lines; /* largest first */
};

/* The series that have samples in a range, with `event` among their labels. */
struct store_series {
	struct label_set labels;
	uint64_t first_ns, last_ns; /* of its buckets in the range */
	uint64_t first_end_ns;	    /* the first sample came in [first_ns, first_end_ns) */
	uint64_t count;
};
struct store_series_list {
	VEC(struct store_series) series; /* by text of the labels */
	uint64_t damaged;		 /* blocks that could not be read */
};

struct store_ops {
	const char *scheme; /* in front of "://"; NULL = a folder */
	int (*open)(const struct store_options *options, struct store **ret, struct err *err);
	int (*append)(struct store *store, const struct store_batch *batch, struct err *err);
	int (*sync)(struct store *store, struct err *err);
	/* May be called in a program that only reads while another one writes. */
	int (*query)(struct store *store, const struct store_query *query, struct profile *ret,
		     struct err *err);
	int (*timeline)(struct store *store, const struct store_query *query,
			struct store_timeline *ret, struct err *err);
	int (*series)(struct store *store, const struct store_query *query,
		      struct store_series_list *ret, struct err *err);
	/* Rolls up what is complete and deletes what is too old or too much. now_ns: Unix time. */
	int (*maintain)(struct store *store, const struct store_limits *limits, uint64_t now_ns,
			struct err *err);
	void (*close)(struct store *store);
};

struct store {
	const struct store_ops *ops;
};

/* Else another engine, maybe on another machine. */
bool store_is_folder(const char *location);
/* Where a tenant of the store has a store of its own: the folder tenant-NAME in it, or of another
 * engine the database NAME_TENANT. An engine that cannot have a database of that name refuses to
 * open it. */
void store_tenant_location(const char *location, const char *tenant, char *ret, size_t size);
int store_open(const struct store_options *options, struct store **ret, struct err *err);
int store_append(struct store *store, const struct store_batch *batch, struct err *err);
int store_sync(struct store *store, struct err *err);
/* The caller's profile; without samples it is empty, and no error. meta.damage tells of parts that
 * could not be read. */
int store_query(struct store *store, const struct store_query *query, struct profile **ret,
		struct err *err);
int store_timeline(struct store *store, const struct store_query *query, struct store_timeline *ret,
		   struct err *err);
int store_series(struct store *store, const struct store_query *query,
		 struct store_series_list *ret, struct err *err);
int store_maintain(struct store *store, const struct store_limits *limits, uint64_t now_ns,
		   struct err *err);
void store_close(struct store *store); /* NULL is fine; appended data is kept */

void store_timeline_done(struct store_timeline *timeline);
void store_series_list_done(struct store_series_list *list);

#endif
