/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limits of readers and recorders (see memory_limit.h). */
#include "base/memory_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/par.h"

#define DISK_BLOCK    512
#define PROGRAM_BYTES ((uint64_t)16 << 20)
/* Packed sections of honest files become up to some 10 times larger; small ones of zeros more. */
#define UNPACKED_LEAST ((uint64_t)1 << 20)
/* Questions between two looks at what a recorder has. */
#define QUESTIONS 64u

static struct {
	pthread_mutex_t lock;
	bool trusted, begun;
	uint64_t input_bytes;
	uint64_t had_bytes;	 /* before: a child inherits the inputs of its parent */
	uint64_t recorder_bytes; /* 0 = not a recorder */
	unsigned questions;
	bool full;
	unsigned threads; /* that may run beside the first */
	char name[256];
	void (*at_end)(void);
} limit = { .lock = PTHREAD_MUTEX_INITIALIZER };

static uint64_t limit_bytes(void)
{
	if (limit.recorder_bytes)
		return limit.recorder_bytes;
	return MEMORY_LIMIT_LEAST + MEMORY_LIMIT_FACTOR * limit.input_bytes;
}

/* The kernel does not count pages of mapped inputs and of the program. It counts stacks of
 * threads in full, although most of them is never touched. */
static void apply(void)
{
	uint64_t mapped = limit.recorder_bytes ? 0 : limit.input_bytes + PROGRAM_BYTES;
	rlim_t bytes =
		limit_bytes() - mapped + limit.had_bytes + (limit.threads + 1) * PAR_STACK_BYTES;
	struct rlimit now;

	if (getrlimit(RLIMIT_DATA, &now))
		return;
	now.rlim_cur = bytes < now.rlim_max ? bytes : now.rlim_max;
	(void)setrlimit(RLIMIT_DATA, &now); /* cannot fail below the hard limit */
}

/* What may be written to, touched or not, and what of it is in memory. */
static void ask_kernel(uint64_t *ret_data, uint64_t *ret_resident)
{
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	unsigned long long resident, of_files, data;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char text[256];
	ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[len > 0 ? len : 0] = '\0';
	if (sscanf(text, "%*u %llu %llu %*u %*u %llu", &resident, &of_files, &data) != 3)
		resident = of_files = data = 0;
	if (fd >= 0)
		(void)close(fd); /* only read */
	*ret_data = data * page;
	*ret_resident = resident > of_files ? (resident - of_files) * page : 0;
}

uint64_t memory_limit_used(void)
{
	uint64_t data, resident;

	ask_kernel(&data, &resident);
	return data;
}

void memory_limit_record(uint64_t bytes)
{
	limit.recorder_bytes = bytes ? bytes : MEMORY_LIMIT_RECORDER;
	limit.questions = 0;
	limit.full = false;
}

uint64_t memory_limit_recorder(void)
{
	return limit.recorder_bytes ? limit.recorder_bytes : MEMORY_LIMIT_RECORDER;
}

bool memory_limit_full(void)
{
	uint64_t data, resident;

	if (!limit.recorder_bytes || !MEMORY_LIMIT_METERED)
		return false;
	if (__atomic_fetch_add(&limit.questions, 1, __ATOMIC_RELAXED) % QUESTIONS == 0) {
		ask_kernel(&data, &resident);
		__atomic_store_n(&limit.full, resident >= limit.recorder_bytes, __ATOMIC_RELAXED);
	}
	return __atomic_load_n(&limit.full, __ATOMIC_RELAXED);
}

/* For threads that start from now on. A failure is harmless: with larger stacks fewer threads
 * start. */
static void small_stacks(void)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr))
		return;
	if (pthread_attr_setstacksize(&attr, PAR_STACK_BYTES) == 0)
		(void)pthread_setattr_default_np(&attr);
	(void)pthread_attr_destroy(&attr);
}

void memory_limit_trust(void)
{
	limit.trusted = true;
}

bool memory_limit_trusted(void)
{
	return limit.trusted;
}

