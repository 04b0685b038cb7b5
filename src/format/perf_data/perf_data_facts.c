/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cupel's own facts in a recording: cost and losses of the recorder, as lines of text after an
 * ID_INDEX record without entries (perf_data_write.h has the format); likewise the context. */
#include <stdlib.h>

#include "format/perf_data/machine_text.h"
#include "format/perf_data/perf_data_private.h"
#include "format/perf_data/perf_data_write.h"

#define MAX_CPUS 65536

/* A CPU's counts, allocated at first use. */
static struct perf_data_cpu_stats *cpu_place(struct perf_data *data, uint64_t cpu)
{
	if (cpu >= MAX_CPUS)
		return NULL;
	while (data->cpu_stats.count <= cpu)
		vec_push(&data->cpu_stats, ((struct perf_data_cpu_stats){ 0 }));
	data->stats.cpu = data->cpu_stats.item;
	data->stats.cpus = data->cpu_stats.count;
	return &data->cpu_stats.item[cpu];
}

static void take_fact(struct perf_data *data, const char *key, uint64_t value, const char *rest)
{
	struct perf_data_stats *stats = &data->stats;
	struct perf_data_cpu_stats *cpu;
	bool by_cpu = strcmp(key, "lost_cpu") == 0;

	if (walk_count_set(&stats->walks, key, value))
		return;
	if (strcmp(key, "walk_time") == 0 && value < WALK_COST_BUCKETS)
		stats->walks.by_time[value] = strtoull(rest, NULL, 10);

	data->has_end |= strcmp(key, "self_cpu_ns") == 0 || strcmp(key, "part") == 0;
	if (strcmp(key, "self_cpu_ns") == 0)
		stats->self_cpu_ns = value;
	else if (strcmp(key, "self_peak_rss_bytes") == 0)
		stats->self_peak_rss_bytes = value;
	else if (strcmp(key, "lost_samples") == 0)
		data->recorded_lost_samples = value;
	else if (strcmp(key, "lost_records") == 0)
		data->recorded_lost_events = value;
	else if (strcmp(key, "truncated_bytes") == 0 && value > data->recorded_truncated_bytes)
		data->recorded_truncated_bytes = value;
	if (!by_cpu && strcmp(key, "throttled_cpu") != 0)
		return;
	cpu = cpu_place(data, value);
	if (cpu)
		*(by_cpu ? &cpu->lost : &cpu->throttled) = strtoull(rest, NULL, 10);
}

static bool begins_with(struct blob record, const char *magic)
{
	size_t len = strlen(magic);

	return blob_left(&record) >= len && memcmp(record.at, magic, len) == 0;
}

static void take_context(struct perf_data *data, struct blob record)
{
	static const size_t skip = sizeof(MACHINE_TEXT_MAGIC) - 1;
	struct machine_sample sample;

	if (machine_text_parse((const char *)record.at + skip, blob_left(&record) - skip, &sample))
		machine_series_add(&data->context, &sample);
	else
		machine_sample_done(&sample);
}

void perf_data_apply_facts(struct perf_data *data, struct blob record)
{
	struct blob whole = record;
	uint64_t entries = blob_u64(&record);
	char *text, *line, *rest;

	if (record.failed || entries)
		return; /* another program's index */
	if (data->header.pipe)
		perf_data_take_names(data, whole);
	if (begins_with(record, MACHINE_TEXT_MAGIC))
		take_context(data, record);
	if (!begins_with(record, PERF_DATA_FACTS_MAGIC))
		return;
	text = arena_strndup(&data->arena, (const char *)record.at, blob_left(&record));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *value = strchr(line, ' '), *end;
		uint64_t number;

		if (!value)
			continue;
		*value++ = '\0';
		if (strcmp(line, "damage") == 0) {
			text_tidy(value, strlen(value));
			perf_data_damage(data, "%s", value);
			continue;
		}
		number = strtoull(value, &end, 10);
		take_fact(data, line, number, end);
	}
}
