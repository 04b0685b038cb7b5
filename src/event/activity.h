/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools with BCC's names watch: requests to disks, files, sockets, processes, the page
 * cache and system calls, each as it ends, in one layout (bpf/activity.bpf.c). A tool chooses kinds
 * and how they come: one by one, or added up in the kernel by some of their fields. Shared with the
 * kernel part, so the header contains only types. Times are CLOCK_MONOTONIC nanoseconds. */
#ifndef EVENT_ACTIVITY_H
#define EVENT_ACTIVITY_H

#include <stdint.h>

#define ACTIVITY_NUMBERS 8
#define ACTIVITY_TEXT	 512
#define ACTIVITY_FRAMES	 24 /* of a kernel stack, in `text` */
/* What of `text` can be in the key of a sum. */
#define ACTIVITY_KEY_TEXT (ACTIVITY_FRAMES * 8)

/* X(ID, the layer that it is, in words) */
#define ACTIVITY_KINDS(X)                              \
	X(BLOCK, "block requests")                     \
	X(OPEN, "opened files")                        \
	X(STAT, "file status calls")                   \
	X(SYNC, "sync calls")                          \
	X(KILL, "signals sent")                        \
	X(EXEC, "executed programs")                   \
	X(EXIT, "ended processes")                     \
	X(FILE, "reads, writes and syncs of files")    \
	X(CONNECT, "TCP connections made")             \
	X(ACCEPT, "TCP connections accepted")          \
	X(LIFE, "TCP connections closed")              \
	X(RETRANSMIT, "TCP retransmits")               \
	X(DROP, "dropped TCP packets")                 \
	X(TCP_BYTES, "bytes sent and received by TCP") \
	X(CACHE, "page cache lookups")                 \
	X(CALL, "system calls")                        \
	X(IRQ, "hardware interrupts")                  \
	X(SOFTIRQ, "soft interrupts")

enum activity_kind {
#define X(id, words) ACTIVITY_##id,
	ACTIVITY_KINDS(X)
#undef X
		ACTIVITY_KIND_COUNT,
};

/* number[] by kind. */
enum activity_block {
	BLOCK_DEVICE, /* the disk's: major << 20 | minor */
	BLOCK_SECTOR,
	BLOCK_BYTES,
	BLOCK_FLAGS,	  /* request.cmd_flags */
	BLOCK_QUEUE_NS,	  /* before the device had it */
	BLOCK_SEQUENTIAL, /* 1: it begins where the one before on that disk ended */
	BLOCK_RANDOM,	  /* 1: it does not */
	BLOCK_DEVICE_NS,  /* from its issue to its end */
};

/* OPEN, STAT, SYNC, KILL, EXEC, CALL: the call's. */
enum activity_call {
	CALL_RESULT, /* as the kernel returns it: negative = -errno */
	CALL_ARG,    /* OPEN: flags; KILL: the signal; SYNC: the descriptor */
	CALL_TARGET, /* KILL: the receiver; OPEN: mode */
	CALL_NUMBER, /* with SYSCALL_COMPAT_BIT for 32-bit programs */
	CALL_SYNC,   /* enum activity_sync */
	CALL_NAMES,  /* OPEN: 1 = `text` is a path as names from the file up, each with its NUL */
};

enum activity_sync {
	SYNC_ALL,
	SYNC_FILE_SYSTEM,
	SYNC_FILE,
	SYNC_DATA,
	SYNC_RANGE,
	SYNC_MAPPING,
};

enum activity_exit {
	EXIT_CODE, /* as wait(2) has it */
	EXIT_AGE_NS,
};

enum activity_file {
	FILE_DEVICE, /* of the file system */
	FILE_INODE,
	FILE_READ_BYTES,
	FILE_WRITE_BYTES,
	FILE_READS,
	FILE_WRITES,
	FILE_TYPE,   /* 'R' regular, 'S' socket, 'O' other */
	FILE_OFFSET, /* where it began */
};

/* CONNECT, ACCEPT, LIFE, RETRANSMIT, DROP, TCP_BYTES. `text` has both addresses, of 16 bytes. */
enum activity_tcp {
	TCP_FAMILY, /* AF_INET, AF_INET6 */
	TCP_PORTS,  /* local << 16 | remote */
	TCP_SENT,
	TCP_RECEIVED,
	TCP_STATE_OF,
	TCP_SEQUENCE, /* DROP: where, an address in the kernel */
	TCP_REASON,   /* DROP: enum skb_drop_reason; 0 = the kernel does not say */
	TCP_FLAGS,    /* DROP: of the header */
};

