/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of the machine's context (see machine_series.h). */
#include "profile/machine_series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEVICES 64 /* of a kind; those that were busy first */

void machine_series_add(struct machine_series *series, struct machine_sample *sample)
{
	if (series->sample.count && vec_last(&series->sample)->time_ns >= sample->time_ns)
		machine_sample_done(sample);
	else
		vec_push(&series->sample, *sample);
}

void machine_series_done(struct machine_series *series)
{
	for (size_t i = 0; i < series->sample.count; i++)
		machine_sample_done(&series->sample.item[i]);
	vec_done(&series->sample);
}

uint64_t machine_series_ns(const struct machine_series *series)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < series->sample.count; i++)
		if (__builtin_add_overflow(ns, series->sample.item[i].interval_ns, &ns))
			return UINT64_MAX;
	return ns;
}

const char *machine_row_unit_name(enum machine_row_unit unit)
{
	static const char *const names[] = { "percent", "per_s",       "tasks",
					     "bytes",	"bytes_per_s", "ms" };

	return names[unit];
}

static double seconds(const struct machine_sample *sample)
{
	return (double)sample->interval_ns / 1e9;
}

static struct machine_row *add_row(const struct machine_series *series, struct machine_rows *rows,
				   const char *group, const char *name)
{
	struct machine_row row = { 0 };

	(void)snprintf(row.group, sizeof(row.group), "%s", group);
	(void)snprintf(row.name, sizeof(row.name), "%s", name);
	row.value = mem_alloc(series->sample.count * sizeof(*row.value) + 1);
	for (size_t i = 0; i < series->sample.count; i++)
		row.value[i] = NAN;
	vec_push(&rows->row, row);
	return vec_last(&rows->row);
}

/* Mean over time and maximum. False: no value is known. */
static bool finish_row(const struct machine_series *series, struct machine_row *row)
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

static void finish_rows(const struct machine_series *series, struct machine_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->row.count; i++)
		if (finish_row(series, &rows->row.item[i]))
			rows->row.item[kept++] = rows->row.item[i];
		else
			free(rows->row.item[i].value);
	rows->row.count = kept;
}

static uint64_t sum_modes(const struct machine_cpu *cpu)
{
	uint64_t sum = 0;

	for (int i = 0; i < MACHINE_MODE_COUNT; i++)
		sum += cpu->ms[i];
	return sum;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : NAN;
}

static void mode_row(const struct machine_series *series, enum machine_mode mode,
		     struct machine_rows *rows)
{
	struct machine_row *row = add_row(series, rows, "CPU", machine_mode_name(mode));

	for (size_t i = 0; i < series->sample.count; i++) {
		const struct machine_sample *sample = &series->sample.item[i];
		uint64_t part = 0, whole = 0;

		for (size_t j = 0; j < sample->cpu.count; j++) {
			part += sample->cpu.item[j].ms[mode];
			whole += sum_modes(&sample->cpu.item[j]);
		}
		row->value[i] = percent(part, whole);
	}
}

static void each_cpu_rows(const struct machine_series *series, struct machine_rows *rows)
{
	uint32_t row_of[MACHINE_MAX_CPUS] = { 0 }; /* index + 1 */

	for (size_t i = 0; i < series->sample.count; i++)
		for (size_t j = 0; j < series->sample.item[i].cpu.count; j++)
			row_of[series->sample.item[i].cpu.item[j].cpu] = 1;
	for (uint32_t cpu = 0; cpu < MACHINE_MAX_CPUS; cpu++) {
		char name[32];

		if (!row_of[cpu])
			continue;
		(void)snprintf(name, sizeof(name), "cpu %u busy", cpu);
		(void)add_row(series, rows, "each CPU", name);
		row_of[cpu] = (uint32_t)rows->row.count;
	}
	for (size_t i = 0; i < series->sample.count; i++)
		for (size_t j = 0; j < series->sample.item[i].cpu.count; j++) {
			const struct machine_cpu *cpu = &series->sample.item[i].cpu.item[j];
			uint64_t all = sum_modes(cpu);
			uint64_t busy = all - cpu->ms[MACHINE_IDLE] - cpu->ms[MACHINE_IOWAIT];

			rows->row.item[row_of[cpu->cpu] - 1].value[i] = percent(busy, all);
		}
}

static void cpu_rows(const struct machine_series *series, struct machine_rows *rows)
{
	static const enum machine_mode modes[] = { MACHINE_USER, MACHINE_SYSTEM, MACHINE_IRQ,
						   MACHINE_STEAL, MACHINE_IOWAIT };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		mode_row(series, modes[i], rows);
	each_cpu_rows(series, rows);
}

/* The unit a value is shown in: "psi_memory" as the share of time, "queued" as tasks. */
static enum machine_row_unit unit_of(enum machine_value value)
{
	switch (machine_value_unit(value)) {
	case MACHINE_TIME:
		return value == MACHINE_QUEUED ? MACHINE_ROW_LEVEL : MACHINE_ROW_PERCENT;
	case MACHINE_LEVEL:
		return MACHINE_ROW_LEVEL;
	case MACHINE_BYTES:
		return MACHINE_ROW_BYTES;
	case MACHINE_COUNT:
	default:
		return MACHINE_ROW_RATE;
	}
}

static const char *group_of(enum machine_value value)
{
	if (value <= MACHINE_SOFTIRQS)
		return "events";
	if (value <= MACHINE_HOT)
		return "scheduling";
	if (value <= MACHINE_OOM_KILLS)
		return "memory";
	return value <= MACHINE_PSI_IO_FULL ? "pressure" : "network";
}

