/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the machine during a recording: one sample per second. Counts refer to the interval that
 * ended at the sample's time, levels to that moment. Values that the kernel does not provide are
 * unknown, not zero. */
#ifndef EVENT_MACHINE_H
#define EVENT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum machine_unit {
	MACHINE_COUNT, /* in the interval */
	MACHINE_TIME,  /* ns in the interval, over all CPUs or tasks */
	MACHINE_LEVEL, /* tasks at that moment */
	MACHINE_BYTES, /* bytes at that moment */
};

/* id, name in files and JSON, unit, description. */
#define MACHINE_VALUES(X)                                                                 \
	X(SWITCHES, "switches", MACHINE_COUNT, "context switches")                        \
	X(FORKS, "forks", MACHINE_COUNT, "new tasks")                                     \
	X(INTERRUPTS, "interrupts", MACHINE_COUNT, "interrupts")                          \
	X(SOFTIRQS, "softirqs", MACHINE_COUNT, "softirqs")                                \
	X(RUNNABLE, "runnable", MACHINE_LEVEL, "running or in a run queue")               \
	X(BLOCKED, "blocked", MACHINE_LEVEL, "waiting for a disk")                        \
	X(QUEUED, "queued", MACHINE_TIME, "waiting for a CPU")                            \
	X(THROTTLED, "throttled", MACHINE_TIME, "throttled by the cgroup quota")          \
	X(HOT, "hot", MACHINE_COUNT, "thermal throttling")                                \
	X(MEM_TOTAL, "mem_total", MACHINE_BYTES, "memory")                                \
	X(MEM_AVAILABLE, "mem_available", MACHINE_BYTES, "available")                     \
	X(MEM_CACHED, "mem_cached", MACHINE_BYTES, "page cache")                          \
	X(MEM_DIRTY, "mem_dirty", MACHINE_BYTES, "dirty pages")                           \
	X(SWAP_USED, "swap_used", MACHINE_BYTES, "swapped out")                           \
	X(MAJOR_FAULTS, "major_faults", MACHINE_COUNT, "page faults that read")           \
	X(SWAP_IN, "swap_in", MACHINE_COUNT, "pages swapped in")                          \
	X(SWAP_OUT, "swap_out", MACHINE_COUNT, "pages swapped out")                       \
	X(DIRECT_SCANS, "direct_scans", MACHINE_COUNT, "pages scanned in direct reclaim") \
	X(OOM_KILLS, "oom_kills", MACHINE_COUNT, "killed by the OOM killer")              \
	X(PSI_CPU, "psi_cpu", MACHINE_TIME, "some waited for a CPU")                      \
	X(PSI_MEMORY, "psi_memory", MACHINE_TIME, "some waited for memory")               \
	X(PSI_MEMORY_FULL, "psi_memory_full", MACHINE_TIME, "all waited for memory")      \
	X(PSI_IO, "psi_io", MACHINE_TIME, "some waited for I/O")                          \
	X(PSI_IO_FULL, "psi_io_full", MACHINE_TIME, "all waited for I/O")                 \
	X(RETRANSMITS, "retransmits", MACHINE_COUNT, "TCP segments retransmitted")

enum machine_value {
#define MACHINE_VALUE_ID(id, name, unit, text) MACHINE_##id,
	MACHINE_VALUES(MACHINE_VALUE_ID)
#undef MACHINE_VALUE_ID
		MACHINE_VALUE_COUNT
};

/* Time of a CPU in ms by mode; "user" has what guests and niced programs used. */
#define MACHINE_MODES(X)    \
	X(IDLE, "idle")     \
	X(USER, "user")     \
	X(SYSTEM, "system") \
	X(IOWAIT, "iowait") \
	X(IRQ, "irq")       \
	X(STEAL, "steal")

enum machine_mode {
#define MACHINE_MODE_ID(id, name) MACHINE_##id,
	MACHINE_MODES(MACHINE_MODE_ID)
#undef MACHINE_MODE_ID
		MACHINE_MODE_COUNT
};

#define MACHINE_DISK_VALUES(X)        \
	X(READS, "reads")             \
	X(READ_BYTES, "read_bytes")   \
	X(WRITES, "writes")           \
	X(WRITE_BYTES, "write_bytes") \
	X(FLUSHES, "flushes")         \
	X(WAIT_MS, "wait_ms")         \
	X(BUSY_MS, "busy_ms")

enum machine_disk_value {
#define MACHINE_DISK_ID(id, name) MACHINE_DISK_##id,
	MACHINE_DISK_VALUES(MACHINE_DISK_ID)
#undef MACHINE_DISK_ID
		MACHINE_DISK_VALUE_COUNT
};

#define MACHINE_NET_VALUES(X)       \
	X(RX_BYTES, "rx_bytes")     \
	X(RX_PACKETS, "rx_packets") \
	X(RX_DROPS, "rx_drops")     \
	X(TX_BYTES, "tx_bytes")     \
	X(TX_PACKETS, "tx_packets") \
	X(TX_DROPS, "tx_drops")

enum machine_net_value {
#define MACHINE_NET_ID(id, name) MACHINE_NET_##id,
	MACHINE_NET_VALUES(MACHINE_NET_ID)
#undef MACHINE_NET_ID
		MACHINE_NET_VALUE_COUNT
};

#define MACHINE_DEVICE_VALUES 7 /* room for those of either kind */
#define MACHINE_MAX_CPUS      8192
#define MACHINE_MAX_DEVICES   1024

struct machine_cpu {
	uint32_t cpu;
	uint64_t ms[MACHINE_MODE_COUNT];
};

struct machine_device {
	char name[32];
	uint64_t value[MACHINE_DEVICE_VALUES];
};

/* Devices that did nothing in the interval are not listed. */
struct machine_sample {
	uint64_t time_ns, interval_ns; /* in the recording's clock; the interval's end */
	uint32_t known;		       /* bit per enum machine_value */
	uint64_t value[MACHINE_VALUE_COUNT];
	VEC(struct machine_cpu) cpu;
	VEC(struct machine_device) disk;
	VEC(struct machine_device) net;
};

const char *machine_value_name(enum machine_value value);
const char *machine_value_text(enum machine_value value);
enum machine_unit machine_value_unit(enum machine_value value);
const char *machine_mode_name(enum machine_mode mode);
const char *machine_disk_name(enum machine_disk_value value);
const char *machine_net_name(enum machine_net_value value);
bool machine_knows(const struct machine_sample *sample, enum machine_value value);
void machine_set(struct machine_sample *sample, enum machine_value id, uint64_t value);
void machine_sample_done(struct machine_sample *sample);

#endif
