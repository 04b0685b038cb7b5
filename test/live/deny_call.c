/* SPDX-License-Identifier: GPL-2.0-or-later */
/* deny_call NUMBER FIRST ERROR PROGRAM [ARGUMENT...]: runs a program with a failing system call.
 * The call NUMBER fails with ERROR if its first argument is FIRST (-1: any). */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	uint32_t number, error;
	int first;

	if (argc < 5)
		return 2;
	number = (uint32_t)strtoul(argv[1], NULL, 10);
	first = (int)strtol(argv[2], NULL, 10);
	error = (uint32_t)strtoul(argv[3], NULL, 10);
	{
		struct sock_filter filter[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
			BPF_JUMP(BPF_JMP | (first < 0 ? BPF_JGE : BPF_JEQ) | BPF_K,
				 first < 0 ? 0 : (uint32_t)first, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		};
		const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
			perror("seccomp");
			return 77;
		}
	}
	(void)execvp(argv[4], argv + 4);
	perror(argv[4]);
	return 127;
}
