/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine was like while a recording was made: one sample a second of what an observer
 * would look at first. Counts are those of the interval that ended at the sample's time; levels are
 * those of that moment. What a kernel does not tell is not known, which is not zero. */
#ifndef EVENT_CONTEXT_H
#define EVENT_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum context_unit {
	CONTEXT_COUNT, /* in the interval */
	CONTEXT_TIME,  /* ns in the interval, over all CPUs or tasks */
	CONTEXT_LEVEL, /* tasks at that moment */
	CONTEXT_BYTES, /* bytes at that moment */
};

/* id, name in files and JSON, unit, what it is. */
#define CONTEXT_VALUES(X)                                                                    \
	X(SWITCHES, "switches", CONTEXT_COUNT, "context switches")                           \
	X(FORKS, "forks", CONTEXT_COUNT, "new tasks")                                        \
	X(INTERRUPTS, "interrupts", CONTEXT_COUNT, "interrupts")                             \
	X(SOFTIRQS, "softirqs", CONTEXT_COUNT, "softirqs")                                   \
	X(RUNNABLE, "runnable", CONTEXT_LEVEL, "running or in a run queue")                  \
	X(BLOCKED, "blocked", CONTEXT_LEVEL, "waiting for a disk")                           \
	X(QUEUED, "queued", CONTEXT_TIME, "waiting for a CPU")                               \
	X(THROTTLED, "throttled", CONTEXT_TIME, "throttled by the control group's quota")    \
	X(HOT, "hot", CONTEXT_COUNT, "slowed down by heat")                                  \
	X(MEM_TOTAL, "mem_total", CONTEXT_BYTES, "memory")                                   \
	X(MEM_AVAILABLE, "mem_available", CONTEXT_BYTES, "available")                        \
	X(MEM_CACHED, "mem_cached", CONTEXT_BYTES, "page cache")                             \
	X(MEM_DIRTY, "mem_dirty", CONTEXT_BYTES, "to be written")                            \
	X(SWAP_USED, "swap_used", CONTEXT_BYTES, "swapped out")                              \
	X(MAJOR_FAULTS, "major_faults", CONTEXT_COUNT, "page faults that read")              \
	X(SWAP_IN, "swap_in", CONTEXT_COUNT, "pages swapped in")                             \
	X(SWAP_OUT, "swap_out", CONTEXT_COUNT, "pages swapped out")                          \
	X(DIRECT_SCANS, "direct_scans", CONTEXT_COUNT, "pages scanned by who needed memory") \
	X(OOM_KILLS, "oom_kills", CONTEXT_COUNT, "killed for want of memory")                \
	X(PSI_CPU, "psi_cpu", CONTEXT_TIME, "some waited for a CPU")                         \
	X(PSI_MEMORY, "psi_memory", CONTEXT_TIME, "some waited for memory")                  \
	X(PSI_MEMORY_FULL, "psi_memory_full", CONTEXT_TIME, "all waited for memory")         \
	X(PSI_IO, "psi_io", CONTEXT_TIME, "some waited for I/O")                             \
	X(PSI_IO_FULL, "psi_io_full", CONTEXT_TIME, "all waited for I/O")                    \
	X(RETRANSMITS, "retransmits", CONTEXT_COUNT, "TCP segments sent again")

enum context_value {
#define CONTEXT_VALUE_ID(id, name, unit, text) CONTEXT_##id,
	CONTEXT_VALUES(CONTEXT_VALUE_ID)
#undef CONTEXT_VALUE_ID
		CONTEXT_VALUE_COUNT
};

/* Time of a CPU in ms by mode; "user" has what guests and niced programs used. */
#define CONTEXT_MODES(X)    \
	X(IDLE, "idle")     \
	X(USER, "user")     \
	X(SYSTEM, "system") \
	X(IOWAIT, "iowait") \
	X(IRQ, "irq")       \
	X(STEAL, "steal")

enum context_mode {
#define CONTEXT_MODE_ID(id, name) CONTEXT_##id,
	CONTEXT_MODES(CONTEXT_MODE_ID)
#undef CONTEXT_MODE_ID
		CONTEXT_MODE_COUNT
};

#define CONTEXT_DISK_VALUES(X)        \
	X(READS, "reads")             \
	X(READ_BYTES, "read_bytes")   \
	X(WRITES, "writes")           \
	X(WRITE_BYTES, "write_bytes") \
	X(FLUSHES, "flushes")         \
	X(WAIT_MS, "wait_ms")         \
	X(BUSY_MS, "busy_ms")

enum context_disk_value {
#define CONTEXT_DISK_ID(id, name) CONTEXT_DISK_##id,
	CONTEXT_DISK_VALUES(CONTEXT_DISK_ID)
#undef CONTEXT_DISK_ID
		CONTEXT_DISK_VALUE_COUNT
};

#define CONTEXT_NET_VALUES(X)       \
	X(RX_BYTES, "rx_bytes")     \
	X(RX_PACKETS, "rx_packets") \
	X(RX_DROPS, "rx_drops")     \
	X(TX_BYTES, "tx_bytes")     \
	X(TX_PACKETS, "tx_packets") \
	X(TX_DROPS, "tx_drops")

enum context_net_value {
#define CONTEXT_NET_ID(id, name) CONTEXT_NET_##id,
	CONTEXT_NET_VALUES(CONTEXT_NET_ID)
#undef CONTEXT_NET_ID
		CONTEXT_NET_VALUE_COUNT
};

#define CONTEXT_DEVICE_VALUES 7 /* room for those of either kind */
#define CONTEXT_MAX_CPUS      8192
#define CONTEXT_MAX_DEVICES   1024

struct context_cpu {
	uint32_t cpu;
	uint64_t ms[CONTEXT_MODE_COUNT];
};

struct context_device {
	char name[32];
	uint64_t value[CONTEXT_DEVICE_VALUES];
};

/* Devices that did nothing in the interval are not listed. */
struct context_sample {
	uint64_t time_ns, interval_ns; /* in the recording's clock; the interval's end */
	uint32_t known;		       /* bit per enum context_value */
	uint64_t value[CONTEXT_VALUE_COUNT];
	VEC(struct context_cpu) cpu;
	VEC(struct context_device) disk;
	VEC(struct context_device) net;
};

const char *context_value_name(enum context_value value);
const char *context_value_text(enum context_value value);
enum context_unit context_value_unit(enum context_value value);
const char *context_mode_name(enum context_mode mode);
const char *context_disk_name(enum context_disk_value value);
const char *context_net_name(enum context_net_value value);
bool context_knows(const struct context_sample *sample, enum context_value value);
void context_set(struct context_sample *sample, enum context_value id, uint64_t value);
void context_sample_done(struct context_sample *sample);

#endif
