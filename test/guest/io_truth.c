/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known I/O on a file or device, timed call by call, and what the kernel counted of it.
 *
 * usage: io_truth read|write FILE COUNT BYTES
 *   read: directly; write: through the page cache, each followed by fsync
 * prints: calls (open of the file is one of them), their ns, and read_bytes and write_bytes of
 * /proc/self/io that they added */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void counted(uint64_t *read_bytes, uint64_t *written)
{
	char line[128];
	FILE *file = fopen("/proc/self/io", "r");

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "read_bytes: ", 12) == 0)
			*read_bytes = strtoull(line + 12, NULL, 10);
		if (strncmp(line, "write_bytes: ", 13) == 0)
			*written = strtoull(line + 13, NULL, 10);
	}
	if (file)
		(void)fclose(file);
}

int main(int argc, char **argv)
{
	uint64_t start_ns, ns, before[2] = { 0 }, after[2] = { 0 };
	long count = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
	long bytes = argc == 5 ? strtol(argv[4], NULL, 10) : 0;
	int is_read = argc == 5 && strcmp(argv[1], "read") == 0, fd;
	void *page;

	if (count <= 0 || bytes <= 0 || posix_memalign(&page, 4096, (size_t)bytes))
		return 2;
	memset(page, 7, (size_t)bytes);
	counted(&before[0], &before[1]);
	start_ns = now_ns();
	fd = open(argv[2], is_read ? O_RDONLY | O_DIRECT : O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		return 1;
	ns = now_ns() - start_ns;
	for (long i = 0; i < count; i++) {
		start_ns = now_ns();
		if (is_read ? pread(fd, page, (size_t)bytes, i * bytes) != bytes
			    : pwrite(fd, page, (size_t)bytes, i * bytes) != bytes || fsync(fd))
			return 1;
		ns += now_ns() - start_ns;
	}
	counted(&after[0], &after[1]);
	printf("truth %ld %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", 1 + (is_read ? count : 2 * count),
	       ns, after[0] - before[0], after[1] - before[1]);
	return 0;
}
