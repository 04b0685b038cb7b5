/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build ids of hostile ELF files. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/event.h"
#include "proc/build_id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct build_id id = { 0 };

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || (size && pwrite(fd, data, size, 0) != (ssize_t)size))
		abort();
	if (build_id_read_fd(fd, &id) && (id.len == 0 || id.len > BUILD_ID_MAX))
		abort();
	return 0;
}
