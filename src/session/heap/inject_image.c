/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See inject_image.h. */
#include "session/heap/inject_image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "heap/injected.h"
#include "heap/target.h"
#include "proc/elf_file.h"
#include "session/heap/heap_inject.h"
#include "session/heap/remote.h"

#define MEMORY_FILE "/memfd:" HEAP_INJECT_NAME
#define EXECUTABLE  0x10u /* MFD_EXEC, since 6.3 */
#define MAX_AUXV    64
#define OWNER_NAME  "cupel-heap\n" /* see heap_attach.c */

extern const unsigned char heap_attach[];
extern const size_t heap_attach_len;

/* Our own bytes: whatever is wrong with them is a bug. */
static struct elf_file *open_image(const void *data)
{
	struct err err = { 0 };
	struct elf_file *elf;

	if (elf_file_parse(data, heap_attach_len, &elf, &err))
		BUG("the library for running processes is damaged");
	return elf;
}

static const uint8_t *section_of(const struct elf_file *elf, const char *name, size_t *len)
{
	const struct elf_section *section = elf_file_section(elf, name);
	const uint8_t *data = NULL;

	if (!section || !elf_section_data(elf, section, &data, len))
		BUG("the library for running processes lacks a section");
	return data;
}

uint64_t inject_image_symbol(const char *name)
{
	struct elf_file *elf = open_image(heap_attach);
	size_t len, text_len;
	const uint8_t *symbols = section_of(elf, ".dynsym", &len);
	const char *text = (const char *)section_of(elf, ".dynstr", &text_len);
	uint64_t value = 0;

	for (size_t at = 0; at + sizeof(Elf64_Sym) <= len && !value; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, symbols + at, sizeof(symbol));
		if (symbol.st_name < text_len && strcmp(text + symbol.st_name, name) == 0)
			value = symbol.st_value;
	}
	elf_file_close(elf);
	if (!value)
		BUG("the library for running processes lacks a symbol");
	return value;
}

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + page_bytes() - 1) & ~(page_bytes() - 1);
}

static const struct elf_segment *find_segment(const struct elf_file *elf, uint32_t flags)
{
	for (size_t i = 0; i < elf->segment_count; i++)
		if (elf->segment[i].type == PT_LOAD &&
		    (elf->segment[i].flags & (PF_X | PF_W)) == flags)
			return &elf->segment[i];
	BUG("the library for running processes lacks a segment");
}

static uint64_t span_of(const struct elf_file *elf)
{
	uint64_t end = 0;

	for (size_t i = 0; i < elf->segment_count; i++)
		if (elf->segment[i].type == PT_LOAD &&
		    elf->segment[i].vaddr + elf->segment[i].memory_bytes > end)
			end = elf->segment[i].vaddr + elf->segment[i].memory_bytes;
	return round_up(end);
}

/* All relocations are of the kind "base plus number". */
static void relocate(uint8_t *image, const struct elf_file *elf, uint64_t base)
{
	size_t len;
	const uint8_t *relocs = section_of(elf, ".rela.dyn", &len);

	for (size_t at = 0; at + sizeof(Elf64_Rela) <= len; at += sizeof(Elf64_Rela)) {
		Elf64_Rela reloc;
		uint64_t offset, value;

		memcpy(&reloc, relocs + at, sizeof(reloc));
		value = base + (uint64_t)reloc.r_addend;
		if (!elf_file_offset(elf, reloc.r_offset, &offset) ||
		    offset + sizeof(value) > heap_attach_len)
			BUG("the library for running processes has other relocations");
		memcpy(image + offset, &value, sizeof(value));
	}
}

static int64_t map(struct remote *remote, uint64_t at, uint64_t len, uint64_t protection,
		   struct err *err)
{
	return remote_must_call(remote, SYS_mmap,
				(uint64_t[6]){ at, len, protection,
					       MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0),
					       (uint64_t)-1, 0 },
				err);
}

static uint64_t protection_of(uint32_t flags)
{
	return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
	       (flags & PF_X ? PROT_EXEC : 0);
}

