/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of columns (see activity_tool.h). */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "command/tool/activity/activity_tool.h"
#include "source/id_list.h"
#include "symbol/range_table.h"

#define DEVICE_MINOR_BITS 20

/* A value that needs no more than the activity and its column. */
#define VALUE(name, ...)                                                                \
	void name(const struct activity_run *run, const struct activity_column *column, \
		  const struct activity *from, struct buf *out)                         \
	{                                                                               \
		(void)run;                                                              \
		(void)column;                                                           \
		(void)from;                                                             \
		(void)buf_printf(out, __VA_ARGS__);                                     \
	}

static double seconds_since(const struct activity_run *run, const struct activity *from)
{
	return from->time_ns > run->start_ns ? (double)(from->time_ns - run->start_ns) / 1e9 : 0;
}

static double unit_of(const struct activity_column *column)
{
	return column->unit ? column->unit : 1;
}

static int letter(uint64_t value)
{
	return value > ' ' && value < 0x7f ? (int)value : '?';
}

static int error_of(const struct activity *from)
{
	int64_t result = (int64_t)from->number[CALL_RESULT];

	return result < 0 ? (int)-result : 0;
}

VALUE(put_time, "%s", run->time)
VALUE(put_seconds, "%.*f", column->decimals, seconds_since(run, from))
VALUE(put_age, "%.2f", (double)from->number[column->number] / 1e9)
VALUE(put_pid, "%" PRIu32, from->pid)
VALUE(put_tid, "%" PRIu32, from->tid)
VALUE(put_ppid, "%" PRIu32, from->ppid)
VALUE(put_uid, "%" PRIu32, from->uid)
VALUE(put_comm, "%s", from->comm)
VALUE(put_operation, "%c", letter(from->operation))
VALUE(put_text, "%s", from->text)
VALUE(put_number, "%" PRIu64, from->number[column->number] / (column->unit ? column->unit : 1))
VALUE(put_signed_int, "%" PRId32, (int32_t)from->number[column->number])
VALUE(put_scaled, "%.*f", column->decimals, (double)from->number[column->number] / unit_of(column))
VALUE(put_ns, "%.*f", column->decimals, (double)from->ns / unit_of(column))
VALUE(put_average, "%.*f", column->decimals,
      from->count ? (double)from->ns / (double)from->count / unit_of(column) : 0.0)
VALUE(put_letter, "%c", letter(from->number[column->number]))
VALUE(put_count, "%" PRIu64, from->count)
VALUE(put_errno, "%d", error_of(from))
VALUE(put_major, "%" PRIu64, from->number[column->number] >> DEVICE_MINOR_BITS)
VALUE(put_minor, "%" PRIu64, from->number[column->number] & ((1u << DEVICE_MINOR_BITS) - 1))
VALUE(raw_ns, "%" PRIu64, from->ns)
VALUE(raw_number, "%" PRIu64, from->number[column->number])

static bool is_ipv6(const struct activity *from)
{
	return from->number[TCP_FAMILY] == AF_INET6;
}

static const char *address(const struct activity *from, bool remote, char text[INET6_ADDRSTRLEN])
{
	if (from->text_len < TCP_ADDRESSES ||
	    !inet_ntop(is_ipv6(from) ? AF_INET6 : AF_INET, from->text + (remote ? 16 : 0), text,
		       INET6_ADDRSTRLEN))
		return "?";
	return text;
}

static uint32_t port(const struct activity *from, bool remote)
{
	return from->number[TCP_PORTS] >> (remote ? 0 : 16) & 0xffff;
}

static void put_pair(const struct activity *from, bool remote, struct buf *out)
{
	char text[INET6_ADDRSTRLEN];

	(void)buf_printf(out, "%s:%" PRIu32, address(from, remote, text), port(from, remote));
}

#define ADDRESS_VALUE(name, remote)                                                     \
	void name(const struct activity_run *run, const struct activity_column *column, \
		  const struct activity *from, struct buf *out)                         \
	{                                                                               \
		char text[INET6_ADDRSTRLEN];                                            \
                                                                                        \
		(void)run;                                                              \
		(void)column;                                                           \
		(void)buf_puts(out, address(from, remote, text));                       \
	}

#define PAIR_VALUE(name, remote)                                                        \
	void name(const struct activity_run *run, const struct activity_column *column, \
		  const struct activity *from, struct buf *out)                         \
	{                                                                               \
		(void)run;                                                              \
		(void)column;                                                           \
		put_pair(from, remote, out);                                            \
	}

