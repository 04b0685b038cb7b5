/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's context in a recording: a sample a second, and one at the end, among the records.
 */
#ifndef SESSION_RECORD_CONTEXT_H
#define SESSION_RECORD_CONTEXT_H

struct recorder;

void record_context_start(struct recorder *recorder);
void record_context_take(struct recorder *recorder); /* sets when the next one is due */
void record_context_end(struct recorder *recorder);

#endif
