/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vDSO as an ELF image, taken from this process: all processes of a kernel run the same one. */
#ifndef PROC_VDSO_IMAGE_H
#define PROC_VDSO_IMAGE_H

struct elf_file;
struct err;

/* -ENOENT when the kernel gives this process no vDSO. The caller compares build ids, since a
 * recording may come from another kernel. Close with elf_file_close(). */
int vdso_image_open(struct elf_file **ret, struct err *err);

#endif
