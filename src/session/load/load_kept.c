/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples keep besides their stacks (see load_kept.h). The profile's strings belong to the
 * thread that names frames while samples are read, so texts are in a table of our own until then.
 */
#include "session/load/load_kept.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "event/desc.h"
#include "event/event.h"
#include "event/heap_block.h"
#include "format/perf_data/perf_data.h"
#include "format/trace/trace_print.h"
#include "proc/proc.h"
#include "profile/profile.h"
#include "session/load/load.h"

#define MAX_TEXT_BYTES 4096 /* of a tracepoint's fields */

/* The numbers that samples of an event keep. */
struct value_plan {
	const struct load_values *values; /* NULL = not found yet */
	struct trace_field field[LOAD_VALUES];
	bool has[LOAD_VALUES];
};

struct load_kept {
	const struct perf_data *data;
	unsigned keep;
	const struct load_options *options;
	struct strtab *texts;
	struct trace_print *trace;
	struct buf text, ids;
	VEC(struct heap_block) blocks;
	VEC(uint64_t) values;
	VEC(size_t) text_values;     /* those that are numbers in our table of texts */
	VEC(struct value_plan) plan; /* by event */
};

struct load_kept *load_kept_new(const struct perf_data *data, unsigned keep,
				const struct load_options *options)
{
	struct load_kept *kept = mem_zalloc(sizeof(*kept));

	kept->data = data;
	kept->keep = keep;
	kept->options = options;
	kept->texts = strtab_new();
	kept->text.limit = MAX_TEXT_BYTES;
	return kept;
}

void load_kept_free(struct load_kept *kept)
{
	if (!kept)
		return;
	strtab_free(kept->texts);
	trace_print_free(kept->trace);
	buf_done(&kept->text);
	buf_done(&kept->ids);
	vec_done(&kept->blocks);
	vec_done(&kept->values);
	vec_done(&kept->text_values);
	vec_done(&kept->plan);
	free(kept);
}

/* The payload of a tracepoint as text; of other samples it is empty. */
static uint64_t trace_of(struct load_kept *kept, const struct event *event)
{
	if (!kept->trace)
		kept->trace = trace_print_new(kept->data);
	buf_clear(&kept->text);
	if (!event->sample.raw ||
	    !(kept->options->raw_trace ? trace_print_raw(kept->trace, event, &kept->text)
				       : trace_print_event(kept->trace, event, &kept->text)))
		return STRING_EMPTY.v;
	return strtab_intern(kept->texts, kept->text.data, kept->text.len).v;
}

bool load_field_is_of(const struct load_field *field, const struct event_desc *desc)
{
	const char *colon = strchr(desc->name, ':');

	return !field->event || strcmp(desc->name, field->event) == 0 ||
	       (colon && strcmp(colon + 1, field->event) == 0);
}

/* Numbers of the fields' texts in our table, see PROFILE_ADDR_IS_FIELDS. A field that the event
 * does not have is empty. */
static uint64_t fields_of(struct load_kept *kept, const struct event *event)
{
	const struct load_options *options = kept->options;

	if (!kept->trace)
		kept->trace = trace_print_new(kept->data);
	buf_clear(&kept->ids);
	for (size_t i = 0; i < options->field_count; i++) {
		const struct load_field *field = &options->fields[i];
		string_id id = STRING_EMPTY;

		buf_clear(&kept->text);
		if (load_field_is_of(field, event->desc) &&
		    trace_print_field_text(kept->trace, event, field->name,
					   field->raw || options->raw_trace, &kept->text))
			id = strtab_intern(kept->texts, kept->text.data, kept->text.len);
		(void)buf_printf(&kept->ids, "%0*x", PROFILE_FIELD_DIGITS, id.v);
	}
	return strtab_intern(kept->texts, kept->ids.data, kept->ids.len).v;
}

