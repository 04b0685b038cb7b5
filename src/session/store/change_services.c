/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Services of a store (see change_services.h). */
#include "session/store/change_services.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "event/kind.h"
#include "session/store/store_changes.h"
#include "store/label_set.h"
#include "store/selector.h"
#include "store/store.h"

static const char *const followed[] = { "build", "version" };

/* What one series says about its service. */
struct entry {
	const char *service, *event, *value[sizeof(followed) / sizeof(followed[0])];
	uint64_t count, first_ns, first_end_ns;
};

typedef VEC(struct entry) entry_list;

static int compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int services = strcmp(a->service, b->service);

	return services ? services : strcmp(a->event, b->event);
}

static void take_series(const struct store_changes_question *question,
			const struct store_series_list *list, entry_list *ret)
{
	for (size_t i = 0; i < list->series.count; i++) {
		const struct store_series *series = &list->series.item[i];
		struct entry *entry = vec_add(ret);

		*entry = (struct entry){ .service = label_set_get(&series->labels, question->by),
					 .event = label_set_get(&series->labels, "event"),
					 .count = series->count,
					 .first_ns = series->first_ns,
					 .first_end_ns = series->first_end_ns };
		for (size_t l = 0; l < sizeof(followed) / sizeof(followed[0]); l++)
			entry->value[l] = label_set_get(&series->labels, followed[l]);
	}
	if (ret->count)
		qsort(ret->item, ret->count, sizeof(*ret->item), compare_entries);
}

/* {NAME="service", what the user asked for} */
static char *selector_of(const struct store_changes_question *question, const char *service)
{
	const char *rest = question->selector ? question->selector : "";
	struct label_set labels = { 0 };
	struct buf text = { 0 };
	size_t len;

	rest += strspn(rest, " {");
	len = strlen(rest);
	while (len && strchr(" }", rest[len - 1]))
		len--;
	if (*service) {
		(void)label_set_put(&labels, question->by, service);
		label_set_text(&labels, &text);
		text.len--; /* the brace */
	} else {
		(void)buf_printf(&text, "{%s=\"\"", question->by);
	}
	(void)buf_puts(&text, len ? ", " : "");
	(void)buf_append(&text, rest, len);
	(void)buf_putc(&text, '}');
	label_set_done(&labels);
	return text.data;
}

/* Entries [from, to) are a service's. */
struct range {
	const struct entry *from, *to;
};

/* Time on the CPU, else what there is most of. */
static const char *main_event(const struct range *range)
{
	const char *ret = range->from->event;
	uint64_t most = 0;
	bool is_cpu = false;

	for (const struct entry *at = range->from; at < range->to;) {
		const struct entry *begin = at;
		bool cpu = event_kind_of_name(at->event) == EVENT_KIND_CPU_TIME;
		uint64_t count = 0;

		for (; at < range->to && strcmp(at->event, begin->event) == 0; at++)
			count += at->count;
		if (cpu > is_cpu || (cpu == is_cpu && count > most)) {
			is_cpu = cpu;
			most = count;
			ret = begin->event;
		}
	}
	return ret;
}

/* When the value was first seen. */
static struct change_first first_of(const struct range *range, size_t label, const char *value)
{
	struct change_first ret = { UINT64_MAX, UINT64_MAX, NULL };

	for (const struct entry *at = range->from; at < range->to; at++) {
		if (strcmp(at->value[label], value) != 0)
			continue;
		ret.time_ns = at->first_ns < ret.time_ns ? at->first_ns : ret.time_ns;
		ret.end_ns = at->first_end_ns < ret.end_ns ? at->first_end_ns : ret.end_ns;
	}
	return ret;
}

/* What to add about the time of a first sample. */
static const char *span_text(const struct change_first *first)
{
	uint64_t span_ns = first->end_ns - first->time_ns;

	return span_ns <= STORE_BUCKET_NS ? ""
	       : span_ns <= STORE_HOUR_NS ? " (first seen within the hour that began then)"
					  : " (first seen within the day that began then)";
}

static bool has_text(const struct change_service *service, const char *text)
{
	for (size_t i = 0; i < service->firsts.count; i++)
		if (strcmp(service->firsts.item[i].text, text) == 0)
			return true;
	return false;
}

static void find_firsts(const struct range *range, uint64_t step_ns, struct arena *arena,
			struct change_service *ret)
{
	uint64_t begin = UINT64_MAX;

	for (const struct entry *at = range->from; at < range->to; at++)
		begin = at->first_ns < begin ? at->first_ns : begin;
	for (const struct entry *at = range->from; at < range->to; at++)
		for (size_t l = 0; l < sizeof(followed) / sizeof(followed[0]); l++) {
			struct buf text = { 0 };
			struct change_first first = first_of(range, l, at->value[l]);

			if (!*at->value[l] || first.time_ns <= begin + step_ns)
				continue;
			(void)buf_printf(&text, "%s %s%s", followed[l], at->value[l],
					 span_text(&first));
			if (!has_text(ret, text.data)) {
				first.text = arena_strdup(arena, text.data);
				vec_push(&ret->firsts, first);
			}
			buf_done(&text);
		}
}

static void add_service(const struct store_changes_question *question, const struct range *range,
			uint64_t step_ns, struct change_services *ret)
{
	char *selector = selector_of(question, range->from->service);
	struct change_service service = { .name = arena_strdup(&ret->arena, range->from->service),
					  .event = arena_strdup(
						  &ret->arena, question->event ? question->event
									       : main_event(range)),
					  .selector = arena_strdup(&ret->arena, selector) };

	find_firsts(range, step_ns, &ret->arena, &service);
	vec_push(&ret->item, service);
	free(selector);
}

int change_services_find(const struct store_changes_question *question,
			 const struct store_changes *range, struct change_services *ret,
			 struct err *err)
{
	const struct store_options where = { .location = question->location };
	struct store_query query = { .from_ns = range->from_ns,
				     .to_ns = question->to_ns, /* the step that is not over, too */
				     .step_ns = range->step_ns,
				     .event = question->event,
				     .viewer = question->viewer };
	struct selector *selector = NULL;
	struct store_series_list list;
	struct store *store;
	entry_list entries = { 0 };
	int code = question->selector ? selector_parse(question->selector, &selector, err) : 0;

	query.selector = selector;
	if (!code)
		code = store_open(&where, &store, err);
	if (!code) {
		code = store_series(store, &query, &list, err);
		store_close(store);
	}
	selector_free(selector);
	if (code)
		return code;
	ret->damaged = list.damaged;
	take_series(question, &list, &entries);
	for (size_t i = 0, next; i < entries.count; i = next) {
		const struct entry *entry = &entries.item[i];

		for (next = i; next < entries.count; next++)
			if (strcmp(entries.item[next].service, entry->service) != 0)
				break;
		add_service(question, &(struct range){ entry, entries.item + next }, range->step_ns,
			    ret);
	}
	vec_done(&entries);
	store_series_list_done(&list);
	return 0;
}

void change_services_done(struct change_services *services)
{
	for (size_t i = 0; i < services->item.count; i++)
		vec_done(&services->item.item[i].firsts);
	vec_done(&services->item);
	arena_done(&services->arena);
}