static int map_segment(struct remote *remote, uint64_t base, const struct elf_segment *segment,
		       int64_t fd, struct err *err)
{
	static const char zeros[65536];
	uint64_t skip = segment->vaddr % page_bytes(), start = base + segment->vaddr - skip;
	uint64_t in_file = round_up(skip + segment->file_bytes);
	uint64_t in_memory = round_up(skip + segment->memory_bytes);
	uint64_t rest = in_file - skip - segment->file_bytes;
	int64_t code = remote_must_call(
		remote, SYS_mmap,
		(uint64_t[6]){ start, in_file, protection_of(segment->flags),
			       MAP_PRIVATE | MAP_FIXED, (uint64_t)fd, segment->offset - skip },
		err);

	if (code < 0 || !(segment->flags & PF_W))
		return code < 0 ? (int)code : 0;
	if (rest && remote_write(remote, start + in_file - rest, zeros, rest))
		return err_set(err, -EFAULT, "writing to the process");
	if (in_memory == in_file)
		return 0;
	code = map(remote, start + in_file, in_memory - in_file, PROT_READ | PROT_WRITE, err);
	return code < 0 ? (int)code : 0;
}

/* fd: of a file in memory, in the process. */
static int fill(pid_t pid, int64_t fd, const struct elf_file *elf, uint64_t base, struct err *err)
{
	AUTO_FREE uint8_t *image = mem_alloc(heap_attach_len);
	char path[64];
	int code;

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%" PRId64, pid, fd);
	AUTO_CLOSE int file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return err_errno(err, "%s", path);
	memcpy(image, heap_attach, heap_attach_len);
	relocate(image, elf, base);
	code = fd_write_all(file, image, heap_attach_len);
	return code ? err_set(err, code, "%s: %s", path, strerror(-code)) : 0;
}

static int64_t make_file(struct remote *remote, uint64_t scratch, struct err *err)
{
	static const char name[] = HEAP_INJECT_NAME;
	int64_t result;
	int code = remote_write(remote, scratch, name, sizeof(name));

	if (!code)
		code = remote_call(remote, SYS_memfd_create,
				   (uint64_t[6]){ scratch, MFD_CLOEXEC | EXECUTABLE }, &result,
				   err);
	if (code)
		return code;
	if (result != -EINVAL)
		return result >= 0 ? result
				   : err_set(err, (int)result, "a file in memory: %s",
					     strerror((int)-result));
	return remote_must_call(remote, SYS_memfd_create, (uint64_t[6]){ scratch, MFD_CLOEXEC },
				err);
}

static void set_code(struct heap_injected *injected, const struct elf_file *elf)
{
	const struct elf_segment *code = find_segment(elf, PF_X);

	injected->start = injected->base + (code->vaddr & ~(page_bytes() - 1));
	injected->end = injected->base + round_up(code->vaddr + code->file_bytes);
}

static int map_all(struct remote *remote, struct heap_injected *injected, int64_t fd,
		   const struct elf_file *elf, struct err *err)
{
	int code = fill(injected->pid, fd, elf, injected->base, err);

	for (size_t i = 0; i < elf->segment_count && !code; i++)
		if (elf->segment[i].type == PT_LOAD)
			code = map_segment(remote, injected->base, &elf->segment[i], fd, err);
	return code;
}

/* Whether a run that is not over uses it. */
static bool is_owned(const struct heap_injected *injected)
{
	char path[64], name[16] = "";
	uint64_t owner = 0;

	if (remote_read(injected->pid, injected->base + inject_image_symbol(HEAP_INJECT_OWNER),
			&owner, sizeof(owner)) ||
	    !owner)
		return false;
	(void)snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", owner);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, name, sizeof(name) - 1) > 0 && strcmp(name, OWNER_NAME) == 0;
}

static bool find_earlier(struct heap_injected *injected, const struct elf_file *elf)
{
	const struct elf_segment *head = find_segment(elf, 0);
	AUTO_FREE uint8_t *bytes = mem_alloc(head->file_bytes);
	char path[64], line[512];
	bool found = false;
	uint64_t offset;
	FILE *maps;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", injected->pid);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, MEMORY_FILE) &&
			sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64, &injected->base, &offset) ==
				2 &&
			!offset &&
			!remote_read(injected->pid, injected->base, bytes, head->file_bytes) &&
			!memcmp(bytes, heap_attach + head->offset, head->file_bytes);
	if (maps)
		(void)fclose(maps);
	return found;
}