void memory_limit_begin(const char *name, unsigned threads)
{
	uint64_t had_bytes = memory_limit_used(); /* which reads a file, an input like others */

	(void)pthread_mutex_lock(&limit.lock); /* cannot fail: not recursive */
	if (!limit.begun && !limit.trusted && MEMORY_LIMIT_METERED) {
		limit.begun = true;
		small_stacks();
		(void)snprintf(limit.name, sizeof(limit.name), "%s", name);
		limit.threads = threads;
		limit.had_bytes = had_bytes;
		apply();
	}
	(void)pthread_mutex_unlock(&limit.lock);
}

void memory_limit_child(void)
{
	struct rlimit now;
	rlim_t bytes = memory_limit_used() + memory_limit_recorder();

	if (!MEMORY_LIMIT_METERED || getrlimit(RLIMIT_DATA, &now))
		return;
	now.rlim_cur = bytes < now.rlim_max ? bytes : now.rlim_max;
	(void)setrlimit(RLIMIT_DATA, &now); /* cannot fail below the hard limit */
}

void memory_limit_input(uint64_t bytes)
{
	(void)pthread_mutex_lock(&limit.lock);
	limit.input_bytes += bytes;
	if (limit.begun)
		apply();
	(void)pthread_mutex_unlock(&limit.lock);
}

uint64_t memory_limit_inputs(void)
{
	uint64_t bytes;

	(void)pthread_mutex_lock(&limit.lock);
	bytes = limit.input_bytes;
	(void)pthread_mutex_unlock(&limit.lock);
	return bytes;
}

static bool is_hole(int fd)
{
	off_t at = lseek(fd, 0, SEEK_CUR);
	bool ret = lseek(fd, 0, SEEK_DATA) < 0 && errno == ENXIO;

	(void)lseek(fd, at, SEEK_SET); /* cannot fail if the others did not */
	return ret;
}

uint64_t memory_limit_disk_bytes(int fd, const struct stat *st)
{
	uint64_t size = st->st_size < 0 ? 0 : (uint64_t)st->st_size;
	uint64_t disk = (uint64_t)st->st_blocks * DISK_BLOCK;

	/* some file systems count no blocks, or none for small files */
	if (!disk && is_hole(fd))
		return 0;
	return disk && disk < size ? disk : size;
}

int memory_limit_check(int fd, const struct stat *st, struct err *err)
{
	uint64_t disk = memory_limit_disk_bytes(fd, st);

	if (limit.trusted || (uint64_t)st->st_size <= memory_limit_unpacked(disk))
		return 0;
	return err_set(err, -EFBIG, "a sparse file: %llu MB, of which only %llu MB are on disk",
		       (unsigned long long)st->st_size >> 20, (unsigned long long)disk >> 20);
}

uint64_t memory_limit_unpacked(uint64_t packed_bytes)
{
	if (limit.trusted)
		return UINT64_MAX;
	return UNPACKED_LEAST + MEMORY_LIMIT_FACTOR * packed_bytes;
}

uint64_t memory_limit_left(void)
{
	struct rlimit now;
	uint64_t used, data;

	if (!limit.begun && limit.recorder_bytes && MEMORY_LIMIT_METERED) {
		ask_kernel(&data, &used);
		return used < limit.recorder_bytes ? limit.recorder_bytes - used : 1;
	}
	if (!limit.begun || getrlimit(RLIMIT_DATA, &now) || now.rlim_cur == RLIM_INFINITY)
		return 0;
	used = memory_limit_used();
	return used < now.rlim_cur ? now.rlim_cur - used : 1;
}

void memory_limit_at_end(void (*end)(void))
{
	limit.at_end = end;
}

void memory_limit_reached(void)
{
	static const char hint[] = "cupel: hint: this is about size, not damage: "
				   "--trust reads it without a limit\n";
	char line[512];
	int len;

	if (!limit.begun)
		return;
	if (limit.at_end)
		limit.at_end();
	/* no allocation: no memory is left */
	len = snprintf(
		line, sizeof(line),
		"cupel: %s: needs more than %llu MB of memory, the limit for %.1f MB of input\n",
		limit.name, (unsigned long long)limit_bytes() >> 20,
		(double)limit.input_bytes / (1 << 20));
	if (write(STDERR_FILENO, line, (size_t)len) < 0 ||
	    write(STDERR_FILENO, hint, sizeof(hint) - 1) < 0)
		_exit(1); /* the status shows it as well */
	_exit(1);
}
