/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of /proc and cgroups (see machine_proc.h). */
#include "source/machine/machine_proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB	     1024u
#define SECTOR_BYTES 512u

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* What follows the key and a separator on its line, or NULL. */
static const char *after(const char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0 || (line[len] != ' ' && line[len] != ':'))
		return NULL;
	return line + len + 1;
}

/* The next number on this line; the rest of a line without one reads as zeros. */
static uint64_t take_number(const char **at)
{
	uint64_t value = 0;

	while (**at == ' ' || **at == '\t')
		(*at)++;
	while (**at >= '0' && **at <= '9')
		value = value * 10 + (uint64_t)(*(*at)++ - '0');
	return value;
}

/* A word of at most size - 1 bytes, up to a blank or a colon. */
static void take_name(const char **at, char *ret, size_t size)
{
	size_t len = 0;

	while (**at == ' ')
		(*at)++;
	while (**at && **at != ' ' && **at != ':' && **at != '\n') {
		if (len + 1 < size)
			ret[len++] = **at;
		(*at)++;
	}
	ret[len] = '\0';
}

struct key_value {
	const char *key;
	enum machine_value value;
	uint64_t unit;
};

static void take_keys(const char *text, const struct key_value *keys, size_t count,
		      struct machine_sample *totals)
{
	for (const char *line = text; *line; line = next_line(line))
		for (size_t i = 0; i < count; i++) {
			const char *rest = after(line, keys[i].key);
			uint64_t before = totals->value[keys[i].value];

			if (!rest)
				continue;
			if (!machine_knows(totals, keys[i].value))
				before = 0;
			machine_set(totals, keys[i].value,
				    before + take_number(&rest) * keys[i].unit);
		}
}

#define TAKE_KEYS(text, keys, totals) take_keys(text, keys, sizeof(keys) / sizeof(*(keys)), totals)

static void take_cpu(const char *rest, uint64_t ticks_per_s, struct machine_sample *totals)
{
	/* user nice system idle iowait irq softirq steal; guests are in user */
	static const enum machine_mode modes[] = { MACHINE_USER, MACHINE_USER,	 MACHINE_SYSTEM,
						   MACHINE_IDLE, MACHINE_IOWAIT, MACHINE_IRQ,
						   MACHINE_IRQ,	 MACHINE_STEAL };
	struct machine_cpu cpu = { .cpu = (uint32_t)take_number(&rest) };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		cpu.ms[modes[i]] += take_number(&rest) * 1000 / ticks_per_s;
	if (totals->cpu.count < MACHINE_MAX_CPUS && cpu.cpu < MACHINE_MAX_CPUS)
		vec_push(&totals->cpu, cpu);
}

void machine_proc_stat(const char *text, uint64_t ticks_per_s, struct machine_sample *totals)
{
	static const struct key_value keys[] = {
		{ "ctxt", MACHINE_SWITCHES, 1 },	  { "processes", MACHINE_FORKS, 1 },
		{ "intr", MACHINE_INTERRUPTS, 1 },	  { "softirq", MACHINE_SOFTIRQS, 1 },
		{ "procs_running", MACHINE_RUNNABLE, 1 }, { "procs_blocked", MACHINE_BLOCKED, 1 },
	};

	for (const char *line = text; *line; line = next_line(line))
		if (strncmp(line, "cpu", 3) == 0 && line[3] >= '0' && line[3] <= '9')
			take_cpu(line + 3, ticks_per_s, totals);
	TAKE_KEYS(text, keys, totals);
}

void machine_proc_schedstat(const char *text, struct machine_sample *totals)
{
	uint64_t waited_ns = 0;
	bool any = false;

	for (const char *line = text; *line; line = next_line(line)) {
		const char *rest = line + 3;

		if (strncmp(line, "cpu", 3) != 0)
			continue;
		for (int i = 0; i < 8; i++) /* the CPU and seven others, then time in the queue */
			(void)take_number(&rest);
		waited_ns += take_number(&rest);
		any = true;
	}
	if (any)
		machine_set(totals, MACHINE_QUEUED, waited_ns);
}

void machine_proc_meminfo(const char *text, struct machine_sample *totals)
{
	static const struct key_value keys[] = {
		{ "MemTotal", MACHINE_MEM_TOTAL, KIB },
		{ "MemAvailable", MACHINE_MEM_AVAILABLE, KIB },
		{ "Cached", MACHINE_MEM_CACHED, KIB },
		{ "Buffers", MACHINE_MEM_CACHED, KIB },
		{ "Dirty", MACHINE_MEM_DIRTY, KIB },
		{ "Writeback", MACHINE_MEM_DIRTY, KIB },
	};
	uint64_t total = 0, unused = 0;

	TAKE_KEYS(text, keys, totals);
	for (const char *line = text; *line; line = next_line(line)) {
		const char *rest;

		if ((rest = after(line, "SwapTotal")))
			total = take_number(&rest);
		else if ((rest = after(line, "SwapFree")))
			unused = take_number(&rest);
	}
	if (total)
		machine_set(totals, MACHINE_SWAP_USED, total > unused ? (total - unused) * KIB : 0);
}

void machine_proc_vmstat(const char *text, struct machine_sample *totals)
{
	static const struct key_value keys[] = {
		{ "pgmajfault", MACHINE_MAJOR_FAULTS, 1 },
		{ "pswpin", MACHINE_SWAP_IN, 1 },
		{ "pswpout", MACHINE_SWAP_OUT, 1 },
		{ "pgscan_direct", MACHINE_DIRECT_SCANS, 1 },
		{ "oom_kill", MACHINE_OOM_KILLS, 1 },
	};

	TAKE_KEYS(text, keys, totals);
}