#define TCP_ADDRESSES 32

enum activity_cache {
	CACHE_LOOKUPS, /* pages */
	CACHE_ADDED,   /* read into the cache */
	CACHE_DIRTIED,
	CACHE_READAHEAD, /* readahead decisions */
};

enum activity_interrupt {
	INTERRUPT_CPU,
	INTERRUPT_NUMBER, /* IRQ: its number, with the name of the handler in `text`; SOFTIRQ: the
			   * vector */
};

struct activity {
	uint64_t time_ns; /* when it ended */
	uint64_t ns;	  /* how long it took; of sums: all */
	uint64_t number[ACTIVITY_NUMBERS];
	uint64_t count; /* 1, or of a sum */
	uint32_t kind, pid, tid, ppid, uid;
	uint32_t bucket; /* of a distribution: value in [2^(b-1), 2^b) units; 0: 0 */
	uint32_t
		operation; /* the first letter of what it is: 'R', 'W', 'S' (sync), 'O', 'D', 'F' */
	uint32_t text_len; /* bytes of text, without a final NUL */
	char comm[16];
	char text[ACTIVITY_TEXT];
};

/* What makes a sum: fields that are not chosen are 0. */
struct activity_key {
	uint64_t number[ACTIVITY_NUMBERS];
	uint32_t pid, tid, operation, bucket;
	char comm[16];
	char text[ACTIVITY_KEY_TEXT]; /* maps have keys without it, if it is not chosen */
};

struct activity_sum {
	uint64_t count, ns;
	uint64_t number[ACTIVITY_NUMBERS];
};

/* The fields of a key, as bits: numbers by their place, and these. */
#define ACTIVITY_BY_PID	      (1u << 16)
#define ACTIVITY_BY_TID	      (1u << 17)
#define ACTIVITY_BY_COMM      (1u << 18)
#define ACTIVITY_BY_TEXT      (1u << 19)
#define ACTIVITY_BY_OPERATION (1u << 20)

enum activity_distribution {
	ACTIVITY_NO_DISTRIBUTION,
	ACTIVITY_OF_NS,
	ACTIVITY_OF_NUMBER, /* + its place */
};

/* Set before loading. */
struct activity_rules {
	uint32_t kinds;		  /* bits */
	uint32_t by;		  /* fields of the key; 0 with `sums`: one sum */
	uint32_t summed;	  /* numbers that are added up */
	uint32_t sums;		  /* 1 = add up, 0 = one by one */
	uint32_t distribution;	  /* enum activity_distribution */
	uint32_t with_stack;	  /* BLOCK, DROP: a kernel stack in `text` */
	uint64_t unit;		  /* of the distribution */
	uint64_t min_ns;	  /* only what takes this long */
	uint32_t only_failed;	  /* calls that return an error */
	uint32_t error_plus_one;  /* this error; 0 = any */
	uint32_t only_regular;	  /* files, no sockets and devices */
	uint32_t with_queue;	  /* BLOCK: ns includes the time in the queue */
	uint32_t device_plus_one; /* BLOCK: of this disk; 0 = any */
	uint32_t own_pid;	  /* calls of the process that watches are left out */
	uint32_t ppid;		  /* children of this process only; 0 = any */
	uint32_t all_operations;  /* FILE: opens and syncs as well */
	char file_system[16];	  /* FILE: on file systems of this type only; "" = any */
	uint32_t threads;	  /* EXIT: of each thread, not only of processes */
	uint32_t full_path;	  /* OPEN: whole paths of files that were opened */
	uint32_t cpu_plus_one;	  /* IRQ, SOFTIRQ: on this CPU; 0 = any */
	uint32_t answered;	  /* CONNECT: when the other side has answered, or not */
};

/* What a system call is. `path`, `fd` and `length` are places of arguments, plus one; 0 = none. */
struct activity_role {
	uint8_t kind_plus_one; /* 0 = of no interest */
	uint8_t path, fd, argument, target;
	uint8_t what;	/* SYNC: enum activity_sync; FILE: the operation's letter */
	uint8_t offset; /* FILE */
	uint8_t unused;
};

#endif
