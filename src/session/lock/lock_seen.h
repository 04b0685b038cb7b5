/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks that threads were seen to wait for (EVENT_LEDGER_LOCK), with the mappings of their
 * processes at that time. Their names are found when watching is over, by a process that may only
 * read. */
#ifndef SESSION_LOCK_LOCK_SEEN_H
#define SESSION_LOCK_LOCK_SEEN_H

struct ledger;
struct ledger_lock;
struct lock_seen;
struct sink;
struct source;

struct lock_seen *lock_seen_new(void);
/* For a source of perf records about all processes that are watched, from their beginning: their
 * mappings are not read then. */
struct sink *lock_seen_follow(struct lock_seen *seen, const struct source *source);
/* Reads the mappings of the lock's process, if they are not known or may have changed. */
void lock_seen_add(struct lock_seen *seen, const struct ledger_lock *lock);
/* Names these, and the kernel's locks in the links, in ledger->lock. Locks in no variable, and
 * those of a process that ended before it was looked at, get no name. */
void lock_seen_name(struct lock_seen *seen, struct ledger *ledger);
void lock_seen_free(struct lock_seen *seen); /* NULL is fine */

#endif
