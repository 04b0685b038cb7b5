/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An input of any readable format, opened once: its header, its statistics, and its content as a
 * profile or event by event. Commands get everything about an input from this object, so
 * every command works on a pipe. The content can be read once. */
#ifndef SESSION_RECORDING_H
#define SESSION_RECORDING_H

#include <stdbool.h>

struct buf;
struct byte_queue;
struct err;
struct input;
struct load_options;
struct module_bundle;
struct perf_data;
struct profile;
struct recording;
struct replay_handler;
struct replay_options;
struct store_input;

/* path NULL = "perf.data", "-" = stdin. The format is not looked at yet. */
int recording_open(const char *path, struct recording **ret, struct err *err);
/* Binaries that are open, unless it came with its own (proc/module_bundle.h). Before reading. */
void recording_use_binaries(struct recording *recording, const struct module_bundle *binaries);
/* One that another thread puts into the queue, which is borrowed, while it is read. */
struct recording *recording_open_queue(struct byte_queue *queue, const char *name);
/* A part of a store, which it takes. */
struct recording *recording_open_stored(struct store_input *input);
/* The content once more, for readers of several passes. `of` stays open for as long, and is itself
 * not read. */
int recording_again(struct recording *of, struct recording **ret, struct err *err);
void recording_close(struct recording *recording); /* NULL is fine */

const char *recording_name(const struct recording *recording); /* for messages */
/* The bytes, for other formats. Do not read them before the functions below. */
struct input *recording_input(struct recording *recording);
/* The recording as perf.data, with its header and events; -EINVAL for other formats. Borrowed. */
int recording_data(struct recording *recording, struct perf_data **ret, struct err *err);
/* Appends the header information of perf.data, in perf's layout. */
int recording_header_text(struct recording *recording, bool full, struct buf *ret, struct err *err);

/* The content as a profile; without samples an error with the reason. */
int recording_load(struct recording *recording, const struct load_options *options,
		   struct profile **ret, struct err *err);
/* The content of a perf.data, event by event. */
int recording_replay(struct recording *recording, const struct replay_options *options,
		     struct replay_handler *handler, struct err *err);

/* Opens, loads and closes; where this process has privileges, in a child (load_live.h). */
int session_load(const char *path, const struct load_options *options, struct profile **ret,
		 struct err *err);

#endif
