/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling the machine (see machine_sampler.h): running totals, and their difference to those of
 * the last time. */
#include "source/machine/machine_sampler.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/machine/machine_proc.h"

#define TEXT_BYTES     ((size_t)1 << 20)
#define MAX_HEAT_FILES 64 /* one for each CPU; the first ones tell enough */

enum machine_file {
	FILE_STAT,
	FILE_SCHEDSTAT,
	FILE_MEMINFO,
	FILE_VMSTAT,
	FILE_PSI_CPU,
	FILE_PSI_MEMORY,
	FILE_PSI_IO,
	FILE_DISKS,
	FILE_NET,
	FILE_SNMP,
	FILE_QUOTA,
	FILE_HEAT,
	FILE_COUNT = FILE_HEAT + MAX_HEAT_FILES,
};

static const char *const paths[FILE_QUOTA] = {
	"/proc/stat",	      "/proc/schedstat",       "/proc/meminfo",	    "/proc/vmstat",
	"/proc/pressure/cpu", "/proc/pressure/memory", "/proc/pressure/io", "/proc/diskstats",
	"/proc/net/dev",      "/proc/net/snmp",
};

struct machine_sampler {
	int fd[FILE_COUNT];
	uint64_t ticks_per_s;
	struct machine_sample last; /* running totals; its time is when they were read */
	char *text;		    /* of the file that is being read */
};

/* The text of a file from its start, NULL if missing. */
static const char *read_text(struct machine_sampler *sampler, int fd)
{
	ssize_t len = fd < 0 ? -1 : 0, n;

	while (len >= 0 && (size_t)len < TEXT_BYTES - 1) {
		n = pread(fd, sampler->text + len, TEXT_BYTES - 1 - (size_t)len, len);
		if (n <= 0)
			break;
		len += n;
	}
	if (len <= 0)
		return NULL;
	sampler->text[len] = '\0';
	return sampler->text;
}

static void take_pressure(const char *text, enum machine_file file, struct machine_sample *totals)
{
	if (file == FILE_PSI_CPU) /* "full" means nothing for the whole machine */
		machine_proc_pressure(text, MACHINE_PSI_CPU, MACHINE_PSI_CPU, totals);
	else if (file == FILE_PSI_MEMORY)
		machine_proc_pressure(text, MACHINE_PSI_MEMORY, MACHINE_PSI_MEMORY_FULL, totals);
	else
		machine_proc_pressure(text, MACHINE_PSI_IO, MACHINE_PSI_IO_FULL, totals);
}

static void take_text(const struct machine_sampler *sampler, const char *text,
		      enum machine_file file, struct machine_sample *totals)
{
	switch (file) {
	case FILE_STAT:
		machine_proc_stat(text, sampler->ticks_per_s, totals);
		break;
	case FILE_SCHEDSTAT:
		machine_proc_schedstat(text, totals);
		break;
	case FILE_MEMINFO:
		machine_proc_meminfo(text, totals);
		break;
	case FILE_VMSTAT:
		machine_proc_vmstat(text, totals);
		break;
	case FILE_PSI_CPU:
	case FILE_PSI_MEMORY:
	case FILE_PSI_IO:
		take_pressure(text, file, totals);
		break;
	case FILE_DISKS:
		machine_proc_diskstats(text, totals);
		break;
	case FILE_NET:
		machine_proc_net_dev(text, totals);
		break;
	case FILE_SNMP:
		machine_proc_snmp(text, totals);
		break;
	case FILE_QUOTA:
		machine_proc_cpu_stat(text, totals);
		break;
	case FILE_HEAT:
	case FILE_COUNT:
	default: /* a count alone */
		machine_set(totals, MACHINE_HOT,
			    totals->value[MACHINE_HOT] + strtoull(text, NULL, 10));
	}
}

static void take_totals(struct machine_sampler *sampler, uint64_t time_ns,
			struct machine_sample *ret)
{
	*ret = (struct machine_sample){ .time_ns = time_ns };
	for (int i = 0; i < FILE_COUNT; i++) {
		const char *text = read_text(sampler, sampler->fd[i]);

		if (text)
			take_text(sampler, text, (enum machine_file)i, ret);
	}
}

static int open_text(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int open_quota(pid_t pid)
{
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/cpu",
					     "/sys/fs/cgroup/cpu,cpuacct" };
	struct buf text = { .limit = 1 << 16 };
	char path[64] = "/proc/self/cgroup", group[3000], file[4000];
	struct err ignored;
	bool v2 = false;
	int fd = -1;

	if (pid)
		(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (!fd_read_file(path, &text, &ignored) && text.data &&
	    machine_proc_cgroup(text.data, &v2, group, sizeof(group)))
		for (size_t i = v2 ? 0 : 1; i < (v2 ? 1 : 3) && fd < 0; i++) {
			(void)snprintf(file, sizeof(file), "%s%s/cpu.stat", roots[i], group);
			fd = open_text(file);
		}
	buf_done(&text);
	return fd;
}

static void open_files(struct machine_sampler *sampler, pid_t pid)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (int i = 0; i < FILE_QUOTA; i++)
		sampler->fd[i] = open_text(paths[i]);
	sampler->fd[FILE_QUOTA] = open_quota(pid);
	for (int i = 0; i < MAX_HEAT_FILES; i++) {
		char path[96];

		sampler->fd[FILE_HEAT + i] = -1;
		if (i >= cpus)
			continue;
		(void)snprintf(path, sizeof(path),
			       "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count",
			       i);
		sampler->fd[FILE_HEAT + i] = open_text(path);
	}
}