/* Numbers of our table become those of the profile. */
static string_id finish_fields(const struct load_kept *kept, const char *ids,
			       struct profile *profile)
{
	struct buf text = { 0 };
	string_id ret;

	for (size_t i = 0; i < kept->options->field_count; i++) {
		char digits[PROFILE_FIELD_DIGITS + 1] = { 0 };
		const char *field;

		memcpy(digits, ids + i * PROFILE_FIELD_DIGITS, PROFILE_FIELD_DIGITS);
		field = strtab_get(kept->texts, (string_id){ (uint32_t)strtoul(digits, NULL, 16) });
		(void)buf_printf(&text, "%0*x", PROFILE_FIELD_DIGITS,
				 strtab_puts(profile->strings, field).v);
	}
	ret = strtab_intern(profile->strings, text.data, text.len);
	buf_done(&text);
	return ret;
}

/* The one weight, or the first of three that share the word. */
static uint64_t weight_of(const struct event *event)
{
	bool three = event->desc->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT;

	return three ? event->sample.weight & UINT32_MAX : event->sample.weight;
}

/* Of a sample without data there is no block. */
static uint64_t block_of(struct load_kept *kept, const struct event *event)
{
	struct heap_block block = { 0 };

	if (event->sample.raw_len >= sizeof(block))
		memcpy(&block, event->sample.raw, sizeof(block));
	vec_push(&kept->blocks, block);
	return kept->blocks.count - 1;
}

static bool is_event(const char *name, const struct event_desc *desc)
{
	return load_field_is_of(&(struct load_field){ .event = name }, desc);
}

static struct value_plan *plan_of(struct load_kept *kept, const struct event_desc *desc)
{
	const struct load_values *values = kept->options->values;
	struct value_plan *plan;

	while (kept->plan.count <= desc->index)
		vec_push(&kept->plan, (struct value_plan){ 0 });
	plan = &kept->plan.item[desc->index];
	if (plan->values)
		return plan;
	while (values->event && !is_event(values->event, desc))
		values++;
	plan->values = values;
	if (desc->attr.type != PERF_TYPE_TRACEPOINT)
		return plan;
	if (!kept->trace)
		kept->trace = trace_print_new(kept->data);
	for (size_t i = 0; values->name[i]; i++)
		plan->has[i] =
			values->name[i][0] != '@' && values->name[i][0] != '$' &&
			trace_print_field(kept->trace, desc, values->name[i], &plan->field[i]);
	return plan;
}

/* What samples have themselves. */
static uint64_t value_of(const struct event_sample *sample, const char *name)
{
	if (strcmp(name, LOAD_VALUE_ADDR) == 0)
		return sample->addr;
	if (strcmp(name, LOAD_VALUE_IP) == 0)
		return sample->ip;
	if (strcmp(name, LOAD_VALUE_WEIGHT) == 0)
		return sample->weight;
	if (strcmp(name, LOAD_VALUE_DATA_SRC) == 0)
		return sample->data_src;
	return strcmp(name, LOAD_VALUE_PHYS_ADDR) == 0 ? sample->phys_addr : 0;
}

/* The text of a field, as its number in our table. */
static uint64_t text_value_of(struct load_kept *kept, const struct event *event, const char *name)
{
	const bool raw = name[0] != '%';

	vec_push(&kept->text_values, kept->values.count);
	if (event->desc->attr.type != PERF_TYPE_TRACEPOINT)
		return STRING_EMPTY.v;
	buf_clear(&kept->text);
	if (!trace_print_field_text(kept->trace, event, raw ? name : name + 1, raw, &kept->text))
		return STRING_EMPTY.v;
	return strtab_intern(kept->texts, kept->text.data, kept->text.len).v;
}

