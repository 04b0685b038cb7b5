/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Known requests of io_submit, by system calls alone: io_aio FILE reads 40 times 4096 bytes of it,
 * four at a time. */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROUNDS	10
#define AT_ONCE 4

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_DIRECT) : -1;
	struct iocb request[AT_ONCE], *list[AT_ONCE];
	struct io_event done[AT_ONCE];
	aio_context_t context = 0;
	void *page[AT_ONCE];

	if (fd < 0 || syscall(SYS_io_setup, AT_ONCE, &context))
		return 77;
	for (int i = 0; i < AT_ONCE; i++)
		if (posix_memalign(&page[i], 4096, 4096))
			return 1;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < AT_ONCE; i++) {
			memset(&request[i], 0, sizeof(request[i]));
			request[i].aio_lio_opcode = IOCB_CMD_PREAD;
			request[i].aio_fildes = (uint32_t)fd;
			request[i].aio_buf = (uintptr_t)page[i];
			request[i].aio_nbytes = 4096;
			request[i].aio_offset = (round * AT_ONCE + i) * 4096;
			list[i] = &request[i];
		}
		if (syscall(SYS_io_submit, context, AT_ONCE, list) != AT_ONCE ||
		    syscall(SYS_io_getevents, context, AT_ONCE, AT_ONCE, done, NULL) != AT_ONCE)
			return 1;
		for (int i = 0; i < AT_ONCE; i++)
			if (done[i].res != 4096)
				return 1;
	}
	return 0;
}