VALUE(put_ip, "%d", is_ipv6(from) ? 6 : 4)
VALUE(put_local_port, "%" PRIu32, port(from, false))
VALUE(put_remote_port, "%" PRIu32, port(from, true))
ADDRESS_VALUE(put_local, false)
ADDRESS_VALUE(put_remote, true)
PAIR_VALUE(put_local_pair, false)
PAIR_VALUE(put_remote_pair, true)

void put_tcp_state(const struct activity_run *run, const struct activity_column *column,
		   const struct activity *from, struct buf *out)
{
	/* include/net/tcp_states.h */
	static const char *const names[] = { "-",	    "ESTABLISHED", "SYN_SENT",	"SYN_RECV",
					     "FIN_WAIT1",   "FIN_WAIT2",   "TIME_WAIT", "CLOSE",
					     "CLOSE_WAIT",  "LAST_ACK",	   "LISTEN",	"CLOSING",
					     "NEW_SYN_RECV" };
	uint64_t state = from->number[TCP_STATE_OF];

	(void)run;
	(void)column;
	(void)buf_puts(out, state < sizeof(names) / sizeof(*names) ? names[state] : "?");
}

void put_tcp_flags(const struct activity_run *run, const struct activity_column *column,
		   const struct activity *from, struct buf *out)
{
	static const char *const names[] = {
		"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"
	};
	const char *comma = "";

	(void)run;
	(void)column;
	for (int i = 7; i >= 0; i--)
		if (from->number[TCP_FLAGS] >> i & 1) {
			(void)buf_printf(out, "%s%s", comma, names[i]);
			comma = "|";
		}
}

void activity_put_symbol(const struct activity_run *run, uint64_t address_of, bool offset,
			 struct buf *out)
{
	const struct range *range = run->has_kernel ? kallsyms_find(&run->kernel, address_of)
						    : NULL;

	if (!range) {
		(void)buf_printf(out, "0x%" PRIx64, address_of);
		return;
	}
	(void)buf_puts(out, run->kernel.text + range->name);
	if (offset)
		(void)buf_printf(out, "+0x%" PRIx64, address_of - range->start);
}

void activity_put_names(const char *names, size_t len, struct buf *out)
{
	if (!len)
		(void)buf_putc(out, '/');
	while (len) {
		size_t at = len - 1; /* its NUL */

		while (at && names[at - 1])
			at--;
		if (at == len - 1) /* empty: there are more before */
			(void)buf_puts(out, "…");
		else
			(void)buf_printf(out, "/%.*s", (int)(len - 1 - at), names + at);
		len = at;
	}
}

size_t activity_own_frames(const struct activity_run *run, const struct activity *from, size_t at)
{
	static const char caller[] = "bpf_trace_run"; /* of all BPF programs at tracepoints */
	struct buf name = { 0 };
	size_t own = 0;
	uint64_t frame;

	for (size_t i = 0; i < 4 && !own && at + (i + 1) * sizeof(frame) <= from->text_len; i++) {
		memcpy(&frame, from->text + at + i * sizeof(frame), sizeof(frame));
		buf_clear(&name);
		activity_put_symbol(run, frame, false, &name);
		if (strncmp(name.data, caller, sizeof(caller) - 1) == 0)
			own = i + 1;
	}
	buf_done(&name);
	return own;
}

static bool are_ports(const char *list)
{
	int port;

	do
		if (!id_take(&list, 65536, &port) || !port)
			return false;
	while (*list++ == ',');
	return !list[-1];
}

int activity_set_ports(void *field, const char *value, bool negated, struct err *err)
{
	if (!negated && !are_ports(value))
		return option_bad_value(err, value,
					"ports from 1 to 65535 with commas, such as 80,443");
	*(const char **)field = negated ? NULL : value;
	return 0;
}

bool activity_has_port(const char *list, uint32_t wanted)
{
	while (list && *list) {
		int id;

		if (!id_take(&list, 65536, &id))
			return false;
		if ((uint32_t)id == wanted)
			return true;
		if (*list == ',')
			list++;
	}
	return !list;
}

bool activity_has_family(const struct activity_options *o, const struct activity *activity)
{
	if (o->ipv4 == o->ipv6)
		return true;
	return is_ipv6(activity) == o->ipv6;
}
