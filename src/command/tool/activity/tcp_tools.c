/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel tcplife, tcpconnect, tcpaccept, tcpretrans, tcptop and tcpdrop. */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "command/command.h"
#include "command/option/accepted.h"
#include "command/tool/activity/activity_tool.h"
#include "command/tool/activity/dns_column.h"

#define BY(number) (1u << (number))
#define FAMILY_ROWS                                                      \
	{ "ipv4", '4', OPT_FLAG, NULL, ACTIVITY(ipv4), "only IPv4" },    \
	{                                                                \
		"ipv6", '6', OPT_FLAG, NULL, ACTIVITY(ipv6), "only IPv6" \
	}
#define TIME_ROWS                                                                \
	{ "time", 'T', OPT_FLAG, NULL, ACTIVITY(time), "show the time of day" }, \
	{                                                                        \
		"timestamp", 't', OPT_FLAG, NULL, ACTIVITY(seconds),             \
			"show the time since the first line, in seconds"         \
	}
#define TIME_COLUMNS(width)                                                                    \
	{ "TIME", NULL, -8, .put = put_time, ACTIVITY_ONLY(time) },                            \
	{                                                                                      \
		"TIME(s)", NULL, -8, .put = put_seconds, .decimals = 3, ACTIVITY_ONLY(seconds) \
	}
#define PORTS_ROW(name, letter, field, help)                                                      \
	{                                                                                         \
		name, letter, OPT_CALL, "PORTS", ACTIVITY(field), help, .set = activity_set_ports \
	}
#define UID_COLUMN                                                                   \
	{                                                                            \
		"UID", "uid", -6, .put = put_uid, .raw = put_uid, ACTIVITY_ONLY(uid) \
	}
#define PID_COLUMN(width)                                           \
	{                                                           \
		"PID", "pid", width, .put = put_pid, .raw = put_pid \
	}

static uint32_t local_port(const struct activity *activity)
{
	return activity->number[TCP_PORTS] >> 16 & 0xffff;
}

static uint32_t remote_port(const struct activity *activity)
{
	return activity->number[TCP_PORTS] & 0xffff;
}

static bool wants_connection(const struct activity_options *o, const struct activity *activity)
{
	return activity_has_family(o, activity) &&
	       activity_has_port(o->local_ports, local_port(activity)) &&
	       activity_has_port(o->remote_ports, remote_port(activity));
}

/* With -c another tool counts. */
struct two_tools {
	const struct activity_tool *list, *count;
};

static int run_either(const struct two_tools *tools, const void *options, struct option_words words,
		      struct err *err)
{
	const struct activity_options *o = options;

	if (o->counts && (o->local_port || o->sequence || o->seconds || o->uid || o->dns))
		return command_usage(
			err, "-c counts: it cannot be combined with columns of single ones");
	return tool_main(o->counts ? &tools->count->tool : &tools->list->tool, options, words, err);
}

static void put_blank(const struct activity_run *run, struct buf *out)
{
	(void)run;
	(void)buf_putc(out, '\n');
}

/* tcplife */

static const struct activity_column life_columns[] = {
	TIME_COLUMNS(9),
	PID_COLUMN(-5),
	{ "COMM", "comm", -10, 10, put_comm, ACTIVITY_NEVER(wide) },
	{ "COMM", NULL, -16, .put = put_comm, ACTIVITY_ONLY(wide) },
	{ "IP", "ip", -2, .put = put_ip, .raw = put_ip, ACTIVITY_ONLY(wide) },
	{ "LADDR", "local_address", -15, .put = put_local, ACTIVITY_NEVER(wide) },
	{ "LADDR", NULL, -26, .put = put_local, ACTIVITY_ONLY(wide) },
	{ "LPORT", "local_port", -5, .put = put_local_port, .raw = put_local_port },
	{ "RADDR", "remote_address", -15, .put = put_remote, ACTIVITY_NEVER(wide) },
	{ "RADDR", NULL, -26, .put = put_remote, ACTIVITY_ONLY(wide) },
	{ "RPORT", "remote_port", -5, .put = put_remote_port, .raw = put_remote_port },
	{ "TX_KB", "sent_bytes", 5, .put = put_number, .number = TCP_SENT, .unit = 1024,
	  .raw = raw_number },
	{ "RX_KB", "received_bytes", 5, .put = put_number, .number = TCP_RECEIVED, .unit = 1024,
	  .raw = raw_number },
	{ "MS", "duration_ns", -8, .put = put_ns, .decimals = 2, .unit = 1000000, .raw = raw_ns },
	{ 0 },
};

