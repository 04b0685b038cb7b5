/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See dns_column.h. An answer is there before the connection that it leads to, so reading what came
 * when a connection is seen finds it. */
#include "command/tool/activity/dns_column.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/fd.h"
#include "command/command.h"
#include "format/dns_names.h"
#include "source/dns_tap.h"

#define PACKET_MAX 4096
#define REMOTE	   16	     /* where it is in `text` */
#define LONG_NS	   100000000 /* between answer and connection: told, as BCC does */

struct dns_column {
	int tap;
	uint64_t dropped;
	struct dns_names *names;
};

int dns_column_open(struct dns_column **ret, struct err *err)
{
	int tap, code = dns_tap_open(&tap, err);

	if (code)
		return code;
	*ret = mem_zalloc(sizeof(**ret));
	(*ret)->tap = tap;
	(*ret)->names = dns_names_new();
	return 0;
}

void dns_column_read(struct dns_column *column)
{
	uint8_t packet[PACKET_MAX];
	uint64_t time_ns;
	size_t len;

	while ((len = dns_tap_read(column->tap, packet, sizeof(packet), &time_ns)))
		dns_names_take(column->names, packet, len, time_ns);
	column->dropped += dns_tap_dropped(column->tap);
}

void dns_column_close(struct dns_column *column)
{
	if (!column)
		return;
	dns_column_read(column);
	if (column->dropped)
		command_warn("%" PRIu64 " answers of DNS were not seen: their names are missing",
			     column->dropped);
	fd_close(&column->tap);
	dns_names_free(column->names);
	free(column);
}

static const char *name_of(const struct activity_run *run, const struct activity *from,
			   uint64_t *ret_ns)
{
	if (!run->dns || from->text_len < TCP_ADDRESSES)
		return NULL;
	return dns_names_find(run->dns->names, from->text + REMOTE,
			      from->number[TCP_FAMILY] == AF_INET6, ret_ns);
}

void put_query(const struct activity_run *run, const struct activity_column *column,
	       const struct activity *from, struct buf *out)
{
	struct buf address = { 0 };
	uint64_t then_ns;
	const char *name = name_of(run, from, &then_ns);

	if (name) {
		(void)buf_puts(out, name);
		if (from->time_ns > then_ns + LONG_NS)
			(void)buf_printf(out, " (%.3fms)", (double)(from->time_ns - then_ns) / 1e6);
		return;
	}
	put_remote(run, column, from, &address);
	(void)buf_puts(out, !strcmp(address.data, "127.0.0.1") || !strcmp(address.data, "::1")
				    ? "localhost"
				    : "No DNS Query");
	buf_done(&address);
}

void raw_query(const struct activity_run *run, const struct activity_column *column,
	       const struct activity *from, struct buf *out)
{
	uint64_t then_ns;
	const char *name = name_of(run, from, &then_ns);

	(void)column;
	if (name)
		(void)buf_put_json(out, name);
	else
		(void)buf_puts(out, "null");
}
