/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes in a store (see store_changes.h). */
#include "session/store/store_changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "profile/change/share_series.h"
#include "profile/profile.h"
#include "profile/statistics.h"
#include "session/load/load.h"
#include "session/store/change_services.h"
#include "session/store/store_input.h"
#include "store/label_set.h"
#include "store/mark.h"
#include "store/selector.h"
#include "store/store.h"

#define SECOND_NS    ((uint64_t)1000000000)
#define COLUMNS	     400 /* about as many */
#define MOST_COLUMNS 5000
#define LONG_NS	     (2 * STORE_DAY_NS) /* answers about more have whole hours */

/* A service while all are tested. */
struct tested {
	const struct change_service *service;
	struct profile *profile;
	struct share_series series;
	struct changes changes;
};

struct finder {
	const struct store_changes_question *question;
	struct store_changes *ret;
	VEC(struct tested) tested; /* only those with changes that may be found */
};

static int set_times(const struct store_changes_question *question, struct store_changes *ret,
		     struct err *err)
{
	static const uint64_t steps_s[] = { 10,	  30,	60,    300,   600,   1800,
					    3600, 7200, 10800, 14400, 21600, 43200 };
	uint64_t length = question->to_ns - question->from_ns, step = question->step_ns;

	for (size_t i = 0; i < sizeof(steps_s) / sizeof(steps_s[0]) && !question->step_ns; i++) {
		step = steps_s[i] * SECOND_NS;
		if (length / step <= COLUMNS && (length <= LONG_NS || step >= STORE_HOUR_NS))
			break;
	}
	if (!question->step_ns && length / step > COLUMNS)
		step = STORE_DAY_NS;
	if (!step || step % STORE_BUCKET_NS)
		return err_usage(err, "--step: a multiple of 10s");
	if (length > LONG_NS && step % STORE_HOUR_NS)
		return err_usage(err, "--step: whole hours, as the range is longer than two days");
	if (length / step > MOST_COLUMNS)
		return err_usage(err, "--step: more than %d steps in the range", MOST_COLUMNS);
	ret->step_ns = step;
	ret->from_ns = (question->from_ns + step - 1) / step * step;
	ret->to_ns = question->to_ns / step * step;
	return ret->from_ns < ret->to_ns ? 0
					 : err_usage(err, "the time range is shorter than a step");
}

static const struct load_options names_only = {
	.symbol = { .symfs = "", .inlines = true, .demangle = true },
	.detail = RESOLVE_NAMES,
	.keep = PROFILE_KEEP_TIME
};

static int load_service(const struct finder *f, const struct change_service *service,
			struct profile **ret, struct err *err)
{
	struct load_options load = names_only;
	struct store_input input = { .location = (char *)(uintptr_t)f->question->location,
				     .from_ns = f->ret->from_ns,
				     .to_ns = f->ret->to_ns,
				     .viewer = f->question->viewer };
	int code = selector_parse(service->selector, &input.selector, err);

	if (code)
		return code;
	load.event = service->event;
	*ret = profile_new(load.keep);
	code = store_input_load(&input, &load, *ret, err);
	selector_free(input.selector);
	if (code) {
		profile_free(*ret);
		*ret = NULL;
	}
	if (code == -ENODATA) { /* of other users only, or gone meanwhile */
		*err = (struct err){ 0 };
		return 0;
	}
	return code;
}

static uint16_t event_of(const struct profile *profile)
{
	uint16_t ret = 0;

	while (ret + 1u < profile->events.count && !profile->events.item[ret].samples)
		ret++;
	return ret;
}

static void end_tested(struct tested *tested)
{
	changes_done(&tested->changes);
	share_series_done(&tested->series);
	profile_free(tested->profile);
}

static int test_service(struct finder *f, const struct change_service *service, struct err *err)
{
	const struct share_columns columns = { f->ret->from_ns, f->ret->step_ns,
					       (size_t)((f->ret->to_ns - f->ret->from_ns) /
							f->ret->step_ns),
					       f->question->least_samples };
	struct tested tested = { .service = service };
	int code = load_service(f, service, &tested.profile, err);

	f->ret->services++;
	if (code)
		return code;
	if (!tested.profile) {
		f->ret->short_services++;
		return 0;
	}
	share_series_make(tested.profile, event_of(tested.profile), &columns, &tested.series);
	changes_test(&tested.series, &f->question->limits, &tested.changes);
	f->ret->dropped += tested.series.dropped;
	f->ret->short_services += !tested.changes.tests;
	f->ret->tests += tested.changes.tests;
	if (tested.changes.item.count)
		vec_push(&f->tested, tested);
	else
		end_tested(&tested);
	return 0;
}

/* Over all tests that were made; those without a change count as certain not to be one. */
static void set_rates(struct finder *f)
{
	size_t count = f->ret->tests, used = 0;
	double *p;

	for (size_t i = 0; i < f->tested.count; i++)
		used += f->tested.item[i].changes.item.count;
	count = used > count ? used : count;
	p = mem_zalloc((count + 1) * sizeof(*p));
	for (size_t i = 0; i < count; i++)
		p[i] = 1;
	used = 0;
	for (size_t i = 0; i < f->tested.count; i++)
		for (size_t c = 0; c < f->tested.item[i].changes.item.count; c++)
			p[used++] = f->tested.item[i].changes.item.item[c].point.p;
	(void)false_discovery_rates(p, count, f->question->limits.rate, p);
	used = 0;
	for (size_t i = 0; i < f->tested.count; i++)
		for (size_t c = 0; c < f->tested.item[i].changes.item.count; c++)
			f->tested.item[i].changes.item.item[c].q = p[used++];
	free(p);
}

