/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The closed ledger of a recording: the time of every watched thread by account, in nanoseconds,
 * and which threads delayed others. Pure data and sums; owns all it refers to. */
#ifndef PROFILE_LEDGER_H
#define PROFILE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "event/ledger_account.h"

struct redaction;

/* The five states; reasons divide all but running. */
enum ledger_state {
	LEDGER_STATE_RUNNING_USER,
	LEDGER_STATE_RUNNING_KERNEL,
	LEDGER_STATE_RUNNABLE,
	LEDGER_STATE_BLOCKED,
	LEDGER_STATE_IDLE,
	LEDGER_STATES,
};

struct ledger_link {
	struct ledger_edge_key key;
	struct ledger_edge edge;
};

/* Names of a device: "dm-0", and "slow, part of md0". */
struct ledger_device {
	uint32_t device;
	char name[64], about[192];
};

/* A lock of a process (pid 0: of the kernel) and its variable's name, owned. */
struct ledger_lock_name {
	uint64_t address;
	uint32_t pid;
	char *name;
};

struct ledger {
	uint64_t start_ns, end_ns;
	VEC(struct ledger_thread) thread; /* end_ns is set for all of them */
	VEC(struct ledger_link) link;
	VEC(struct ledger_device) device;  /* those of links, by number; 0 is not one */
	VEC(struct ledger_lock_name) lock; /* those with names, in ledger_finish()'s order */
	struct ledger_counts counts;
};

/* Sums over some threads. */
struct ledger_sums {
	uint64_t threads, lifetime_ns;
	uint64_t state_ns[LEDGER_STATES];
	struct ledger_cell cell[LEDGER_ACCOUNTS];
	struct ledger_cell event[LEDGER_EVENTS]; /* of LEDGER_CONDITION */
	uint64_t unaccounted_ns; /* lifetime that is on no account, or on two: the distance */
};

/* "blocked" and "disk" of LEDGER_DISK; the reason of LEDGER_RUNNING is "". */
enum ledger_state ledger_state_of(enum ledger_account account);
const char *ledger_state_name(enum ledger_state state);
const char *ledger_reason_name(enum ledger_account account);
const char *ledger_event_name(enum ledger_event event); /* "barrier" */
const char *ledger_relation_name(enum ledger_relation relation);

/* Adds a thread to the sums. Running time is divided into user and kernel in the ratio of the
 * kernel's own account of the thread, which may be as coarse as its tick. */
void ledger_sums_add(struct ledger_sums *sums, const struct ledger_thread *thread);
uint64_t ledger_lifetime(const struct ledger_thread *thread);
/* To be called when all threads and links are in: closes lives, puts threads in order of their
 * ids and links in order of weight. */
void ledger_finish(struct ledger *ledger);
/* NULL = it has no name. */
const struct ledger_device *ledger_device_find(const struct ledger *ledger, uint32_t device);
/* The name of the lock that a wait was for; NULL = it has none. */
const char *ledger_lock_name(const struct ledger *ledger, const struct ledger_edge_key *key);
/* The waits on an account per device, longest first; the last, with device 0 and no max_ns, has the
 * waits for unknown devices. Empty if the account is not about devices. The caller frees *ret. */
struct ledger_device_wait {
	uint32_t device;
	struct ledger_cell wait;
};
size_t ledger_device_waits(const struct ledger *ledger, enum ledger_account account,
			   struct ledger_device_wait **ret);
/* The thread with that id that was alive last; NULL = not watched. */
const struct ledger_thread *ledger_find(const struct ledger *ledger, uint32_t tid);
/* Names of threads become pseudonyms where the redaction has one. */
void ledger_redact(struct ledger *ledger, struct redaction *redaction);
void ledger_done(struct ledger *ledger);

#endif