static const struct option_def life_rows[] = {
	TIME_ROWS,
	{ "wide", 'w', OPT_FLAG, NULL, ACTIVITY(wide), "wide columns, for IPv6 addresses" },
	{ "csv", 's', OPT_FLAG, NULL, ACTIVITY(csv), "values with commas between them" },
	PORTS_ROW("localport", 'L', local_ports, "only these local ports"),
	PORTS_ROW("remoteport", 'D', remote_ports, "only these remote ports"),
	FAMILY_ROWS,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool tcplife = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "tcplife",
	.rules = { .kinds = 1u << ACTIVITY_LIFE },
	.column = life_columns,
	.wants = wants_connection,
};

ACTIVITY_COMMAND(tcplife, .args = "[options] [-- program [arguments]]",
		 .summary = "list TCP connections when they end, with their bytes",
		 .options = life_rows);

/* tcpconnect */

static int choose_connect(const struct activity_options *o, struct activity_choice *choice,
			  struct err *err)
{
	(void)err;
	choice->rules.answered = o->local_port;
	return 0;
}

static const struct activity_column connect_columns[] = {
	TIME_COLUMNS(9),
	UID_COLUMN,
	PID_COLUMN(-7),
	{ "COMM", "comm", -12, 12, put_comm },
	{ "IP", "ip", -2, .put = put_ip, .raw = put_ip },
	{ "SADDR", "local_address", -16, .put = put_local },
	{ "LPORT", "local_port", -6, .put = put_local_port, .raw = put_local_port,
	  ACTIVITY_ONLY(local_port) },
	{ "DADDR", "remote_address", -16, .put = put_remote },
	{ "DPORT", "remote_port", -6, .put = put_remote_port, .raw = put_remote_port },
	{ "QUERY", "query", -5, .put = put_query, .raw = raw_query, ACTIVITY_ONLY(dns) },
	{ 0 },
};

