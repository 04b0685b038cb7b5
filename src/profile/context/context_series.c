/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of the machine's context (see context_series.h). */
#include "profile/context/context_series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEVICES 64 /* of a kind; those that were busy first */

void context_series_add(struct context_series *series, struct context_sample *sample)
{
	if (series->sample.count && vec_last(&series->sample)->time_ns >= sample->time_ns)
		context_sample_done(sample);
	else
		vec_push(&series->sample, *sample);
}

void context_series_done(struct context_series *series)
{
	for (size_t i = 0; i < series->sample.count; i++)
		context_sample_done(&series->sample.item[i]);
	vec_done(&series->sample);
}

uint64_t context_series_ns(const struct context_series *series)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < series->sample.count; i++)
		if (__builtin_add_overflow(ns, series->sample.item[i].interval_ns, &ns))
			return UINT64_MAX;
	return ns;
}

const char *context_row_unit_name(enum context_row_unit unit)
{
	static const char *const names[] = { "percent", "per_s",       "tasks",
					     "bytes",	"bytes_per_s", "ms" };

	return names[unit];
}

static double seconds(const struct context_sample *sample)
{
	return (double)sample->interval_ns / 1e9;
}

static struct context_row *add_row(const struct context_series *series, struct context_rows *rows,
				   const char *group, const char *name)
{
	struct context_row row = { 0 };

	(void)snprintf(row.group, sizeof(row.group), "%s", group);
	(void)snprintf(row.name, sizeof(row.name), "%s", name);
	row.value = mem_alloc(series->sample.count * sizeof(*row.value) + 1);
	for (size_t i = 0; i < series->sample.count; i++)
		row.value[i] = NAN;
	vec_push(&rows->row, row);
	return vec_last(&rows->row);
}

/* Mean over time and maximum. False: nothing is known. */
static bool finish_row(const struct context_series *series, struct context_row *row)
{
	double weight = 0;

	for (size_t i = 0; i < series->sample.count; i++) {
		double s = seconds(&series->sample.item[i]);

		if (isnan(row->value[i]))
			continue;
		row->mean += row->value[i] * s;
		weight += s;
		row->max = fmax(row->max, row->value[i]);
	}
	row->mean = weight > 0 ? row->mean / weight : 0;
	return weight > 0;
}

static void finish_rows(const struct context_series *series, struct context_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->row.count; i++)
		if (finish_row(series, &rows->row.item[i]))
			rows->row.item[kept++] = rows->row.item[i];
		else
			free(rows->row.item[i].value);
	rows->row.count = kept;
}

