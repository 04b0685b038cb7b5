/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a program's headers (see target.h). */
#include "heap/target.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_PARTS    64
#define MAX_ENTRIES  512 /* of the dynamic section */
#define MAX_SCRIPTS  5	 /* interpreters that are scripts */
#define SCRIPT_BYTES 256
#define SHELL	     "/bin/sh" /* of text without a first line that names one */

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#endif

struct program {
	int fd;
	Elf64_Ehdr head;
	Elf64_Phdr part[MAX_PARTS];
};

static const char *const sanitizers[] = { "libasan.so",	       "libtsan.so",
					  "libhwasan.so",      "liblsan.so",
					  "libclang_rt.asan",  "libclang_rt.tsan",
					  "libclang_rt.hwasan" };

static bool read_at(int fd, void *to, size_t len, uint64_t offset)
{
	return pread(fd, to, len, (off_t)offset) == (ssize_t)len;
}

static bool names_sanitizer(const char *text)
{
	for (size_t i = 0; i < sizeof(sanitizers) / sizeof(*sanitizers); i++)
		if (strstr(text, sanitizers[i]))
			return true;
	return false;
}

static bool gains_rights(int fd, const struct stat *st)
{
	if ((st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	    (st->st_mode & S_ISGID && st->st_gid != getegid()) || getuid() != geteuid() ||
	    getgid() != getegid())
		return true;
	return geteuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

static const Elf64_Phdr *part_of(const struct program *program, uint32_t type)
{
	for (unsigned i = 0; i < program->head.e_phnum; i++)
		if (program->part[i].p_type == type)
			return &program->part[i];
	return NULL;
}

/* Where a mapped address is in the file; 0 = nowhere. */
static uint64_t offset_of(const struct program *program, uint64_t address)
{
	for (unsigned i = 0; i < program->head.e_phnum; i++) {
		const Elf64_Phdr *part = &program->part[i];

		if (part->p_type == PT_LOAD && address >= part->p_vaddr &&
		    address - part->p_vaddr < part->p_filesz)
			return address - part->p_vaddr + part->p_offset;
	}
	return 0;
}

/* False: there is none. */
static bool read_entry(const struct program *program, size_t index, Elf64_Dyn *ret)
{
	const Elf64_Phdr *dynamic = part_of(program, PT_DYNAMIC);

	return dynamic && index < MAX_ENTRIES && (index + 1) * sizeof(*ret) <= dynamic->p_filesz &&
	       read_at(program->fd, ret, sizeof(*ret), dynamic->p_offset + index * sizeof(*ret)) &&
	       ret->d_tag != DT_NULL;
}

static bool needs_sanitizer(const struct program *program)
{
	uint64_t names = 0;
	Elf64_Dyn entry;

	for (size_t i = 0; !names && read_entry(program, i, &entry); i++)
		if (entry.d_tag == DT_STRTAB)
			names = offset_of(program, entry.d_un.d_ptr);
	for (size_t i = 0; names && read_entry(program, i, &entry); i++) {
		char name[32] = { 0 };

		if (entry.d_tag == DT_NEEDED &&
		    pread(program->fd, name, sizeof(name) - 1, (off_t)(names + entry.d_un.d_val)) >
			    0 &&
		    names_sanitizer(name))
			return true;
	}
	return false;
}

static enum heap_target check_elf(struct program *program)
{
	const Elf64_Ehdr *head = &program->head;

	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_machine != OWN_MACHINE)
		return HEAP_TARGET_MACHINE;
	if (head->e_phnum > MAX_PARTS ||
	    !read_at(program->fd, program->part, head->e_phnum * sizeof(program->part[0]),
		     head->e_phoff))
		return HEAP_TARGET_UNKNOWN;
	if (!part_of(program, PT_INTERP))
		return HEAP_TARGET_STATIC;
	return needs_sanitizer(program) ? HEAP_TARGET_SANITIZER : HEAP_TARGET_FITS;
}

/* The word behind "#!", or the shell. NULL: the line is too long. */
static const char *interpreter_of(char *text)
{
	size_t len;

	if (text[0] != '#' || text[1] != '!')
		return SHELL;
	text += 2 + strspn(text + 2, " \t");
	len = strcspn(text, " \t\r\n");
	if (!text[len])
		return NULL;
	text[len] = '\0';
	return text;
}

/* ret_text: room for the path of a script's interpreter. */
static enum heap_target check_file(const char *path, char *ret_text, const char **ret_interpreter)
{
	struct program program;
	enum heap_target target = HEAP_TARGET_UNKNOWN;
	struct stat st;
	ssize_t len;

	*ret_interpreter = NULL;
	if (stat(path, &st) || !S_ISREG(st.st_mode)) /* to open others may block */
		return target;
	program.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (program.fd < 0)
		return target;
	len = pread(program.fd, ret_text, SCRIPT_BYTES, 0);
	ret_text[len > 0 ? len : 0] = '\0';
	if (len <= 0 || memcmp(ret_text, ELFMAG, SELFMAG) != 0) {
		*ret_interpreter = len > 0 ? interpreter_of(ret_text) : NULL;
	} else if (len >= (ssize_t)sizeof(program.head)) {
		memcpy(&program.head, ret_text, sizeof(program.head));
		target = gains_rights(program.fd, &st) ? HEAP_TARGET_RIGHTS : check_elf(&program);
	}
	(void)close(program.fd);
	return target;
}

enum heap_target heap_target_check(const char *path)
{
	char text[SCRIPT_BYTES + 1], next[SCRIPT_BYTES + 1];
	const char *interpreter;
	enum heap_target target;

	for (int i = 0; i <= MAX_SCRIPTS; i++) {
		target = check_file(path, text, &interpreter);
		if (!interpreter)
			return target;
		memcpy(next, interpreter, strlen(interpreter) + 1);
		path = next;
	}
	return HEAP_TARGET_UNKNOWN;
}

enum heap_target heap_target_check_preload(const char *names)
{
	return names && names_sanitizer(names) ? HEAP_TARGET_SANITIZER : HEAP_TARGET_FITS;
}
