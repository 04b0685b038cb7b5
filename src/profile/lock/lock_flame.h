/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for locks as one picture: the waiter's stack up to the lock, "[lock NAME]", and on that the
 * holder's stack from where it let the lock go outwards. */
#ifndef PROFILE_LOCK_LOCK_FLAME_H
#define PROFILE_LOCK_LOCK_FLAME_H

struct lock_table;
struct profile;

#define LOCK_FLAME_EVENT "lock-wait-time"

/* The profile's samples become these, of the event LOCK_FLAME_EVENT. table: of the profile, with
 * names. */
void lock_flame_make(const struct lock_table *table, struct profile *profile);

#endif
