/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a program to its end and keeps what it prints. */
#ifndef COMMAND_TEST_CHILD_H
#define COMMAND_TEST_CHILD_H

struct buf;
struct err;

/* argv[0] is the file. Standard output and error go to `ret`. One that takes longer than the time
 * limit is killed with all it started. Returns its status as a shell reports it, or -errno. */
int test_child_run(const char *const *argv, unsigned limit_s, struct buf *ret, struct err *err);

/* A folder for one file. A process of its own removes both as soon as this program has ended, in
 * whatever way. */
struct test_folder {
	char path[48], file[64];
	int guard_fd; /* its end is the program's */
	int guard;    /* pid */
};

int test_folder_make(struct test_folder *ret, struct err *err);
void test_folder_remove(struct test_folder *folder);

#endif
