/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Headers of programs, which the preloaded library reads before each exec. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heap/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	char path[64];

	if (fd < 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size && heap_target_check(path) >= HEAP_TARGETS)
		abort();
	(void)close(fd);
	return 0;
}
