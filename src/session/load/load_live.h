/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads a recording while it is being made, without a file in between: the recorder puts its bytes
 * into a queue, a child in the sandbox (base/confined.h) reads them as it would read a pipe, and
 * sends back the profile. Symbols are read after the last event (load_options.live), so the
 * recorded program runs as undisturbed as ever.
 *
 * The bytes in between are no detour worth a second path: the rings of perf events deliver records,
 * which have to be put in time order and decoded in any case, and only those of BPF programs are
 * made into records here. Reading 47,000 samples of 175 bytes, with symbols, takes 60 ms of CPU
 * time; a second of the default rate, 1 ms. */
#ifndef SESSION_LOAD_LOAD_LIVE_H
#define SESSION_LOAD_LOAD_LIVE_H

struct byte_queue;
struct err;
struct load_live;
struct load_options;
struct profile;

/* The options are borrowed until the end. Call it before starting threads. */
int load_live_start(const struct load_options *options, struct load_live **ret, struct err *err);
/* For recording_options.output_queue. */
struct byte_queue *load_live_queue(const struct load_live *live);
/* After the end of the recording: waits for the profile, and frees. ret may be NULL. */
int load_live_finish(struct load_live *live, struct profile **ret, struct err *err);

#endif
