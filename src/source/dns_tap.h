/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that servers of names send to this machine, as they come: of the network namespace in
 * which it is opened, and what goes through it to others. Needs root or CAP_NET_RAW. */
#ifndef SOURCE_DNS_TAP_H
#define SOURCE_DNS_TAP_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* Returns 0 or -errno. The descriptor does not block, and is to be closed. */
int dns_tap_open(int *ret, struct err *err);
/* The next packet from its IP header on, at most `size` bytes; 0 = none. *ret_ns: when it came, by
 * CLOCK_MONOTONIC. */
size_t dns_tap_read(int tap, void *ret, size_t size, uint64_t *ret_ns);
/* Packets since the last call that there was no room for. */
uint32_t dns_tap_dropped(int tap);

#endif
