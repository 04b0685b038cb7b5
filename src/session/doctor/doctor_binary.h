/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a binary has for names and stacks. */
#ifndef SESSION_DOCTOR_BINARY_H
#define SESSION_DOCTOR_BINARY_H

#include <stdbool.h>

struct doctor;
struct doctor_finding;

struct doctor_binary {
	bool readable;	/* an ELF file */
	bool functions; /* names of all functions, here or in its debug file */
	bool lines, unwinding;
};

struct doctor_binary doctor_examine_binary(const char *path);
void doctor_judge_binary(struct doctor *doctor, struct doctor_finding *finding, const char *path);

#endif
