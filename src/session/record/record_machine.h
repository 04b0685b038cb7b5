/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's context in a recording: a sample a second, and one at the end, among the records.
 */
#ifndef SESSION_RECORD_MACHINE_H
#define SESSION_RECORD_MACHINE_H

struct recorder;

void record_machine_start(struct recorder *recorder);
void record_machine_take(struct recorder *recorder); /* sets when the next one is due */
void record_machine_end(struct recorder *recorder);

#endif
