/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of threads for I/O with the layers that their time went to, as the kernel part sums them
 * up (bpf/io.bpf.c) and as samples of the event io carry them. Only types and numbers, because both
 * sides include it. */
#ifndef EVENT_IO_REQUEST_H
#define EVENT_IO_REQUEST_H

#include <stdint.h>

/* X(ID, name, reads, writes) */
#define IO_OPERATIONS(X)                                                     \
	X(READ, "read") /* and its like */                                   \
	X(WRITE, "write")                                                    \
	X(SYNC, "fsync") /* fdatasync, sync, … */                          \
	X(OPEN, "open")                                                      \
	X(CONNECT, "connect")                                                \
	X(ACCEPT, "accept")                                                  \
	X(COPY, "copy")			/* sendfile, splice, … */          \
	X(SUBMIT, "submit")		/* io_submit */                      \
	X(COLLECT, "wait for requests") /* of io_submit */                   \
	X(ENTER, "io_uring_enter")                                           \
	X(RING, "io_uring request") /* from submission to completion */      \
	X(WRITE_BACK, "write-back") /* of pages that a thread wrote */       \
	X(FAULT, "mapped read")	    /* a page fault that read from a disk */ \
	X(AIO, "io_submit request") /* until it is collected */              \
	X(DISK, "disk request")	    /* of a call that does not wait for it */

enum io_operation {
#define X(id, name) IO_##id,
	IO_OPERATIONS(X)
#undef X
		IO_OPERATION_COUNT,
};

/* X(ID, name): each nanosecond of a request is in one of them. */
#define IO_LAYERS(X)               \
	X(RUNNING, "running")      \
	X(CPU, "CPU queue")        \
	X(QUEUE, "disk queue")     \
	X(DEVICE, "device")        \
	X(JOURNAL, "journal")      \
	X(OTHERS, "I/O of others") \
	X(LOCK, "lock")            \
	X(NET, "network")          \
	X(PIPE, "pipe")            \
	X(FLIGHT, "in flight")     \
	X(OTHER, "other waits")

enum io_layer {
#define X(id, name) IO_LAYER_##id,
	IO_LAYERS(X)
#undef X
		IO_LAYER_COUNT,
};

enum io_file_kind {
	IO_FILE_OTHER,
	IO_FILE_REGULAR,
	IO_FILE_SOCKET,
	IO_FILE_PIPE,
	IO_FILE_TERMINAL,
	IO_FILE_BLOCK,
	IO_FILE_KINDS,
};

/* Bits of io_key.flags. */
#define IO_RAW_STACK 0x01 /* `stack` is the number of a sample that has it */

struct io_key {
	uint64_t stack;
	uint64_t inode;
	uint32_t device; /* of its file system: major << 20 | minor */
	uint32_t pid, tid;
	uint8_t operation, file_kind, flags, unused;
	uint32_t generation; /* of the inode: another file may get its number */
	uint32_t unused_too;
};

/* Buckets of latencies: two for each power of two from 256 ns on, as of lock_sum. */
#define IO_BUCKETS	64u
#define IO_BUCKET_SHIFT 7

struct io_sum {
	uint64_t ns, count, max_ns;
	uint64_t bytes, errors;
	uint64_t layer_ns[IO_LAYER_COUNT];
	uint64_t sequential; /* requests that began where the one before on the file ended */
	uint64_t hits;	     /* reads of regular files that needed no disk */
	uint64_t read_pages; /* read into the page cache meanwhile */
	uint64_t requests;   /* to disks */
	uint64_t disk_read, disk_written; /* bytes of those */
	uint64_t punted;		  /* RING: handed to a worker thread */
	uint64_t disk;			  /* major << 20 | minor of the last of them, 0 = none */
	uint32_t bucket[IO_BUCKETS];
};

#define IO_NAMES 512

/* Of a file; of a socket of TCP, both addresses and ports. */
struct io_names {
	uint32_t len;		/* names from the file to the root, each with a NUL behind it */
	uint32_t family, ports; /* local << 16 | remote; 0 = no TCP */
	uint32_t unused;
	char text[IO_NAMES];
};

/* What a sample of io carries. One with nothing but a number has the stack that sums refer to
 * (IO_RAW_STACK). */
struct io_data {
	uint64_t number;
	struct io_key key;
	struct io_sum sum;
	uint64_t end_ns; /* of a single slow request, which is in a sum as well; 0 = it is a sum */
	struct io_names names;
};

/* What a system call is; places of arguments count from 1, 0 = none. */
struct io_role {
	uint8_t operation_plus_one; /* 0 = no I/O */
	uint8_t fd;
	uint8_t offset;
	uint8_t size; /* bytes of the arguments that the result is not of */
};

#endif
