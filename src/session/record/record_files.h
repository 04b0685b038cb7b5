/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with code, looked at when their mapping is recorded, because at the recording's end the
 * process may have ended, and with it the container or chroot that had the file, or the file was
 * deleted. Build ids are read, and files stay open for their names: as many as descriptors allow.
 * Regular files only. Finding is thread-safe. */
#ifndef SESSION_RECORD_FILES_H
#define SESSION_RECORD_FILES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"
#include "proc/module_bundle.h"
#include "session/record/recording_options.h"

struct event_set;
struct record_build_ids;

struct record_file {
	const char *path; /* as mapped */
	struct build_id build_id;
	int fd;
	struct file_map map; /* after the first lookup */
};

/* Two of them tell whether a file was written to between. */
struct file_state {
	uint64_t size;
	int64_t changed_ns; /* since the epoch */
};

struct known_file {
	struct file_state state;
	struct build_id build_id; /* len 0 = has none */
};

struct record_files {
	/* set by the owner after record_files_init(), borrowed */
	const struct event_set *events;
	struct recording_clock clock;	/* of the records */
	struct record_build_ids *ids;	/* of what is mapped go there; NULL = none are read */
	enum recording_map_ids map_ids; /* whether records have them */
	bool keep;			/* for names */

	struct module_bundle bundle; /* of what is open: the last resort of its readers */
	struct map identities;	     /* device, inode → index in identity + 1 */
	VEC(struct known_file) identity;
	struct arena arena;
	struct map known; /* files of mappings that had a build id already */
	VEC(struct record_file) file;
	size_t most;	  /* to be open */
	int least_closed; /* descriptors from here on are for others */
	pthread_mutex_t lock;
};

void record_files_init(struct record_files *files);
void record_files_event(struct record_files *files, const struct event *event);
/* Whole records, which get their build ids. New: as they come from rings. */
void record_files_records(struct record_files *files, uint8_t *data, size_t len, bool new);
void record_files_done(struct record_files *files);

#endif