void machine_proc_pressure(const char *text, enum machine_value some, enum machine_value full,
			   struct machine_sample *totals)
{
	for (const char *line = text; *line; line = next_line(line)) {
		const char *total = strstr(line, "total=");

		if (!total || total > next_line(line))
			continue;
		total += strlen("total=");
		if (after(line, "some"))
			machine_set(totals, some, take_number(&total) * 1000);
		else if (after(line, "full") && full != some)
			machine_set(totals, full, take_number(&total) * 1000);
	}
}

/* The file lists partitions after their disk, which includes their counts. */
static bool is_partition(const char *disk, const char *name)
{
	size_t len = strlen(disk);

	if (!len || strncmp(disk, name, len) != 0)
		return false;
	name += len;
	if (*name == 'p' && disk[len - 1] >= '0' && disk[len - 1] <= '9')
		name++;
	else if (disk[len - 1] >= '0' && disk[len - 1] <= '9')
		return false; /* loop1, loop10 */
	return *name && strspn(name, "0123456789") == strlen(name);
}

void machine_proc_diskstats(const char *text, struct machine_sample *totals)
{
	char whole[sizeof(((struct machine_device *)0)->name)] = "";

	for (const char *line = text; *line; line = next_line(line)) {
		struct machine_device disk = { 0 };
		const char *rest = line;
		uint64_t field[17] = { 0 };

		(void)take_number(&rest); /* major and minor */
		(void)take_number(&rest);
		take_name(&rest, disk.name, sizeof(disk.name));
		if (!disk.name[0] || is_partition(whole, disk.name))
			continue;
		memcpy(whole, disk.name, sizeof(whole));
		for (size_t i = 0; i < sizeof(field) / sizeof(*field); i++)
			field[i] = take_number(&rest);
		disk.value[MACHINE_DISK_READS] = field[0];
		disk.value[MACHINE_DISK_READ_BYTES] = field[2] * SECTOR_BYTES;
		disk.value[MACHINE_DISK_WRITES] = field[4];
		disk.value[MACHINE_DISK_WRITE_BYTES] = field[6] * SECTOR_BYTES;
		disk.value[MACHINE_DISK_FLUSHES] = field[15];
		disk.value[MACHINE_DISK_WAIT_MS] = field[3] + field[7] + field[16];
		disk.value[MACHINE_DISK_BUSY_MS] = field[9];
		if (totals->disk.count < MACHINE_MAX_DEVICES)
			vec_push(&totals->disk, disk);
	}
}

void machine_proc_net_dev(const char *text, struct machine_sample *totals)
{
	for (const char *line = text; *line; line = next_line(line)) {
		struct machine_device net = { 0 };
		const char *rest = line, *colon = strchr(line, ':');
		uint64_t field[16];

		if (!colon || colon > next_line(line))
			continue; /* the two lines of the heading */
		take_name(&rest, net.name, sizeof(net.name));
		rest = colon + 1;
		for (size_t i = 0; i < sizeof(field) / sizeof(*field); i++)
			field[i] = take_number(&rest);
		net.value[MACHINE_NET_RX_BYTES] = field[0];
		net.value[MACHINE_NET_RX_PACKETS] = field[1];
		net.value[MACHINE_NET_RX_DROPS] = field[2] + field[3];
		net.value[MACHINE_NET_TX_BYTES] = field[8];
		net.value[MACHINE_NET_TX_PACKETS] = field[9];
		net.value[MACHINE_NET_TX_DROPS] = field[10] + field[11];
		if (totals->net.count < MACHINE_MAX_DEVICES)
			vec_push(&totals->net, net);
	}
}

/* Two lines begin with "Tcp:", names and numbers. */
void machine_proc_snmp(const char *text, struct machine_sample *totals)
{
	const char *names = strstr(text, "Tcp:"), *numbers, *end;

	if (!names)
		return;
	end = numbers = next_line(names);
	if (!(numbers = after(numbers, "Tcp")))
		return;
	for (names += strlen("Tcp:"); names < end;) {
		char name[32];
		uint64_t value;

		take_name(&names, name, sizeof(name));
		if (!name[0])
			return;
		while (*numbers == ' ' || *numbers == '-') /* MaxConn may be -1 */
			numbers++;
		value = take_number(&numbers);
		if (strcmp(name, "RetransSegs") == 0)
			machine_set(totals, MACHINE_RETRANSMITS, value);
	}
}

void machine_proc_cpu_stat(const char *text, struct machine_sample *totals)
{
	static const struct key_value keys[] = {
		{ "throttled_usec", MACHINE_THROTTLED, 1000 }, /* version 2 */
		{ "throttled_time", MACHINE_THROTTLED, 1 },    /* version 1 */
	};

	TAKE_KEYS(text, keys, totals);
}

/* ID:CONTROLLERS:PATH, and 0::PATH for version 2. */
bool machine_proc_cgroup(const char *text, bool *is_v2, char *ret, size_t size)
{
	bool found = false;

	for (const char *line = text; *line; line = next_line(line)) {
		const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
		size_t len = path ? strcspn(path + 1, "\n") : 0;
		bool v2 = path && path == list + 1;
		char words[128];

		if (!path || !len || path > next_line(line) || len >= size || (found && v2))
			continue;
		(void)snprintf(words, sizeof(words), ",%.*s,", (int)(path - list - 1), list + 1);
		if (!v2 && !strstr(words, ",cpu,"))
			continue;
		(void)snprintf(ret, size, "%.*s", (int)len, path + 1);
		*is_v2 = v2;
		found = true;
	}
	return found;
}
