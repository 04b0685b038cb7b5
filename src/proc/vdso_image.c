/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the vDSO in our own memory (see vdso_image.h). Its headers are the kernel's and trusted. */
#include "proc/vdso_image.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "base/err.h"
#include "proc/elf_file.h"

int vdso_image_open(struct elf_file **ret, struct err *err)
{
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Phdr) * segment;
	size_t len;

	if (!head)
		return err_set(err, -ENOENT, "no vDSO in this process");
	/* The section headers are at the end, if any; otherwise segments give the length. */
	len = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
	segment = (const ElfW(Phdr) *)((const char *)head + head->e_phoff);
	for (size_t i = 0; i < head->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD && segment[i].p_offset + segment[i].p_filesz > len)
			len = segment[i].p_offset + segment[i].p_filesz;
	return elf_file_parse(head, len, ret, err);
}