static const char *keep(struct finder *f, const char *text)
{
	return text ? arena_strdup(&f->ret->arena, text) : NULL;
}

static void add_note(struct finder *f, struct store_change *change, uint64_t time_ns,
		     const char *text)
{
	vec_push(&change->notes, ((struct store_change_note){ time_ns, keep(f, text) }));
}

static int compare_notes(const void *pa, const void *pb)
{
	const struct store_change_note *a = pa, *b = pb;

	return a->time_ns != b->time_ns ? (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns)
					: strcmp(a->text, b->text);
}

/* Something at some time in [time, end). The change began in the column before at the earliest. */
static bool is_near(const struct finder *f, uint64_t time_ns, uint64_t end_ns, uint64_t change_ns)
{
	uint64_t near = 2 * f->ret->step_ns;

	return end_ns + near > change_ns && time_ns < change_ns + near;
}

static void add_notes(struct finder *f, const struct change_service *service,
		      struct store_change *change)
{
	const struct marks *marks = f->question->marks;
	struct label_set labels = { 0 };

	for (size_t i = 0; i < service->firsts.count; i++)
		if (is_near(f, service->firsts.item[i].time_ns, service->firsts.item[i].end_ns,
			    change->time_ns))
			add_note(f, change, service->firsts.item[i].time_ns,
				 service->firsts.item[i].text);
	(void)label_set_put(&labels, f->question->by, service->name);
	for (size_t i = 0; marks && i < marks->item.count; i++)
		if (is_near(f, marks->item.item[i].time_ns, marks->item.item[i].time_ns + 1,
			    change->time_ns) &&
		    selector_match(marks->item.item[i].selector, &labels))
			add_note(f, change, marks->item.item[i].time_ns, marks->item.item[i].text);
	label_set_done(&labels);
	if (change->notes.count)
		qsort(change->notes.item, change->notes.count, sizeof(*change->notes.item),
		      compare_notes);
}

static void add_change(struct finder *f, const struct tested *tested, const struct change *from)
{
	uint64_t first = f->ret->from_ns, step = f->ret->step_ns;
	const struct profile_event *event = &tested->profile->events.item[tested->series.event];
	struct store_change change = { .service = keep(f, tested->service->name),
				       .event = keep(f, tested->service->event),
				       .selector = keep(f, tested->service->selector),
				       .function = keep(f, from->function),
				       .cause = keep(f, from->cause),
				       .before = from->point.before,
				       .after = from->point.after,
				       .scaled = from->point.after /
						 (from->scale > 0 ? from->scale : 1),
				       .error = from->point.error,
				       .df = from->point.df,
				       .p = fmin(from->point.p, 1),
				       .q = from->q,
				       .fate = from->fate };

	change.unit = keep(f, profile_string(tested->profile, event->unit));
	change.time_ns = first + tested->series.column[from->point.at] * step;
	for (int i = 0; i < 2; i++) {
		change.rate[i] = from->rate[i] * SECOND_NS / (double)step;
		change.rate[i] /= event->scale ? event->scale : 1;
		change.before_ns[i] = first + from->before[i] * step;
		change.after_ns[i] = first + from->after[i] * step;
	}
	if (change.fate == CHANGE_FOUND)
		add_notes(f, tested->service, &change);
	f->ret->fate[change.fate]++;
	vec_push(&f->ret->item, change);
}

static int compare_changes(const void *pa, const void *pb)
{
	const struct store_change *a = pa, *b = pb;
	double first = fabs(a->after - a->before), second = fabs(b->after - b->before);
	int services = strcmp(a->service, b->service);

	if (first != second)
		return first < second ? 1 : -1;
	return services ? services : strcmp(a->function, b->function);
}

static void judge(struct finder *f)
{
	set_rates(f);
	for (size_t i = 0; i < f->tested.count; i++) {
		struct tested *tested = &f->tested.item[i];

		changes_judge(&tested->series, &f->question->limits, &tested->changes);
		for (size_t c = 0; c < tested->changes.item.count; c++)
			add_change(f, tested, &tested->changes.item.item[c]);
	}
	if (f->ret->item.count)
		qsort(f->ret->item.item, f->ret->item.count, sizeof(*f->ret->item.item),
		      compare_changes);
}

int store_changes_find(const struct store_changes_question *question, struct store_changes *ret,
		       struct err *err)
{
	struct finder f = { .question = question, .ret = ret };
	struct change_services services = { 0 };
	int code;

	*ret = (struct store_changes){ 0 };
	code = set_times(question, ret, err);
	if (!code)
		code = change_services_find(question, ret, &services, err);
	ret->damaged = services.damaged;
	if (!code && !services.item.count && question->event)
		code = err_set(err, -ENODATA, "%s: no samples of event '%s' in this time",
			       question->location, question->event);
	else if (!code && !services.item.count && question->selector)
		code = err_set(err, -ENODATA, "%s: no samples of that in this time",
			       question->location);
	for (size_t i = 0; i < services.item.count && !code; i++)
		code = test_service(&f, &services.item.item[i], err);
	if (!code)
		judge(&f);
	for (size_t i = 0; i < f.tested.count; i++)
		end_tested(&f.tested.item[i]);
	vec_done(&f.tested);
	change_services_done(&services);
	if (code)
		store_changes_done(ret);
	return code;
}

void store_changes_done(struct store_changes *changes)
{
	for (size_t i = 0; i < changes->item.count; i++)
		vec_done(&changes->item.item[i].notes);
	vec_done(&changes->item);
	arena_done(&changes->arena);
}
