/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A packet from a server of names; its last 16 bytes are looked up. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "format/dns_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *packet = mem_alloc(size); /* nothing may look past the end */
	struct dns_names *names = dns_names_new();
	const char *name;
	uint64_t time_ns;

	memcpy(packet, data, size);
	dns_names_take(names, packet, size, 1);
	dns_names_take(names, packet, size, 2);
	for (int ipv6 = 0; size >= DNS_ADDRESS && ipv6 < 2; ipv6++) {
		name = dns_names_find(names, packet + size - (ipv6 ? DNS_ADDRESS : 4), ipv6,
				      &time_ns);
		if (name && (time_ns != 2 || strlen(name) > 255))
			abort();
	}
	dns_names_free(names);
	free(packet);
	return 0;
}
