/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of static probes and their arguments; the first byte decides class and byte order. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/elf_file.h"
#include "proc/usdt.h"
#include "proc/usdt_argument.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_arguments(const char *text)
{
	struct usdt_argument argument;

	for (unsigned i = 0; i < usdt_argument_count(text); i++) {
		(void)usdt_argument_parse(EM_X86_64, text, i, &argument);
		(void)usdt_argument_parse(EM_AARCH64, text, i, &argument);
	}
}

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
	for (size_t i = 0; i < list.probe.count; i++) {
		parse_arguments(list.probe.item[i].arguments);
		bytes += strlen(list.probe.item[i].provider) + strlen(list.probe.item[i].name) +
			 strlen(list.probe.item[i].arguments);
	}
	if (bytes > size)
		abort();
	usdt_done(&list);
	return 0;
}
