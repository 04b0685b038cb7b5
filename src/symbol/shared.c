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
#include "symbol/dwarf/dwarf.h"
#include "symbol/elf/debuginfod.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/kernel/kallsyms_cache.h"
#include "symbol/symbolizer.h"

/* What was read of a file. The lock is held meanwhile, so that others wait for that file only. */
struct read_file {
	pthread_mutex_t lock;
	struct elf_file *elf, *debug;
	struct elf_symbols *symbols; /* in `tables` */
	struct dwarf *dwarf;	     /* in `dwarfs` */
	bool tried;
	int code;
	struct err err;
};

typedef VEC(struct read_file *) read_files;

struct symbol_shared {
	pthread_mutex_t lock, kallsyms_lock;
	read_files tables, dwarfs;
	bool asked;
	int code;
	struct err err;
	struct kallsyms kallsyms;
	struct debuginfod_session *debuginfod;
};

struct symbol_shared *symbol_shared_new(void)
{
	struct symbol_shared *shared = mem_zalloc(sizeof(*shared));

	(void)pthread_mutex_init(&shared->lock, NULL); /* cannot fail for plain mutexes */
	(void)pthread_mutex_init(&shared->kallsyms_lock, NULL);
	return shared;
}

static void free_files(read_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		struct read_file *file = files->item[i];

		elf_symbols_free(file->symbols);
		dwarf_close(file->dwarf);
		elf_file_close(file->debug);
		elf_file_close(file->elf);
		(void)pthread_mutex_destroy(&file->lock); /* not held any more */
		free(file);
	}
	vec_done(files);
}

void symbol_shared_free(struct symbol_shared *shared)
{
	if (!shared)
		return;
	free_files(&shared->tables);
	free_files(&shared->dwarfs);
	kallsyms_done(&shared->kallsyms);
	debuginfod_session_free(shared->debuginfod);
	(void)pthread_mutex_destroy(&shared->lock); /* not held any more */
	(void)pthread_mutex_destroy(&shared->kallsyms_lock);
	free(shared);
}

int symbol_shared_kallsyms(struct symbol_shared *shared, const char *path,
			   const struct kallsyms **ret, struct err *err)
{
	(void)pthread_mutex_lock(&shared->kallsyms_lock);
	if (!shared->asked)
		shared->code = path ? kallsyms_read(path, &shared->kallsyms, &shared->err)
				    : kallsyms_read_running(&shared->kallsyms, &shared->err);
	shared->asked = true;
	(void)pthread_mutex_unlock(&shared->kallsyms_lock);
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

static bool same_debug(const struct elf_file *a, const struct elf_file *b)
{
	return a && b ? elf_file_same(a, b) : a == b;
}

/* The entry of a file and its debug file (or NULL), with its lock held. */
static struct read_file *lock_file(struct symbol_shared *shared, read_files *files,
				   struct elf_file *elf, struct elf_file *debug)
{
	struct read_file *found = NULL;

	(void)pthread_mutex_lock(&shared->lock);
	for (size_t i = 0; i < files->count && !found; i++)
		if (elf_file_same(files->item[i]->elf, elf) &&
		    same_debug(files->item[i]->debug, debug))
			found = files->item[i];
	if (!found) {
		found = mem_zalloc(sizeof(*found));
		found->elf = elf_file_ref(elf);
		found->debug = debug ? elf_file_ref(debug) : NULL;
		(void)pthread_mutex_init(&found->lock, NULL); /* cannot fail for a plain mutex */
		vec_push(files, found);
	}
	(void)pthread_mutex_unlock(&shared->lock);
	(void)pthread_mutex_lock(&found->lock);
	return found;
}

struct elf_symbols *symbol_shared_symbols(struct symbol_shared *shared, struct elf_file *elf,
					  struct elf_file *debug, bool demangle)
{
	struct read_file *file = lock_file(shared, &shared->tables, elf, debug);

	if (!file->tried)
		file->symbols = elf_symbols_new(file->elf, file->debug, demangle);
	file->tried = true;
	(void)pthread_mutex_unlock(&file->lock);
	return file->symbols;
}

int symbol_shared_dwarf(struct symbol_shared *shared, struct elf_file *elf,
			const struct dwarf_options *options, struct dwarf **ret, struct err *err)
{
	struct read_file *file = lock_file(shared, &shared->dwarfs, elf, NULL);

	if (!file->tried)
		file->code = dwarf_open(file->elf, options, &file->dwarf, &file->err);
	file->tried = true;
	(void)pthread_mutex_unlock(&file->lock);
	if (file->code)
		*err = file->err;
	else
		*ret = file->dwarf;
	return file->code;
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