static uint64_t sum_modes(const struct context_cpu *cpu)
{
	uint64_t sum = 0;

	for (int i = 0; i < CONTEXT_MODE_COUNT; i++)
		sum += cpu->ms[i];
	return sum;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static void mode_row(const struct context_series *series, enum context_mode mode,
		     struct context_rows *rows)
{
	struct context_row *row = add_row(series, rows, "CPU", context_mode_name(mode));

	for (size_t i = 0; i < series->sample.count; i++) {
		const struct context_sample *sample = &series->sample.item[i];
		uint64_t part = 0, whole = 0;

		for (size_t j = 0; j < sample->cpu.count; j++) {
			part += sample->cpu.item[j].ms[mode];
			whole += sum_modes(&sample->cpu.item[j]);
		}
		row->value[i] = percent(part, whole);
	}
}

static void each_cpu_rows(const struct context_series *series, struct context_rows *rows)
{
	uint32_t row_of[CONTEXT_MAX_CPUS] = { 0 }; /* index + 1 */

	for (size_t i = 0; i < series->sample.count; i++)
		for (size_t j = 0; j < series->sample.item[i].cpu.count; j++)
			row_of[series->sample.item[i].cpu.item[j].cpu] = 1;
	for (uint32_t cpu = 0; cpu < CONTEXT_MAX_CPUS; cpu++) {
		char name[32];

		if (!row_of[cpu])
			continue;
		(void)snprintf(name, sizeof(name), "cpu %u busy", cpu);
		(void)add_row(series, rows, "each CPU", name);
		row_of[cpu] = (uint32_t)rows->row.count;
	}
	for (size_t i = 0; i < series->sample.count; i++)
		for (size_t j = 0; j < series->sample.item[i].cpu.count; j++) {
			const struct context_cpu *cpu = &series->sample.item[i].cpu.item[j];
			uint64_t all = sum_modes(cpu);
			uint64_t busy = all - cpu->ms[CONTEXT_IDLE] - cpu->ms[CONTEXT_IOWAIT];

			rows->row.item[row_of[cpu->cpu] - 1].value[i] = percent(busy, all);
		}
}

static void cpu_rows(const struct context_series *series, struct context_rows *rows)
{
	static const enum context_mode modes[] = { CONTEXT_USER, CONTEXT_SYSTEM, CONTEXT_IRQ,
						   CONTEXT_STEAL, CONTEXT_IOWAIT };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		mode_row(series, modes[i], rows);
	each_cpu_rows(series, rows);
}

/* How a value is shown: "psi_memory" as the share of time, "queued" as tasks. */
static enum context_row_unit unit_of(enum context_value value)
{
	switch (context_value_unit(value)) {
	case CONTEXT_TIME:
		return value == CONTEXT_QUEUED ? CONTEXT_ROW_LEVEL : CONTEXT_ROW_PERCENT;
	case CONTEXT_LEVEL:
		return CONTEXT_ROW_LEVEL;
	case CONTEXT_BYTES:
		return CONTEXT_ROW_BYTES;
	case CONTEXT_COUNT:
	default:
		return CONTEXT_ROW_RATE;
	}
}

static const char *group_of(enum context_value value)
{
	if (value <= CONTEXT_SOFTIRQS)
		return "events";
	if (value <= CONTEXT_HOT)
		return "scheduling";
	if (value <= CONTEXT_OOM_KILLS)
		return "memory";
	return value <= CONTEXT_PSI_IO_FULL ? "pressure" : "network";
}

static double shown_value(const struct context_sample *sample, enum context_value id)
{
	double value = (double)sample->value[id];

	switch (context_value_unit(id)) {
	case CONTEXT_TIME:
		value /= (double)sample->interval_ns;
		return id == CONTEXT_QUEUED ? value : 100 * value;
	case CONTEXT_COUNT:
		return value / seconds(sample);
	case CONTEXT_LEVEL:
	case CONTEXT_BYTES:
	default:
		return value;
	}
}

static void value_rows(const struct context_series *series, struct context_rows *rows)
{
	for (int id = 0; id < CONTEXT_VALUE_COUNT; id++) {
		enum context_value value = (enum context_value)id;
		struct context_row *row;

		row = add_row(series, rows, group_of(value), context_value_text(value));
		row->unit = unit_of(value);
		for (size_t i = 0; i < series->sample.count; i++)
			if (context_knows(&series->sample.item[i], value))
				row->value[i] = shown_value(&series->sample.item[i], value);
	}
}

/* What is shown of a device: one of its values, a second; for disks also two that are computed. */
struct device_row {
	const char *name;
	enum context_row_unit unit;
	int value;
	bool is_average; /* wait of one request */
};

static const struct device_row disk_rows[] = {
	{ "busy", CONTEXT_ROW_PERCENT, CONTEXT_DISK_BUSY_MS, false },
	{ "wait of a request", CONTEXT_ROW_MS, CONTEXT_DISK_WAIT_MS, true },
	{ "reads", CONTEXT_ROW_RATE, CONTEXT_DISK_READS, false },
	{ "read", CONTEXT_ROW_BYTE_RATE, CONTEXT_DISK_READ_BYTES, false },
	{ "writes", CONTEXT_ROW_RATE, CONTEXT_DISK_WRITES, false },
	{ "written", CONTEXT_ROW_BYTE_RATE, CONTEXT_DISK_WRITE_BYTES, false },
	{ "flushes", CONTEXT_ROW_RATE, CONTEXT_DISK_FLUSHES, false },
};

static const struct device_row net_rows[] = {
	{ "received", CONTEXT_ROW_BYTE_RATE, CONTEXT_NET_RX_BYTES, false },
	{ "packets in", CONTEXT_ROW_RATE, CONTEXT_NET_RX_PACKETS, false },
	{ "dropped in", CONTEXT_ROW_RATE, CONTEXT_NET_RX_DROPS, false },
	{ "sent", CONTEXT_ROW_BYTE_RATE, CONTEXT_NET_TX_BYTES, false },
	{ "packets out", CONTEXT_ROW_RATE, CONTEXT_NET_TX_PACKETS, false },
	{ "dropped out", CONTEXT_ROW_RATE, CONTEXT_NET_TX_DROPS, false },
};

static double device_value(const struct device_row *kind, const struct context_device *device,
			   double interval_s)
{
	uint64_t requests = device->value[CONTEXT_DISK_READS] + device->value[CONTEXT_DISK_WRITES] +
			    device->value[CONTEXT_DISK_FLUSHES];
	double value = (double)device->value[kind->value];

	if (kind->is_average)
		return requests ? value / (double)requests : NAN;
	return kind->unit == CONTEXT_ROW_PERCENT ? value / interval_s / 10 : value / interval_s;
}

struct device_list {
	const char *kind;
	bool is_disk;
	const struct device_row *row;
	size_t rows;
};

static const struct context_device *device_at(const struct context_sample *sample, bool is_disk,
					      size_t index)
{
	if (is_disk)
		return index < sample->disk.count ? &sample->disk.item[index] : NULL;
	return index < sample->net.count ? &sample->net.item[index] : NULL;
}

static const struct context_device *device_named(const struct context_sample *sample, bool is_disk,
						 const char *name)
{
	const struct context_device *device;

	for (size_t i = 0; (device = device_at(sample, is_disk, i)); i++)
		if (strcmp(device->name, name) == 0)
			return device;
	return NULL;
}

static void one_device(const struct context_series *series, const struct device_list *list,
		       const char *name, struct context_rows *rows)
{
	static const struct context_device idle;

	for (size_t i = 0; i < list->rows; i++) {
		struct context_row *row = add_row(series, rows, list->kind, list->row[i].name);

		(void)snprintf(row->group, sizeof(row->group), "%s %.32s", list->kind, name);
		row->unit = list->row[i].unit;
		for (size_t j = 0; j < series->sample.count; j++) {
			const struct context_sample *sample = &series->sample.item[j];
			const struct context_device *device =
				device_named(sample, list->is_disk, name);

			row->value[j] = device_value(&list->row[i], device ? device : &idle,
						     seconds(sample));
		}
	}
}

typedef VEC(const char *) name_list;

static bool is_known(const name_list *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->item[i], name) == 0)
			return true;
	return false;
}

static void device_rows(const struct context_series *series, const struct device_list *list,
			struct context_rows *rows)
{
	const struct context_device *device;
	name_list names = { 0 };

	for (size_t i = 0; i < series->sample.count; i++)
		for (size_t j = 0; (device = device_at(&series->sample.item[i], list->is_disk, j));
		     j++) {
			if (names.count == MAX_DEVICES || is_known(&names, device->name))
				continue;
			vec_push(&names, device->name);
			one_device(series, list, device->name, rows);
		}
	vec_done(&names);
}

void context_rows_make(const struct context_series *series, struct context_rows *ret)
{
	static const struct device_list disks = { "disk", true, disk_rows,
						  sizeof(disk_rows) / sizeof(*disk_rows) };
	static const struct device_list nets = { "net", false, net_rows,
						 sizeof(net_rows) / sizeof(*net_rows) };

	*ret = (struct context_rows){ 0 };
	cpu_rows(series, ret);
	value_rows(series, ret);
	device_rows(series, &disks, ret);
	device_rows(series, &nets, ret);
	finish_rows(series, ret);
}

void context_rows_done(struct context_rows *rows)
{
	for (size_t i = 0; i < rows->row.count; i++)
		free(rows->row.item[i].value);
	vec_done(&rows->row);
}
