/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel agent: samples the machine all the time into a store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/option/option.h"
#include "server/server.h"
#include "server/server_process.h"
#include "session/agent/agent.h"
#include "session/store/store_input.h"

#define SECOND_NS ((uint64_t)1000000000)
#define DAY_NS	  (86400 * SECOND_NS)

/* --serve[=PLACE] */
struct serve_choice {
	bool on;
	const char *place;
};

struct agent_command {
	struct agent_options agent;
	struct serve_choice serve;
	uint64_t days, hour_days, day_days;
	const char *to; /* NULL = the store is here */
};

#define OWN(field)   OPT(agent_command, field)
#define AGENT(field) OPT(agent_command, agent.field)

static int set_percent(void *field, const char *value, bool negated, struct err *err)
{
	double *ret = field;
	char *end;

	if (negated || strcmp(value, "none") == 0) {
		*ret = 0;
		return 0;
	}
	*ret = strtod(value, &end);
	end += *end == '%';
	return *end || !(*ret > 0 && *ret <= 10000)
		       ? option_bad_value(err, value, "a percentage, or none")
		       : 0;
}

#define SPOOL STORE_DEFAULT "/spool"

static int set_serve(void *field, const char *value, bool negated, struct err *err)
{
	(void)err;
	*(struct serve_choice *)field = (struct serve_choice){ !negated, value };
	return 0;
}

static const struct option_def agent_rows[] = {
	{ "Samples", 0, OPT_GROUP, NULL, 0, NULL },
	{ "freq", 'F', OPT_UINT, "HZ", AGENT(frequency_hz), "samples a second on each CPU (19)" },
	{ "no-off-cpu", 0, OPT_FLAG, NULL, AGENT(no_off_cpu), "do not sum up waits" },
	{ "faults", 0, OPT_FLAG, NULL, AGENT(faults),
	  "sample page faults as well: page-faults, and major-faults, which read from a disk" },
	{ "allocations", 0, OPT_FLAG, NULL, AGENT(allocations),
	  "sample memory that the kernel hands out as well: kmem:mm_page_alloc" },
	{ "pid", 'p', OPT_STR, "LIST", AGENT(pids), "only these processes" },
	{ "config", 0, OPT_STR, "FILE", AGENT(config),
	  "labels and rules; read again after SIGHUP (cupel-agent(1))" },
	{ "duration", 0, OPT_DURATION, "TIME", AGENT(duration_ns), "end after this time" },
	{ "interval", 0, OPT_DURATION, "TIME", AGENT(interval_ns),
	  "store what was sampled so often (10s)" },
	{ "Store", 0, OPT_GROUP, NULL, 0, NULL },
	{ "store", 0, OPT_STR, "PLACE", AGENT(store),
	  "folder of the store (default /var/lib/cupel), or clickhouse://HOST/DATABASE" },
	{ "to", 0, OPT_STR, "URL", OWN(to),
	  "send to a server instead: https://HOST[:PORT] of cupel serve, with the token in "
	  "CUPEL_PUSH_TOKEN of the environment, or clickhouse://HOST/DATABASE" },
	{ "spool", 0, OPT_STR, "FOLDER", AGENT(spool),
	  "where samples wait while a server is away (default " SPOOL ")" },
	{ "keep-days", 0, OPT_UINT, "DAYS", OWN(days), "keep 10-second resolution (7)" },
	{ "keep-hours-days", 0, OPT_UINT, "DAYS", OWN(hour_days), "keep hours (90)" },
	{ "keep-days-days", 0, OPT_UINT, "DAYS", OWN(day_days), "keep days (730)" },
	{ "Budget", 0, OPT_GROUP, NULL, 0, NULL },
	{ "budget", 0, OPT_CALL, "PERCENT", AGENT(budget_percent),
	  "CPU time of the agent, of one CPU (1%); it samples less when it takes more; none = no "
	  "limit",
	  set_percent },
	{ "memory", 0, OPT_SIZE, "BYTES", AGENT(memory_bytes),
	  "memory of the agent (256M); it begins anew when it takes more; 0 = no limit" },
	{ "disk", 0, OPT_SIZE, "BYTES", AGENT(limits.bytes),
	  "all files of the store (2G); the oldest go first; 0 = no limit" },
	{ "free-disk", 0, OPT_SIZE, "BYTES", AGENT(limits.free_bytes),
	  "what is left free on the disk (1G); the oldest files of the store go before that" },
	{ "Flight recorder", 0, OPT_GROUP, NULL, 0, NULL },
	{ "keep", 0, OPT_DURATION, "TIME", AGENT(keep_ns),
	  "hold the samples and context switches of the last TIME in memory, and write them as a "
	  "recording when a trigger fires, or for cupel agent dump" },
	{ "keep-freq", 0, OPT_UINT, "HZ", AGENT(keep_hz),
	  "samples a second on each CPU with --keep (99)" },
	{ "dumps", 0, OPT_STR, "FOLDER", AGENT(dumps),
	  "where recordings are written (default: dumps in the store)" },
	{ "on-psi", 0, OPT_STR, "SPEC", AGENT(on_psi),
	  "trigger: pressure, as RESOURCE:some|full:STALL/WINDOW in ms, such as "
	  "memory:some:150/1000" },
	{ "on-latency", 0, OPT_STR, "SPEC", AGENT(on_latency),
	  "trigger: threads of a cgroup wait, as CGROUP:cpu|memory|io:STALL/WINDOW in ms, such as "
	  "system.slice/web.service:cpu:200/1000" },
	{ "on-touch", 0, OPT_STR, "FILE", AGENT(on_touch),
	  "trigger: the file is made, written or touched" },
	{ "on-crash", 0, OPT_FLAG, NULL, AGENT(on_crash),
	  "trigger: a program gets a deadly signal (SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL)" },
	{ "Page", 0, OPT_GROUP, NULL, 0, NULL },
	{ "serve", 0, OPT_CALL, "[=PLACE]", OWN(serve),
	  "show the store in the browser as well, as cupel serve does (default "
	  "http://" SERVER_LISTEN_DEFAULT "/)",
	  set_serve },
	{ "Status", 0, OPT_GROUP, NULL, 0, NULL },
	{ "listen", 0, OPT_STR, "PLACE", AGENT(listen),
	  "answer GET /metrics and /health on a unix socket (/PATH, also for cupel agent dump) or "
	  "on 127.0.0.1:PORT (default for dump: " AGENT_SOCKET ")" },
	{ 0 },
};