/* One of an earlier run: threads may be in it, but all are stopped. What it knows of blocks is of
 * no use any more. */
static int use_earlier(struct remote *remote, const struct heap_injected *injected,
		       const struct elf_file *elf, struct err *err)
{
	const struct elf_segment *data = find_segment(elf, PF_W);
	uint64_t empty = round_up(injected->base + data->vaddr + data->file_bytes);
	uint64_t rest = injected->base + span_of(elf) - empty;

	if (is_owned(injected))
		return err_set(err, -EBUSY, "process %d: another cupel heap watches it",
			       injected->pid);
	return (int)remote_must_call(remote, SYS_madvise,
				     (uint64_t[6]){ empty, rest, MADV_DONTNEED }, err);
}

static int put_new(struct remote *remote, struct heap_injected *injected, uint64_t scratch,
		   const struct elf_file *elf, struct err *err)
{
	int64_t base = map(remote, 0, span_of(elf), PROT_NONE, err), fd = -1, unused;
	struct err ignored = { 0 };
	int code;

	if (base < 0)
		return (int)base;
	injected->base = (uint64_t)base;
	fd = make_file(remote, scratch, err);
	code = fd < 0 ? (int)fd : map_all(remote, injected, fd, elf, err);
	if (fd >= 0)
		(void)remote_call(remote, SYS_close, (uint64_t[6]){ (uint64_t)fd }, &unused,
				  &ignored);
	if (code)
		inject_image_remove(remote, injected);
	return code;
}

int inject_image_place(struct remote *remote, struct heap_injected *injected, uint64_t scratch,
		       bool *fresh, struct err *err)
{
	struct elf_file *elf = open_image(heap_attach);
	int code;

	*fresh = !find_earlier(injected, elf);
	code = *fresh ? put_new(remote, injected, scratch, elf, err)
		      : use_earlier(remote, injected, elf, err);
	if (code)
		*fresh = false; /* nothing is to be removed */
	else
		set_code(injected, elf);
	elf_file_close(elf);
	return code;
}

void inject_image_remove(struct remote *remote, const struct heap_injected *injected)
{
	struct elf_file *elf = open_image(heap_attach);
	struct err ignored = { 0 };

	(void)remote_must_call(remote, SYS_munmap, (uint64_t[6]){ injected->base, span_of(elf) },
			       &ignored);
	elf_file_close(elf);
}

static int read_headers(struct heap_injected *injected, struct err *err)
{
	uint64_t entry[MAX_AUXV][2] = { 0 };
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/auxv", injected->pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT && errno != ESRCH)
		return err_errno(err, "%s", path);
	(void)fd_read_full(fd, entry, sizeof(entry)); /* what is missing is 0 */
	for (size_t i = 0; i < MAX_AUXV && entry[i][0]; i++) {
		if (entry[i][0] == AT_PHDR)
			injected->headers = entry[i][1];
		if (entry[i][0] == AT_PHNUM)
			injected->header_count = entry[i][1];
	}
	if (injected->headers && injected->header_count)
		return 0;
	return err_set(err, -ENOEXEC, "process %d: it has no program of its own, or ended",
		       injected->pid);
}

int inject_image_check(struct heap_injected *injected, struct err *err)
{
	pid_t pid = injected->pid;
	char path[64];

	if (kill(pid, 0) && errno == ESRCH)
		return err_set(err, -ESRCH, "process %d: no such process", pid);
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	switch (heap_target_check(path)) {
	case HEAP_TARGET_STATIC:
		return err_set(err, -ENOEXEC,
			       "process %d: statically linked: there is no table through which it "
			       "calls its allocator",
			       pid);
	case HEAP_TARGET_MACHINE:
		return err_set(err, -ENOEXEC,
			       "process %d: of 32 bits or for another processor, unlike the "
			       "library that is to be put into it",
			       pid);
	default:
		return read_headers(injected, err);
	}
}
