/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of addresses, as answers of DNS tell them: who asked for a name has the address after it.
 * Packets come from the network, so nothing in them is trusted. */
#ifndef FORMAT_DNS_NAMES_H
#define FORMAT_DNS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DNS_ADDRESS 16 /* bytes; the first four of an IPv4 address */

struct dns_names;

struct dns_names *dns_names_new(void);
void dns_names_free(struct dns_names *names); /* NULL is fine */
/* An IP packet, from its IP header on, or as much of it as there is. Anything but an answer of DNS
 * over UDP is ignored. Each address in it has the name that was asked for, until another answer has
 * the address, or until there are too many. */
void dns_names_take(struct dns_names *names, const void *packet, size_t len, uint64_t time_ns);
/* Printable; valid until the next dns_names_take(). NULL = none. *ret_ns: when it was answered. */
const char *dns_names_find(const struct dns_names *names, const void *address, bool ipv6,
			   uint64_t *ret_ns);

#endif