static void agent_defaults(void *poptions)
{
	struct agent_command *options = poptions;

	options->agent = (struct agent_options){ .store = STORE_DEFAULT,
						 .spool = SPOOL,
						 .frequency_hz = 19,
						 .budget_percent = 1,
						 .memory_bytes = (uint64_t)256 << 20,
						 .limits = { .bytes = (uint64_t)2 << 30,
							     .free_bytes = (uint64_t)1 << 30 },
						 .interval_ns = 10 * SECOND_NS,
						 .keep_hz = 99 };
	options->days = 7;
	options->hour_days = 90;
	options->day_days = 730;
}

/* Names of programs and paths may be in it. */
static void print_line(const char *line)
{
	AUTO_FREE char *copy = mem_strdup(line);

	text_tidy(copy, strlen(copy));
	(void)fprintf(stderr, "cupel: agent: %s\n", copy);
}

static int dump(const struct agent_options *options, struct err *err)
{
	char *path = NULL;
	int code = agent_request_dump(options->listen ? options->listen : AGENT_SOCKET, &path, err);

	if (code)
		return -1;
	(void)printf("%s\n", path);
	free(path);
	return EXIT_STATUS_OK;
}

/* The agent, and beside it the server, in a process of its own that ends with this one. */
static int run(const struct agent_options *o, const struct serve_choice *serve, struct err *err)
{
	const char *place = serve->place ? serve->place : SERVER_LISTEN_DEFAULT;
	struct server_options server;
	pid_t pid = 0;
	int code = 0;

	server_options_default(&server);
	server.store = o->store;
	server.listen = &place;
	server.listen_count = 1;
	server.received.store = o->limits;
	server.say = o->say;
	if (serve->on)
		code = server_process_start(&server, &pid, err);
	if (code)
		return code;
	code = agent_run(o, err);
	if (pid)
		server_process_end(pid);
	return code;
}

static int check(const struct agent_options *o, struct err *err)
{
	if (!o->frequency_hz || !o->keep_hz || o->frequency_hz > 10000 || o->keep_hz > 10000)
		return command_usage(err, "the rate must be between 1 and 10000 Hz");
	if (o->interval_ns < SECOND_NS / 10)
		return command_usage(err, "--interval: at least 100ms");
	if (!o->keep_ns && (o->on_psi || o->on_latency || o->on_touch || o->on_crash))
		return command_usage(err, "triggers need --keep");
	return 0;
}

static int agent_command_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct agent_command *options = poptions;
	struct agent_options *o = &options->agent;
	int status = check(o, err);

	if (status)
		return status;
	if (argc == 1 && strcmp(argv[0], "dump") == 0)
		return dump(o, err);
	if (argc)
		return command_usage(err, "unexpected word '%s'", argv[0]);
	if (options->to && store_is_folder(options->to))
		return command_usage(err,
				     "--to: expected https://HOST or clickhouse://HOST/DATABASE");
	if (options->to)
		o->store = options->to;
	if (options->serve.on && strncmp(o->store, "http", 4) == 0)
		return command_usage(
			err,
			"--serve shows a store: not with --to of a server that has its own page");
	o->limits.bucket_age_ns = options->days * DAY_NS;
	o->limits.hour_age_ns = options->hour_days * DAY_NS;
	o->limits.day_age_ns = options->day_days * DAY_NS;
	o->say = print_line;
	return run(o, &options->serve, err) ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_agent = {
	.name = "agent",
	.args = "[options] [dump]",
	.summary = "sample the machine all the time into a store",
	.options = agent_rows,
	.options_size = sizeof(struct agent_command),
	.defaults = agent_defaults,
	.run = agent_command_run,
};
