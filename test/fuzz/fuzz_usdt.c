/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of static probes; the first byte decides class and byte order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/elf_file.h"
#include "proc/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file shape = { 0 };
	struct usdt_list list = { 0 };
	size_t bytes = 0;

	if (!size)
		return 0;
	shape.is_64 = data[0] & 1;
	shape.swap = data[0] >> 1 & 1;
	usdt_parse(&shape, data + 1, size - 1, &list);
	for (size_t i = 0; i < list.probe.count; i++)
		bytes += strlen(list.probe.item[i].provider) + strlen(list.probe.item[i].name) +
			 strlen(list.probe.item[i].arguments);
	if (bytes > size)
		abort();
	usdt_done(&list);
	return 0;
}
