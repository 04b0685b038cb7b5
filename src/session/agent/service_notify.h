/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a service tells its manager (sd_notify(3)): a datagram to the socket in NOTIFY_SOCKET. */
#ifndef SESSION_AGENT_SERVICE_NOTIFY_H
#define SESSION_AGENT_SERVICE_NOTIFY_H

#include <stdint.h>

/* Lines such as "READY=1\nSTATUS=…". Nothing happens without a manager that listens. */
void service_notify(const char *text);
/* How often the manager wants to hear "WATCHDOG=1": half of its limit; 0 = never. */
uint64_t service_watchdog_ns(void);

#endif
