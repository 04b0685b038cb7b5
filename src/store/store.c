/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variants of the store and what they share (see store.h). */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "profile/profile.h"

#define MOST_COLUMNS 100000

extern const struct store_ops store_segment, store_clickhouse, store_remote_http,
	store_remote_https;

static const struct store_ops *const stores[] = { &store_segment, &store_clickhouse,
						  &store_remote_http, &store_remote_https };

static const struct store_ops *find_ops(const char *location)
{
	const char *rest = strstr(location, "://");

	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		const char *scheme = stores[i]->scheme;

		if (rest ? scheme && strlen(scheme) == (size_t)(rest - location) &&
				    strncmp(location, scheme, strlen(scheme)) == 0
			 : !scheme)
			return stores[i];
	}
	return NULL;
}

bool store_is_folder(const char *location)
{
	return !strstr(location, "://");
}

void store_tenant_location(const char *location, const char *tenant, char *ret, size_t size)
{
	const char *place = strstr(location, "://"), *options, *database;

	if (!place) {
		(void)snprintf(ret, size, "%s/tenant-%s", location, tenant);
		return;
	}
	options = location + strcspn(location, "?");
	database = strchr(place + 3, '/');
	if (!database || database > options || database + 1 == options)
		(void)snprintf(ret, size, "%.*s%scupel_%s%s", (int)(options - location), location,
			       database && database < options ? "" : "/", tenant, options);
	else
		(void)snprintf(ret, size, "%.*s_%s%s", (int)(options - location), location, tenant,
			       options);
}

int store_open(const struct store_options *options, struct store **ret, struct err *err)
{
	const struct store_ops *ops = find_ops(options->location);
	int code;

	if (!ops)
		return err_usage(err, "%s: unknown kind of store", options->location);
	code = ops->open(options, ret, err);
	if (!code)
		(*ret)->ops = ops;
	return code;
}

int store_append(struct store *store, const struct store_batch *batch, struct err *err)
{
	return store->ops->append(store, batch, err);
}

int store_sync(struct store *store, struct err *err)
{
	return store->ops->sync(store, err);
}

static int check(const struct store_query *query, struct err *err)
{
	if (query->from_ns >= query->to_ns)
		return err_usage(err, "the time range is empty");
	return 0;
}

static void set_times(const struct store_query *query, struct profile *profile)
{
	profile->meta.first_ns = query->from_ns;
	profile->meta.last_ns = query->to_ns;
	profile->meta.duration_ns = query->to_ns - query->from_ns;
}

int store_query(struct store *store, const struct store_query *query, struct profile **ret,
		struct err *err)
{
	struct profile *profile;
	int code = check(query, err);

	if (code)
		return code;
	profile = profile_new(query->keep);
	code = store->ops->query(store, query, profile, err);
	if (code) {
		profile_free(profile);
		return code;
	}
	set_times(query, profile);
	*ret = profile;
	return 0;
}

static int compare_lines(const void *pa, const void *pb)
{
	const struct store_line *a = pa, *b = pb;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return strcmp(a->value, b->value);
}

int store_timeline(struct store *store, const struct store_query *query, struct store_timeline *ret,
		   struct err *err)
{
	struct store_timeline timeline = { .step_ns = query->step_ns };
	uint64_t columns;
	int code = check(query, err);

	if (code)
		return code;
	if (!query->step_ns || query->step_ns % STORE_BUCKET_NS)
		return err_usage(err, "the step is not a multiple of %llu s",
				 (unsigned long long)(STORE_BUCKET_NS / 1000000000u));
	timeline.first_ns = query->from_ns - query->from_ns % query->step_ns;
	columns = (query->to_ns - timeline.first_ns - 1) / query->step_ns + 1;
	if (columns > MOST_COLUMNS)
		return err_usage(err, "too many steps in the time range (at most %d)",
				 MOST_COLUMNS);
	timeline.columns = (size_t)columns;
	code = store->ops->timeline(store, query, &timeline, err);
	if (code) {
		store_timeline_done(&timeline);
		return code;
	}
	if (timeline.lines.count)
		qsort(timeline.lines.item, timeline.lines.count, sizeof(*timeline.lines.item),
		      compare_lines);
	*ret = timeline;
	return 0;
}

int store_series(struct store *store, const struct store_query *query,
		 struct store_series_list *ret, struct err *err)
{
	struct store_series_list list = { 0 };
	int code = check(query, err);

	if (!code)
		code = store->ops->series(store, query, &list, err);
	if (code)
		store_series_list_done(&list);
	else
		*ret = list;
	return code;
}

int store_maintain(struct store *store, const struct store_limits *limits, uint64_t now_ns,
		   struct err *err)
{
	return store->ops->maintain(store, limits, now_ns, err);
}

void store_close(struct store *store)
{
	if (store)
		store->ops->close(store);
}

void store_timeline_done(struct store_timeline *timeline)
{
	for (size_t i = 0; i < timeline->lines.count; i++) {
		free(timeline->lines.item[i].value);
		free(timeline->lines.item[i].weight);
		free(timeline->lines.item[i].count);
	}
	vec_done(&timeline->lines);
}

void store_series_list_done(struct store_series_list *list)
{
	for (size_t i = 0; i < list->series.count; i++)
		label_set_done(&list->series.item[i].labels);
	vec_done(&list->series);
}
