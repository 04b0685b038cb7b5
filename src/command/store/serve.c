/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cupel serve: the web page over a store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "command/command.h"
#include "command/option/option.h"
#include "command/store/serve_token.h"
#include "server/server.h"
#include "server/server_process.h"
#include "session/store/store_input.h"
#include "store/store.h"

#define SECOND_NS ((uint64_t)1000000000)
#define DAY_NS	  (86400 * SECOND_NS)

struct serve_options {
	struct server_options server;
	struct serve_token_options token;
	struct option_list listen, hosts;
	uint64_t duration_ns, processes;
	uint64_t days, hour_days, day_days;
};

#define OWN(field)    OPT(serve_options, field)
#define SERVER(field) OPT(serve_options, server.field)
#define TOKEN(field)  OPT(serve_options, token.field)

static const struct option_def serve_rows[] = {
	{ "store", 0, OPT_STR, "PLACE", SERVER(store),
	  "folder of the store (default /var/lib/cupel)" },
	{ "Addresses", 0, OPT_GROUP, NULL, 0, NULL },
	{ "listen", 0, OPT_LIST, "PLACE", OWN(listen),
	  "where: /PATH of a unix socket, ADDRESS:PORT or [ADDRESS]:PORT "
	  "(default " SERVER_LISTEN_DEFAULT "); may be given several times" },
	{ "host", 0, OPT_LIST, "NAME", OWN(hosts),
	  "another name of this machine that browsers may use for a loopback address" },
	{ "tls-cert", 0, OPT_STR, "FILE", SERVER(tls_cert),
	  "certificate (PEM); addresses that are not loopback need it" },
	{ "tls-key", 0, OPT_STR, "FILE", SERVER(tls_key), "its key (PEM)" },
	{ "Tokens", 0, OPT_GROUP, NULL, 0, NULL },
	{ "tokens", 0, OPT_STR, "FILE", SERVER(tokens),
	  "file of the tokens (default: tokens in the store; of a ClickHouse server "
	  "/var/lib/cupel/tokens)" },
	{ "right", 0, OPT_CHOICE, "RIGHT", TOKEN(right), "token add: what it may do (read)",
	  .choices = "read ingest admin" },
	{ "tenant", 0, OPT_STR, "NAME", TOKEN(tenant),
	  "token add: a store of its own, which is all that it reaches" },
	{ "uid", 0, OPT_STR, "UID", TOKEN(uid),
	  "token add: it shows what this user may see, without the kernel and other users" },
	{ "What was received", 0, OPT_GROUP, NULL, 0, NULL },
	{ "keep-days", 0, OPT_UINT, "DAYS", OWN(days),
	  "delete 10-second resolution after so long (default: never; an agent has its own "
	  "limits)" },
	{ "keep-hours-days", 0, OPT_UINT, "DAYS", OWN(hour_days), "hours after so long" },
	{ "keep-days-days", 0, OPT_UINT, "DAYS", OWN(day_days), "days after so long" },
	{ "disk", 0, OPT_SIZE, "BYTES", SERVER(received.store.bytes),
	  "all files of the store; the oldest go first (default: no limit)" },
	{ "free-disk", 0, OPT_SIZE, "BYTES", SERVER(received.store.free_bytes),
	  "what is left free on the disk; the oldest files go before that (default: no limit)" },
	{ "Limits", 0, OPT_GROUP, NULL, 0, NULL },
	{ "connections", 0, OPT_UINT, "N", SERVER(connections), "at a time (512)" },
	{ "request-size", 0, OPT_SIZE, "BYTES", SERVER(request_bytes),
	  "most that a request may send (64M)" },
	{ "answers", 0, OPT_UINT, "N", OWN(processes), "processes at a time that answer (4)" },
	{ "memory", 0, OPT_SIZE, "BYTES", SERVER(answers.memory_bytes),
	  "of the process that makes an answer (1G); 0 = no limit" },
	{ "timeout", 0, OPT_DURATION, "TIME", SERVER(answers.time_ns), "for an answer (60s)" },
	{ "duration", 0, OPT_DURATION, "TIME", OWN(duration_ns), "end after this time" },
	{ 0 },
};

static void serve_defaults(void *poptions)
{
	struct serve_options *options = poptions;

	server_options_default(&options->server);
	options->server.store = STORE_DEFAULT;
	options->processes = options->server.answers.processes;
}

/* Names of files and hosts may be in it. */
static void print_line(const char *line)
{
	AUTO_FREE char *copy = mem_strdup(line);

	text_tidy(copy, strlen(copy));
	(void)fprintf(stderr, "cupel: serve: %s\n", copy);
}

static int check(const struct serve_options *options, struct err *err)
{
	if (!options->server.connections || options->server.connections > 100000)
		return command_usage(err, "--connections: between 1 and 100000");
	if (!options->processes || options->processes > 1000)
		return command_usage(err, "--answers: between 1 and 1000");
	if (options->server.answers.time_ns < SECOND_NS)
		return command_usage(err, "--timeout: at least 1s");
	return 0;
}

/* A store that is missing is made when something is received: a mistaken name looks the same. */
static int check_store(const char *store, struct err *err)
{
	AUTO_FREE char *folder = mem_strdup(store);
	char *slash = strrchr(folder, '/');
	struct stat st;

	if (!store_is_folder(store))
		return 0;
	if (!stat(store, &st))
		return S_ISDIR(st.st_mode) ? 0 : err_set(err, -ENOTDIR, "%s: not a folder", store);
	if (errno != ENOENT)
		return err_errno(err, "%s", store);
	if (slash && slash != folder) {
		*slash = '\0';
		if (stat(folder, &st))
			return err_errno(err, "%s", folder);
	}
	command_warn("%s: there is no store; it is made when something is received", store);
	return 0;
}

static int serve_run(void *poptions, int argc, char **argv, struct err *err)
{
	struct serve_options *options = poptions;
	struct server_options *o = &options->server;
	struct option_words words = { argc - 1, argv + 1 };
	int status = check(options, err);

	if (status)
		return status;
	if (argc && strcmp(argv[0], "token") == 0)
		return serve_token_run(&options->token, o->store, o->tokens, &words, err);
	if (argc)
		return command_usage(err, "unexpected word '%s'", argv[0]);
	if (check_store(o->store, err))
		return -1;
	o->listen = options->listen.item;
	o->listen_count = options->listen.count;
	o->hosts = options->hosts.item;
	o->host_count = options->hosts.count;
	o->answers.processes = (unsigned)options->processes;
	o->say = print_line;
	o->received.memory_bytes = o->answers.memory_bytes;
	o->received.time_ns = o->answers.time_ns;
	o->received.store.bucket_age_ns = options->days * DAY_NS;
	o->received.store.hour_age_ns = options->hour_days * DAY_NS;
	o->received.store.day_age_ns = options->day_days * DAY_NS;
	return server_process_run(o, options->duration_ns, err) ? -1 : EXIT_STATUS_OK;
}

const struct command cmd_serve = {
	.name = "serve",
	.args = "[options] [token add|list|remove [NAME]]",
	.summary = "show a store in the browser",
	.options = serve_rows,
	.options_size = sizeof(struct serve_options),
	.defaults = serve_defaults,
	.run = serve_run,
};
