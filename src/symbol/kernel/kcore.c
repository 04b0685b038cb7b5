/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc/kcore (see kcore.h). The headers are checked as those of any ELF file. */
#include "symbol/kernel/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "proc/elf_file.h"

#define PATH	     "/proc/kcore"
#define HEADER_BYTES ((size_t)64 << 10)
#define MOST_BYTES   ((uint64_t)64 << 20) /* code of a kernel is 20 MB */

struct kcore {
	int fd;
	struct elf_file *headers; /* NULL = failed */
	struct err failed;
};

static int read_headers(struct kcore *kcore, const char *path, struct err *err)
{
	uint8_t *bytes;
	ssize_t len;

	kcore->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (kcore->fd < 0)
		return err_errno(err, "%s", path);
	bytes = mem_alloc(HEADER_BYTES);
	len = fd_read_full(kcore->fd, bytes, HEADER_BYTES);
	if (len < 0) {
		free(bytes);
		return err_set(err, (int)len, "%s: cannot be read", path);
	}
	return elf_file_adopt(bytes, (size_t)len, &kcore->headers, err) ? err_wrap(err, "%s", path)
									: 0;
}

struct kcore *kcore_open(const char *path)
{
	struct kcore *kcore = mem_zalloc(sizeof(*kcore));

	kcore->fd = -1;
	(void)read_headers(kcore, path ? path : PATH, &kcore->failed);
	return kcore;
}

void kcore_close(struct kcore *kcore)
{
	if (!kcore)
		return;
	elf_file_close(kcore->headers);
	fd_close(&kcore->fd);
	free(kcore);
}

uint16_t kcore_machine(const struct kcore *kcore)
{
	return kcore->headers ? kcore->headers->machine : EM_NONE;
}

static const struct elf_segment *find_segment(const struct kcore *kcore, uint64_t address)
{
	for (size_t i = 0; i < kcore->headers->segment_count; i++) {
		const struct elf_segment *s = &kcore->headers->segment[i];

		if (s->type == PT_LOAD && address >= s->vaddr && address - s->vaddr < s->file_bytes)
			return s;
	}
	return NULL;
}

int kcore_read(const struct kcore *kcore, uint64_t start, uint64_t end, struct kcore_bytes *ret,
	       struct err *err)
{
	const struct elf_segment *segment;
	uint64_t len = end - start;
	uint8_t *bytes;
	size_t done = 0;

	if (!kcore->headers) {
		*err = kcore->failed;
		return err->code;
	}
	segment = find_segment(kcore, start);
	if (!segment || end <= start)
		return err_set(err, -ENOENT, PATH ": the code is not there any more");
	if (len > segment->file_bytes - (start - segment->vaddr))
		len = segment->file_bytes - (start - segment->vaddr);
	if (len > MOST_BYTES)
		len = MOST_BYTES;
	bytes = mem_alloc(len);
	while (done < len) {
		ssize_t n = pread(kcore->fd, bytes + done, len - done,
				  (off_t)(segment->offset + (start - segment->vaddr) + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (!done) {
		free(bytes);
		return err_set(err, -EIO, PATH ": the kernel does not let its code be read");
	}
	*ret = (struct kcore_bytes){ bytes, done };
	return 0;
}
