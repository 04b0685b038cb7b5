/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File descriptors and memory with scoped lifetime, and whole-file reading with a limit. All
 * descriptors are opened O_CLOEXEC. */
#ifndef BASE_FD_H
#define BASE_FD_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

struct buf;
struct err;

static inline void fd_close(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* nothing useful can be done with a failed close of a read */
}

static inline void free_pointer(void *p)
{
	free(*(void **)p);
}

#define AUTO_CLOSE __attribute__((cleanup(fd_close)))
#define AUTO_FREE  __attribute__((cleanup(free_pointer)))

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void *take_pointer(void *place)
{
	void *taken = *(void **)place;

	*(void **)place = NULL;
	return taken;
}

/* Reads a whole file (or /proc entry) into *ret, at most ret->limit bytes (-E2BIG past it). */
int fd_read_file(const char *path, struct buf *ret, struct err *err);
/* Writes all bytes, repeating after short writes and EINTR. Returns 0 or -errno. */
int fd_write_all(int fd, const void *data, size_t len);
/* Reads until len bytes or end of file; returns the bytes read or -errno. */
ssize_t fd_read_full(int fd, void *data, size_t len);

/* Leaves mapped memory out of processes that are forked later: a fork copies the page tables of
 * what the kernel shares with it (BPF's maps and rings), which takes longer than all the rest. */
void memory_keep(void *data, size_t len);

/* An unnamed file in TMPDIR or in memory, deleted when closed; label appears in /proc/PID/fd.
 * Returns the descriptor, or -errno. */
int fd_temporary(const char *label, struct err *err);

/* A read-only memory map of a regular file, an input of the memory limit (base/memory_limit.h). len
 * 0 gives data NULL. It is shared: into private maps of a program's file the kernel writes the
 * breakpoints of its probes, and the code read there would not be the program's. */
struct file_map {
	const uint8_t *data;
	size_t len;
	dev_t device; /* with the inode: which file it is */
	ino_t inode;
	uid_t owner;
	int64_t changed_ns; /* time of its last change, since the epoch */
	int64_t status_ns;  /* of its status; programs cannot set it */
};

int file_map_open(const char *path, struct file_map *ret, struct err *err);
int file_map_fd(int fd, struct file_map *ret, struct err *err); /* the fd stays the caller's */
void file_map_close(struct file_map *map);

/* For a process that was forked: closes all descriptors but these, which are sorted; -1 is none.
 * Without effect below Linux 5.9. May be called where other threads were. */
void fd_close_others(const int *keep, size_t count);
void fd_sort(int *fds, size_t count);

#endif
