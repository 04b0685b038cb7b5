/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with code, opened when their first mapping is recorded: at the recording's end the process
 * may have ended, and with it the container or chroot that had the file, or the file was deleted.
 * Regular files only; as many as descriptors allow. Finding is thread-safe. */
#ifndef SESSION_RECORD_FILES_H
#define SESSION_RECORD_FILES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "proc/module_bundle.h"

struct record_file {
	const char *path; /* as mapped */
	struct build_id build_id;
	int fd;
	struct file_map map; /* after the first lookup */
};

struct record_files {
	struct module_bundle bundle; /* of what is open: the last resort of its readers */
	struct arena arena;
	struct map known; /* files that were looked at */
	VEC(struct record_file) file;
	size_t most;	  /* to be open */
	int least_closed; /* descriptors from here on are for others */
	pthread_mutex_t lock;
};

void record_files_init(struct record_files *files);
void record_files_event(struct record_files *files, const struct event *event);
/* Records as they come from rings. */
void record_files_records(struct record_files *files, const uint8_t *data, size_t len);
void record_files_done(struct record_files *files);

#endif