static uint64_t field_values_of(struct load_kept *kept, const struct event *event)
{
	const struct value_plan *plan = plan_of(kept, event->desc);
	const struct trace_payload payload = { event->sample.raw, event->sample.raw_len };
	size_t first = kept->values.count;

	for (size_t i = 0; plan->values->name[i]; i++) {
		int64_t number = 0;

		if (plan->values->name[i][0] == '$')
			number = (int64_t)text_value_of(kept, event, plan->values->name[i] + 1);
		else if (plan->has[i])
			(void)trace_field_number(&plan->field[i], payload, &number);
		else
			number = (int64_t)value_of(&event->sample, plan->values->name[i]);
		vec_push(&kept->values, (uint64_t)number);
	}
	return first;
}

/* The payload of a wait for a lock, or of a block of memory, as words, with their number before
 * them. */
static uint64_t words_of(struct load_kept *kept, const struct event *event)
{
	size_t first = kept->values.count, count = event->sample.raw_len / sizeof(uint64_t);

	vec_push(&kept->values, count);
	for (size_t i = 0; i < count; i++) {
		uint64_t word;

		memcpy(&word, (const char *)event->sample.raw + i * sizeof(word), sizeof(word));
		vec_push(&kept->values, word);
	}
	return first;
}

static uint64_t values_of(struct load_kept *kept, const struct event *event)
{
	if (event_kind_has_words(event->desc->kind) || event_kind_is_heap(event->desc->kind))
		return words_of(kept, event);
	return field_values_of(kept, event);
}

uint64_t load_kept_value(struct load_kept *kept, const struct event *event)
{
	if (kept->keep & PROFILE_ADDR_IS_CGROUP)
		return event->sample.cgroup;
	if (kept->keep & PROFILE_ADDR_IS_WEIGHT)
		return weight_of(event);
	if (kept->keep & PROFILE_ADDR_IS_TRANSACTION)
		return event->sample.transaction;
	if (kept->keep & PROFILE_ADDR_IS_SOCKET)
		return perf_data_socket(kept->data, event->cpu);
	if (kept->keep & PROFILE_ADDR_IS_TRACE)
		return trace_of(kept, event);
	if (kept->keep & PROFILE_ADDR_IS_FIELDS)
		return fields_of(kept, event);
	if (kept->keep & PROFILE_ADDR_IS_BLOCK)
		return block_of(kept, event);
	if (kept->keep & PROFILE_ADDR_IS_VALUES)
		return values_of(kept, event);
	return event->sample.addr;
}

uint64_t load_kept_first(const struct load_kept *kept, uint64_t value)
{
	if (!(kept->keep & PROFILE_ADDR_IS_VALUES) || value >= kept->values.count)
		return 0;
	return kept->values.item[value];
}

void load_kept_finish(const struct load_kept *kept, const struct proc_table *procs,
		      struct profile *profile)
{
	bool cgroups = kept->keep & PROFILE_ADDR_IS_CGROUP;

	bool fields = kept->keep & PROFILE_ADDR_IS_FIELDS;

	for (size_t i = 0; i < kept->blocks.count; i++)
		vec_push(&profile->blocks, kept->blocks.item[i]);
	for (size_t i = 0; i < kept->values.count; i++)
		vec_push(&profile->values, kept->values.item[i]);
	for (size_t i = 0; i < kept->text_values.count; i++) {
		uint64_t *value = &profile->values.item[kept->text_values.item[i]];
		const char *text = strtab_get(kept->texts, (string_id){ (uint32_t)*value });

		*value = strtab_puts(profile->strings, text).v;
	}
	if (!cgroups && !fields && !(kept->keep & PROFILE_ADDR_IS_TRACE))
		return;
	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample *s = &profile->samples.item[i];
		const char *text = NULL;

		if (!cgroups)
			text = strtab_get(kept->texts, (string_id){ (uint32_t)s->addr });
		else if (s->addr)
			text = proc_table_cgroup(procs, s->addr);
		if (fields) {
			s->addr = finish_fields(kept, text, profile).v;
			continue;
		}
		s->addr = text ? strtab_puts(profile->strings, text).v : STRING_EMPTY.v;
	}
}