struct machine_sampler *machine_sampler_new(pid_t pid, uint64_t time_ns)
{
	struct machine_sampler *sampler = mem_zalloc(sizeof(*sampler));
	long ticks = sysconf(_SC_CLK_TCK);

	sampler->ticks_per_s = ticks > 0 ? (uint64_t)ticks : 100;
	sampler->text = mem_alloc(TEXT_BYTES);
	open_files(sampler, pid);
	take_totals(sampler, time_ns, &sampler->last);
	return sampler;
}

static uint64_t increase(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0; /* idle and iowait may go backwards */
}

/* Devices keep their order but for those that come and go. */
static const struct machine_device *find_device(const struct machine_device *device, size_t count,
						size_t guess, const char *name)
{
	if (guess < count && strcmp(device[guess].name, name) == 0)
		return &device[guess];
	for (size_t i = 0; i < count; i++)
		if (strcmp(device[i].name, name) == 0)
			return &device[i];
	return NULL;
}

/* *device: the totals, then the increase. Returns false if there is none. */
static bool device_increase(struct machine_device *device, const struct machine_device *before)
{
	bool any = false;

	for (int i = 0; i < MACHINE_DEVICE_VALUES; i++) {
		device->value[i] = increase(device->value[i], before ? before->value[i] : 0);
		any = any || device->value[i];
	}
	return any;
}

static void disks_increase(const struct machine_sample *now, const struct machine_sample *last,
			   struct machine_sample *ret)
{
	for (size_t i = 0; i < now->disk.count; i++) {
		struct machine_device disk = now->disk.item[i];

		if (device_increase(&disk,
				    find_device(last->disk.item, last->disk.count, i, disk.name)))
			vec_push(&ret->disk, disk);
	}
}

static void nets_increase(const struct machine_sample *now, const struct machine_sample *last,
			  struct machine_sample *ret)
{
	for (size_t i = 0; i < now->net.count; i++) {
		struct machine_device net = now->net.item[i];

		if (device_increase(&net,
				    find_device(last->net.item, last->net.count, i, net.name)))
			vec_push(&ret->net, net);
	}
}

static void cpus_increase(const struct machine_sample *now, const struct machine_sample *last,
			  struct machine_sample *ret)
{
	for (size_t i = 0, j = 0; i < now->cpu.count; i++) {
		struct machine_cpu cpu = now->cpu.item[i];

		while (j < last->cpu.count && last->cpu.item[j].cpu < cpu.cpu)
			j++;
		if (j == last->cpu.count || last->cpu.item[j].cpu != cpu.cpu)
			continue; /* came online just now */
		for (int mode = 0; mode < MACHINE_MODE_COUNT; mode++)
			cpu.ms[mode] = increase(cpu.ms[mode], last->cpu.item[j].ms[mode]);
		vec_push(&ret->cpu, cpu);
	}
}

static void values_increase(const struct machine_sample *now, const struct machine_sample *last,
			    struct machine_sample *ret)
{
	for (int i = 0; i < MACHINE_VALUE_COUNT; i++) {
		enum machine_value id = (enum machine_value)i;
		enum machine_unit unit = machine_value_unit(id);
		bool is_level = unit == MACHINE_LEVEL || unit == MACHINE_BYTES;

		if (!machine_knows(now, id) || (!is_level && !machine_knows(last, id)))
			continue;
		machine_set(ret, id,
			    is_level ? now->value[i] : increase(now->value[i], last->value[i]));
	}
}

void machine_sampler_take(struct machine_sampler *sampler, uint64_t time_ns,
			  struct machine_sample *ret)
{
	struct machine_sample now;

	take_totals(sampler, time_ns, &now);
	*ret = (struct machine_sample){ .time_ns = time_ns,
					.interval_ns = increase(time_ns, sampler->last.time_ns) };
	values_increase(&now, &sampler->last, ret);
	cpus_increase(&now, &sampler->last, ret);
	disks_increase(&now, &sampler->last, ret);
	nets_increase(&now, &sampler->last, ret);
	machine_sample_done(&sampler->last);
	sampler->last = now;
}

void machine_sampler_free(struct machine_sampler *sampler)
{
	if (!sampler)
		return;
	for (int i = 0; i < FILE_COUNT; i++)
		fd_close(&sampler->fd[i]);
	machine_sample_done(&sampler->last);
	free(sampler->text);
	free(sampler);
}