static const struct option_def connect_rows[] = {
	{ "timestamp", 't', OPT_FLAG, NULL, ACTIVITY(seconds),
	  "show the time since the first line, in seconds" },
	PORTS_ROW("port", 'P', remote_ports, "only these remote ports"),
	FAMILY_ROWS,
	{ "lport", 'L', OPT_FLAG, NULL, ACTIVITY(local_port),
	  "show the local port; lines then come when the other side has answered" },
	{ "count", 'c', OPT_FLAG, NULL, ACTIVITY(counts),
	  "count connections by both addresses and the remote port" },
	{ "dns", 'd', OPT_FLAG, NULL, ACTIVITY(dns),
	  "show the name that was asked for when DNS gave the remote address" },
	{ "print-uid", 'U', OPT_FLAG, NULL, ACTIVITY(uid), "show the user id" },
	{ "uid", 'u', OPT_STR, "USER", ACTIVITY(user), "only threads of this user" },
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool tcpconnect = {
	.tool = ACTIVITY_TOOL("Tracing connect "),
	.name = "tcpconnect",
	.rules = { .kinds = 1u << ACTIVITY_CONNECT },
	.column = connect_columns,
	.choose = choose_connect,
	.wants = wants_connection,
};

/* The local port of a connection is chosen after it begins, but for one that was bound. */
static void drop_local_port(struct activity *sum)
{
	sum->number[TCP_PORTS] &= 0xffff;
}

static const struct activity_column connect_count_columns[] = {
	{ "LADDR", "local_address", -25, .put = put_local },
	{ "RADDR", "remote_address", -25, .put = put_remote },
	{ "RPORT", "remote_port", -20, .put = put_remote_port, .raw = put_remote_port },
	{ "CONNECTS", "connects", -10, .put = put_count, .raw = put_count },
	{ 0 },
};

static const struct activity_tool tcpconnect_count = {
	.tool = ACTIVITY_SUMS("Tracing connect "),
	.name = "tcpconnect",
	.rules = { .kinds = 1u << ACTIVITY_CONNECT,
		   .by = ACTIVITY_BY_TEXT | BY(TCP_FAMILY) | BY(TCP_PORTS) },
	.words = ACTIVITY_INTERVAL,
	.column = connect_count_columns,
	.wants = wants_connection,
	.reduce = drop_local_port,
	.put_above = put_blank,
};

static const struct two_tools connect_tools = { &tcpconnect, &tcpconnect_count };

TOOL_COMMAND(tcpconnect, run_either, &connect_tools,
	     .args = "[options] [interval [count]] [-- program [arguments]]",
	     .summary = "list TCP connections that processes make", .options = connect_rows,
	     .options_size = sizeof(struct activity_options), .keeps_dashes = true);

/* tcpaccept */

static const struct activity_column accept_columns[] = {
	TIME_COLUMNS(9),
	PID_COLUMN(-7),
	{ "COMM", "comm", -12, 12, put_comm },
	{ "IP", "ip", -2, .put = put_ip, .raw = put_ip },
	{ "RADDR", "remote_address", -16, .put = put_remote },
	{ "RPORT", "remote_port", -5, .put = put_remote_port, .raw = put_remote_port },
	{ "LADDR", "local_address", -16, .put = put_local },
	{ "LPORT", "local_port", -5, .put = put_local_port, .raw = put_local_port },
	{ 0 },
};

static const struct option_def accept_rows[] = {
	TIME_ROWS,
	PORTS_ROW("port", 'P', local_ports, "only these local ports"),
	FAMILY_ROWS,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool tcpaccept = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "tcpaccept",
	.rules = { .kinds = 1u << ACTIVITY_ACCEPT },
	.column = accept_columns,
	.wants = wants_connection,
};

ACTIVITY_COMMAND(tcpaccept, .args = "[options] [-- program [arguments]]",
		 .summary = "list TCP connections that processes accept", .options = accept_rows);

/* tcpretrans */

static bool wants_family(const struct activity_options *o, const struct activity *activity)
{
	return activity_has_family(o, activity);
}

static void put_type(const struct activity_run *run, const struct activity_column *column,
		     const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	(void)from;
	(void)buf_puts(out, "R>");
}

static const struct activity_column retransmit_columns[] = {
	{ "TIME", NULL, -8, .put = put_time },
	PID_COLUMN(-7),
	{ "IP", "ip", -2, .put = put_ip, .raw = put_ip },
	{ "LADDR:LPORT", "local", -20, .put = put_local_pair },
	{ "T>", NULL, -2, .put = put_type },
	{ "RADDR:RPORT", "remote", -20, .put = put_remote_pair },
	{ "STATE", "state", -12, .put = put_tcp_state },
	{ "SEQ", "sequence", -10, .put = put_number, .number = TCP_SEQUENCE, .raw = raw_number,
	  ACTIVITY_ONLY(sequence) },
	{ 0 },
};

static const struct option_def retransmit_rows[] = {
	{ "count", 'c', OPT_FLAG, NULL, ACTIVITY(counts), "count retransmits by connection" },
	{ "sequence", 's', OPT_FLAG, NULL, ACTIVITY(sequence),
	  "show the next sequence number of the connection" },
	{ .type = OPT_INCLUDE, .include = accepted_tcpretrans_rows },
	FAMILY_ROWS,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool tcpretrans = {
	.tool = ACTIVITY_TOOL("Tracing retransmits "),
	.name = "tcpretrans",
	.rules = { .kinds = 1u << ACTIVITY_RETRANSMIT },
	.column = retransmit_columns,
	.wants = wants_family,
};

static void put_between(const struct activity_run *run, const struct activity_column *column,
			const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	(void)from;
	(void)buf_puts(out, "<->");
}

static const struct activity_column retransmit_count_columns[] = {
	{ "LADDR:LPORT", "local", -20, .put = put_local_pair },
	{ "", NULL, -3, .put = put_between },
	{ "RADDR:RPORT", "remote", -20, .put = put_remote_pair },
	{ "RETRANSMITS", "retransmits", 11, .put = put_count, .raw = put_count },
	{ 0 },
};

static const struct activity_tool tcpretrans_count = {
	.tool = ACTIVITY_SUMS("Tracing retransmits "),
	.name = "tcpretrans",
	.rules = { .kinds = 1u << ACTIVITY_RETRANSMIT,
		   .by = ACTIVITY_BY_TEXT | BY(TCP_FAMILY) | BY(TCP_PORTS) },
	.words = ACTIVITY_INTERVAL,
	.column = retransmit_count_columns,
	.wants = wants_family,
	.put_above = put_blank,
};

static const struct two_tools retransmit_tools = { &tcpretrans, &tcpretrans_count };

TOOL_COMMAND(tcpretrans, run_either, &retransmit_tools,
	     .args = "[options] [interval [count]] [-- program [arguments]]",
	     .summary = "list TCP retransmits", .options = retransmit_rows,
	     .options_size = sizeof(struct activity_options), .keeps_dashes = true);

/* tcptop */

static const struct activity_column top_columns[] = {
	PID_COLUMN(-7),
	{ "COMM", "comm", -12, 12, put_comm },
	{ "LADDR", "local", -21, .put = put_local_pair },
	{ "RADDR", "remote", -21, .put = put_remote_pair },
	{ "RX_KB", "received_bytes", 6, .put = put_number, .number = TCP_RECEIVED, .unit = 1024,
	  .raw = raw_number },
	{ "TX_KB", "sent_bytes", 6, .put = put_number, .number = TCP_SENT, .unit = 1024,
	  .raw = raw_number },
	{ 0 },
};

static const struct option_def top_rows[] = {
	{ .type = OPT_INCLUDE, .include = accepted_activity_rows },
	{ "nosummary", 'S', OPT_FLAG, NULL, ACTIVITY(no_summary), "without the load average" },
	{ "rows", 'r', OPT_UINT, "N", ACTIVITY(max_rows), "print at most N rows (default all)" },
	FAMILY_ROWS,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static int by_bytes(const void *a, const void *b)
{
	const uint64_t *left = ((const struct activity *)a)->number,
		       *right = ((const struct activity *)b)->number;
	uint64_t l = left[TCP_SENT] + left[TCP_RECEIVED], r = right[TCP_SENT] + right[TCP_RECEIVED];

	return l == r ? 0 : l < r ? 1 : -1;
}

static const struct activity_tool tcptop = {
	.tool = ACTIVITY_SUMS("Tracing"),
	.name = "tcptop",
	.rules = { .kinds = 1u << ACTIVITY_TCP_BYTES,
		   .by = ACTIVITY_BY_PID | ACTIVITY_BY_COMM | ACTIVITY_BY_TEXT | BY(TCP_FAMILY) |
			 BY(TCP_PORTS),
		   .summed = BY(TCP_SENT) | BY(TCP_RECEIVED) },
	.words = ACTIVITY_EVERY_SECOND,
	.column = top_columns,
	.wants = wants_family,
	.order = by_bytes,
	.screens = true,
};

ACTIVITY_COMMAND(tcptop, .args = "[options] [interval [count]] [-- program [arguments]]",
		 .summary = "show TCP connections by their bytes", .options = top_rows);

/* tcpdrop */

static void put_drop_stack(const struct activity_run *run, const struct activity_column *column,
			   const struct activity *from, struct buf *out)
{
	uint64_t frame;

	(void)column;
	(void)buf_puts(out, " (");
	put_tcp_flags(run, column, from, out);
	(void)buf_printf(out, ") reason %" PRIu64 " in ", from->number[TCP_REASON]);
	activity_put_symbol(run, from->number[TCP_SEQUENCE], true, out);
	(void)buf_putc(out, '\n');
	for (size_t at =
		     TCP_ADDRESSES + activity_own_frames(run, from, TCP_ADDRESSES) * sizeof(frame);
	     at + sizeof(frame) <= from->text_len; at += sizeof(frame)) {
		memcpy(&frame, from->text + at, sizeof(frame));
		(void)buf_putc(out, '\t');
		activity_put_symbol(run, frame, true, out);
		(void)buf_putc(out, '\n');
	}
	(void)buf_putc(out, '\n');
}

static void put_drop_arrow(const struct activity_run *run, const struct activity_column *column,
			   const struct activity *from, struct buf *out)
{
	(void)run;
	(void)column;
	(void)from;
	(void)buf_putc(out, '>');
}

static void put_place(const struct activity_run *run, const struct activity_column *column,
		      const struct activity *from, struct buf *out)
{
	activity_put_symbol(run, from->number[column->number], false, out);
}

static const struct activity_column drop_columns[] = {
	{ "TIME", NULL, -8, .put = put_time },
	PID_COLUMN(-7),
	{ "IP", "ip", -2, .put = put_ip, .raw = put_ip },
	{ "SADDR:SPORT", "source", -20, .put = put_local_pair },
	{ ">", NULL, -1, .put = put_drop_arrow },
	{ "DADDR:DPORT", "destination", -20, .put = put_remote_pair },
	{ "STATE", "state", -11, .put = put_tcp_state },
	{ "(FLAGS)", "flags", -7, .put = put_tcp_flags, ACTIVITY_ONLY(list) },
	{ "REASON", "reason", -7, .put = put_number, .number = TCP_REASON, .raw = raw_number,
	  ACTIVITY_ONLY(list) },
	{ "PLACE", "place", -7, .put = put_place, .number = TCP_SEQUENCE, ACTIVITY_ONLY(list) },
	{ 0 },
};

static const struct option_def drop_rows[] = {
	FAMILY_ROWS,
	{ .type = OPT_INCLUDE, .include = activity_thread_rows },
	{ .type = OPT_INCLUDE, .include = activity_output_rows },
	{ 0 },
};

static const struct activity_tool tcpdrop = {
	.tool = ACTIVITY_TOOL(NULL),
	.name = "tcpdrop",
	.rules = { .kinds = 1u << ACTIVITY_DROP },
	.column = drop_columns,
	.wants = wants_family,
	.put_rest = put_drop_stack,
};

ACTIVITY_COMMAND(tcpdrop, .args = "[options] [-- program [arguments]]",
		 .summary = "list TCP packets that the kernel drops, with its stack",
		 .options = drop_rows);
