/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read-once data behind a lock (see shared.h). */
#include "symbol/shared.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "proc/elf_file.h"
#include "symbol/debuginfod.h"
#include "symbol/dwarf.h"
#include "symbol/kallsyms.h"
#include "symbol/symbolizer.h"

/* The lock is held while the file is opened, so that others wait for that file only. */
struct opened_dwarf {
	pthread_mutex_t lock;
	struct elf_file *elf;
	struct dwarf *dwarf;
	bool tried;
	int code;
	struct err err;
};

struct symbol_shared {
	pthread_mutex_t lock;
	VEC(struct opened_dwarf *) dwarfs;
	bool asked;
	int code;
	struct err err;
	struct kallsyms kallsyms;
	struct debuginfod_session *debuginfod;
};

struct symbol_shared *symbol_shared_new(void)
{
	struct symbol_shared *shared = mem_zalloc(sizeof(*shared));

	(void)pthread_mutex_init(&shared->lock, NULL); /* cannot fail for a plain mutex */
	return shared;
}

void symbol_shared_free(struct symbol_shared *shared)
{
	if (!shared)
		return;
	for (size_t i = 0; i < shared->dwarfs.count; i++) {
		struct opened_dwarf *opened = shared->dwarfs.item[i];

		dwarf_close(opened->dwarf);
		elf_file_close(opened->elf);
		(void)pthread_mutex_destroy(&opened->lock); /* nobody holds it any more */
		free(opened);
	}
	vec_done(&shared->dwarfs);
	kallsyms_done(&shared->kallsyms);
	debuginfod_session_free(shared->debuginfod);
	(void)pthread_mutex_destroy(&shared->lock); /* nobody holds it any more */
	free(shared);
}

int symbol_shared_kallsyms(struct symbol_shared *shared, const char *path,
			   const struct kallsyms **ret, struct err *err)
{
	(void)pthread_mutex_lock(&shared->lock);
	if (!shared->asked)
		shared->code = kallsyms_read(path ? path : "/proc/kallsyms", &shared->kallsyms,
					     &shared->err);
	shared->asked = true;
	(void)pthread_mutex_unlock(&shared->lock);
	if (shared->code) {
		*err = shared->err;
		return shared->code;
	}
	*ret = &shared->kallsyms;
	return 0;
}

struct debuginfod_session *symbol_shared_debuginfod(struct symbol_shared *shared,
						    unsigned timeout_s)
{
	(void)pthread_mutex_lock(&shared->lock);
	if (!shared->debuginfod)
		shared->debuginfod = debuginfod_session_new(timeout_s);
	(void)pthread_mutex_unlock(&shared->lock);
	return shared->debuginfod;
}

/* The entry of a file; the caller holds the lock. */
static struct opened_dwarf *find_dwarf(struct symbol_shared *shared, struct elf_file *elf)
{
	struct opened_dwarf *opened;

	for (size_t i = 0; i < shared->dwarfs.count; i++)
		if (elf_file_same(shared->dwarfs.item[i]->elf, elf))
			return shared->dwarfs.item[i];
	opened = mem_zalloc(sizeof(*opened));
	opened->elf = elf_file_ref(elf);
	(void)pthread_mutex_init(&opened->lock, NULL); /* cannot fail for a plain mutex */
	vec_push(&shared->dwarfs, opened);
	return opened;
}

int symbol_shared_dwarf(struct symbol_shared *shared, struct elf_file *elf,
			const struct dwarf_options *options, struct dwarf **ret, struct err *err)
{
	struct opened_dwarf *opened;

	(void)pthread_mutex_lock(&shared->lock);
	opened = find_dwarf(shared, elf);
	(void)pthread_mutex_unlock(&shared->lock);
	(void)pthread_mutex_lock(&opened->lock);
	if (!opened->tried)
		opened->code = dwarf_open(opened->elf, options, &opened->dwarf, &opened->err);
	opened->tried = true;
	(void)pthread_mutex_unlock(&opened->lock);
	if (opened->code)
		*err = opened->err;
	else
		*ret = opened->dwarf;
	return opened->code;
}

void symbol_running_kernel(struct build_id *ret)
{
	struct buf notes = { .limit = 64 << 10 };
	struct err ignored = { 0 };

	*ret = (struct build_id){ 0 };
	if (!fd_read_file("/sys/kernel/notes", &notes, &ignored))
		(void)elf_notes_build_id((const uint8_t *)notes.data, notes.len, false, ret);
	buf_done(&notes);
}