static double shown_value(const struct machine_sample *sample, enum machine_value id)
{
	double value = (double)sample->value[id];

	switch (machine_value_unit(id)) {
	case MACHINE_TIME:
		value /= (double)sample->interval_ns;
		return id == MACHINE_QUEUED ? value : 100 * value;
	case MACHINE_COUNT:
		return value / seconds(sample);
	case MACHINE_LEVEL:
	case MACHINE_BYTES:
	default:
		return value;
	}
}

static void value_rows(const struct machine_series *series, struct machine_rows *rows)
{
	for (int id = 0; id < MACHINE_VALUE_COUNT; id++) {
		enum machine_value value = (enum machine_value)id;
		struct machine_row *row;

		row = add_row(series, rows, group_of(value), machine_value_text(value));
		row->unit = unit_of(value);
		for (size_t i = 0; i < series->sample.count; i++)
			if (machine_knows(&series->sample.item[i], value))
				row->value[i] = shown_value(&series->sample.item[i], value);
	}
}

/* The values shown of a device: one of its own per second, and for disks two computed ones. */
struct device_row {
	const char *name;
	enum machine_row_unit unit;
	int value;
	bool is_average; /* wait of one request */
};

static const struct device_row disk_rows[] = {
	{ "busy", MACHINE_ROW_PERCENT, MACHINE_DISK_BUSY_MS, false },
	{ "wait of a request", MACHINE_ROW_MS, MACHINE_DISK_WAIT_MS, true },
	{ "reads", MACHINE_ROW_RATE, MACHINE_DISK_READS, false },
	{ "read", MACHINE_ROW_BYTE_RATE, MACHINE_DISK_READ_BYTES, false },
	{ "writes", MACHINE_ROW_RATE, MACHINE_DISK_WRITES, false },
	{ "written", MACHINE_ROW_BYTE_RATE, MACHINE_DISK_WRITE_BYTES, false },
	{ "flushes", MACHINE_ROW_RATE, MACHINE_DISK_FLUSHES, false },
};

static const struct device_row net_rows[] = {
	{ "received", MACHINE_ROW_BYTE_RATE, MACHINE_NET_RX_BYTES, false },
	{ "packets in", MACHINE_ROW_RATE, MACHINE_NET_RX_PACKETS, false },
	{ "dropped in", MACHINE_ROW_RATE, MACHINE_NET_RX_DROPS, false },
	{ "sent", MACHINE_ROW_BYTE_RATE, MACHINE_NET_TX_BYTES, false },
	{ "packets out", MACHINE_ROW_RATE, MACHINE_NET_TX_PACKETS, false },
	{ "dropped out", MACHINE_ROW_RATE, MACHINE_NET_TX_DROPS, false },
};

static double device_value(const struct device_row *kind, const struct machine_device *device,
			   double interval_s)
{
	uint64_t requests = device->value[MACHINE_DISK_READS] + device->value[MACHINE_DISK_WRITES] +
			    device->value[MACHINE_DISK_FLUSHES];
	double value = (double)device->value[kind->value];

	if (kind->is_average)
		return requests ? value / (double)requests : NAN;
	return kind->unit == MACHINE_ROW_PERCENT ? value / interval_s / 10 : value / interval_s;
}

struct device_list {
	const char *kind;
	bool is_disk;
	const struct device_row *row;
	size_t rows;
};

static const struct machine_device *device_at(const struct machine_sample *sample, bool is_disk,
					      size_t index)
{
	if (is_disk)
		return index < sample->disk.count ? &sample->disk.item[index] : NULL;
	return index < sample->net.count ? &sample->net.item[index] : NULL;
}

static const struct machine_device *device_named(const struct machine_sample *sample, bool is_disk,
						 const char *name)
{
	const struct machine_device *device;

	for (size_t i = 0; (device = device_at(sample, is_disk, i)); i++)
		if (strcmp(device->name, name) == 0)
			return device;
	return NULL;
}

static void one_device(const struct machine_series *series, const struct device_list *list,
		       const char *name, struct machine_rows *rows)
{
	static const struct machine_device idle;

	for (size_t i = 0; i < list->rows; i++) {
		struct machine_row *row = add_row(series, rows, list->kind, list->row[i].name);

		(void)snprintf(row->group, sizeof(row->group), "%s %.32s", list->kind, name);
		row->unit = list->row[i].unit;
		for (size_t j = 0; j < series->sample.count; j++) {
			const struct machine_sample *sample = &series->sample.item[j];
			const struct machine_device *device =
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

static void device_rows(const struct machine_series *series, const struct device_list *list,
			struct machine_rows *rows)
{
	const struct machine_device *device;
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

void machine_rows_make(const struct machine_series *series, struct machine_rows *ret)
{
	static const struct device_list disks = { "disk", true, disk_rows,
						  sizeof(disk_rows) / sizeof(*disk_rows) };
	static const struct device_list nets = { "net", false, net_rows,
						 sizeof(net_rows) / sizeof(*net_rows) };

	*ret = (struct machine_rows){ 0 };
	cpu_rows(series, ret);
	value_rows(series, ret);
	device_rows(series, &disks, ret);
	device_rows(series, &nets, ret);
	finish_rows(series, ret);
}

void machine_rows_done(struct machine_rows *rows)
{
	for (size_t i = 0; i < rows->row.count; i++)
		free(rows->row.item[i].value);
	vec_done(&rows->row);
}
