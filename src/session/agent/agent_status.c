/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's socket and triggers (see agent_status.h). */
#include "session/agent/agent_status.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/fork_server.h"
#include "base/thread.h"
#include "session/agent/agent.h"
#include "session/agent/agent_dump.h"

#define REQUEST_MAX  4096
#define PATIENCE_S   2 /* for a caller */
#define LATE_BATCHES 4 /* so many intervals without one are no health */
#define SECOND_NS    ((uint64_t)1000000000)

enum agent_request agent_request_parse(const char *line)
{
	static const struct {
		const char *start;
		enum agent_request request;
	} known[] = { { "GET /metrics", AGENT_METRICS },
		      { "GET /health", AGENT_HEALTH },
		      { "POST /dump", AGENT_DUMP } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t len = strlen(known[i].start);

		if (strncmp(line, known[i].start, len) == 0 &&
		    (line[len] == ' ' || line[len] == '?' || line[len] == '\r' || !line[len]))
			return known[i].request;
	}
	return AGENT_UNKNOWN;
}

static void put_figure(struct buf *out, const char *name, const char *type, const char *help,
		       double value)
{
	(void)buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.10g\n", name, help, name, type,
			 name, value);
}

static void put_metrics(const struct agent_figures *f, struct buf *out)
{
	put_figure(out, "cupel_agent_samples_total", "counter", "Samples taken.",
		   (double)f->samples);
	put_figure(out, "cupel_agent_stored_samples_total", "counter", "Samples in the store.",
		   (double)f->stored);
	put_figure(out, "cupel_agent_lost_samples_total", "counter",
		   "Samples that the kernel lost or that could not be stored.", (double)f->lost);
	put_figure(out, "cupel_agent_batches_total", "counter", "Batches stored.",
		   (double)f->batches);
	put_figure(out, "cupel_agent_failed_batches_total", "counter",
		   "Batches that could not be stored.", (double)f->failed_batches);
	put_figure(out, "cupel_agent_restarts_total", "counter",
		   "Recordings begun anew: a reload, or another rate.", (double)f->restarts);
	put_figure(out, "cupel_agent_dumps_total", "counter", "Files of the flight recorder.",
		   (double)f->dumps);
	put_figure(out, "cupel_agent_frequency_hertz", "gauge",
		   "Samples a second on each CPU, at present.", (double)f->frequency_hz);
	put_figure(out, "cupel_agent_wanted_frequency_hertz", "gauge",
		   "The rate that was asked for.", (double)f->wanted_hz);
	put_figure(out, "cupel_agent_processes", "gauge", "Processes with labels in memory.",
		   (double)f->processes);
	put_figure(out, "cupel_agent_cpu_seconds_total", "counter", "CPU time of the agent.",
		   (double)f->cpu_ns / 1e9);
	put_figure(out, "cupel_agent_resident_bytes", "gauge", "Memory of the agent.",
		   (double)f->resident_bytes);
	put_figure(out, "cupel_agent_last_store_timestamp_seconds", "gauge",
		   "When the last batch was stored.", (double)f->last_stored_ns / 1e9);
}

static void put_answer(int status, const char *reason, const struct buf *body, struct buf *out)
{
	(void)buf_printf(out,
			 "HTTP/1.0 %d %s\r\nContent-Type: text/plain; version=0.0.4\r\n"
			 "Content-Length: %zu\r\nConnection: close\r\n\r\n",
			 status, reason, body->len);
	(void)buf_append(out, body->data ? body->data : "", body->len);
}

static bool is_healthy(struct agent_status *status)
{
	uint64_t late = LATE_BATCHES * status->options->interval_ns;
	bool healthy;

	(void)pthread_mutex_lock(&status->lock);
	healthy = status->figures.last_stored_ns &&
		  status->figures.last_stored_ns + late > clock_ns(CLOCK_REALTIME);
	(void)pthread_mutex_unlock(&status->lock);
	return healthy;
}

static int dump(struct agent_status *status, const char *reason, char *path, struct err *err)
{
	char line[4200];
	int code;

	(void)pthread_mutex_lock(&status->lock);
	if (!status->options->keep_ns)
		code = err_set(err, -EINVAL, "the agent keeps nothing: start it with --keep");
	else if (!status->live)
		code = err_set(err, -EAGAIN, "the agent begins a recording right now");
	else
		code = agent_dump(&(struct agent_dump_from){ status->live, status->forks },
				  status->dumps, reason, path, err);
	status->figures.dumps += !code;
	(void)pthread_mutex_unlock(&status->lock);
	if (code)
		(void)snprintf(line, sizeof(line), "flight recorder: %s: %s", reason, err->msg);
	else
		(void)snprintf(line, sizeof(line), "flight recorder: %s: wrote %s", reason, path);
	status->options->say(line);
	return code;
}

/* Not again and again while the reason lasts. */
static void trigger(struct agent_status *status, const char *reason)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct err err = { 0 };
	char path[AGENT_DUMP_PATH];

	if (status->dumped_ns && now - status->dumped_ns < status->options->keep_ns)
		return;
	if (!dump(status, reason, path, &err))
		status->dumped_ns = now;
}

void agent_status_answer(struct agent_status *status, const char *request, struct buf *ret)
{
	struct agent_figures figures;
	struct buf body = { 0 };
	struct err err = { 0 };
	char path[AGENT_DUMP_PATH];

	switch (agent_request_parse(request)) {
	case AGENT_METRICS:
		(void)pthread_mutex_lock(&status->lock);
		figures = status->figures;
		(void)pthread_mutex_unlock(&status->lock);
		put_metrics(&figures, &body);
		put_answer(200, "OK", &body, ret);
		break;
	case AGENT_HEALTH:
		if (is_healthy(status)) {
			(void)buf_puts(&body, "ok\n");
			put_answer(200, "OK", &body, ret);
		} else {
			(void)buf_puts(&body, "nothing was stored lately\n");
			put_answer(503, "Service Unavailable", &body, ret);
		}
		break;
	case AGENT_DUMP:
		if (!status->local) {
			(void)buf_puts(&body, "only on a unix socket\n");
			put_answer(403, "Forbidden", &body, ret);
		} else if (dump(status, "asked", path, &err)) {
			(void)buf_printf(&body, "%s\n", err.msg);
			put_answer(500, "Internal Server Error", &body, ret);
		} else {
			(void)buf_printf(&body, "%s\n", path);
			put_answer(200, "OK", &body, ret);
		}
		break;
	default:
		(void)buf_puts(&body, "GET /metrics, GET /health, POST /dump\n");
		put_answer(404, "Not Found", &body, ret);
	}
	buf_done(&body);
}

static void serve(struct agent_status *status)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	AUTO_CLOSE int fd = accept4(status->listener, NULL, NULL, SOCK_CLOEXEC);
	char request[REQUEST_MAX + 1];
	struct buf answer = { 0 };
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	while (len < REQUEST_MAX && n > 0) {
		request[len] = '\0';
		if (strstr(request, "\r\n\r\n") || strstr(request, "\n\n"))
			break;
		n = recv(fd, request + len, REQUEST_MAX - len, 0);
		len += n > 0 ? (size_t)n : 0;
	}
	request[len] = '\0';
	agent_status_answer(status, request, &answer);
	for (size_t done = 0; done < answer.len; done += (size_t)n) {
		n = send(fd, answer.data + done, answer.len - done, MSG_NOSIGNAL);
		if (n <= 0)
			break;
	}
	buf_done(&answer);
}

static bool was_touched(const struct agent_status *status)
{
	_Alignas(struct inotify_event) char bytes[4096];
	ssize_t len = read(status->touch, bytes, sizeof(bytes));
	bool touched = false;

	for (ssize_t at = 0; at + (ssize_t)sizeof(struct inotify_event) <= len;) {
		const struct inotify_event *event = (const void *)(bytes + at);

		touched |= event->len && strcmp(event->name, status->touched_name) == 0;
		at += (ssize_t)(sizeof(*event) + event->len);
	}
	return touched;
}

/* What a file of pressure reports. */
static void take_pressure(struct agent_status *status, struct pollfd *fd, const char *reason)
{
	char line[128];

	if (fd->revents & POLLPRI)
		trigger(status, reason);
	if (!(fd->revents & (POLLERR | POLLNVAL)))
		return;
	fd->fd = -1;
	(void)snprintf(line, sizeof(line),
		       "flight recorder: %s: the trigger ends, its cgroup is gone", reason);
	status->options->say(line);
}

/* The waits of a cgroup without such a file, once in a window. */
static void look_at_waits(struct agent_status *status)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct agent_pressure *latency = &status->latency;
	uint64_t passed_ms = (now - latency->looked_ns) / 1000000u;
	bool full = latency->full;

	if (!latency->folder[0] || (latency->looked_ns && passed_ms < latency->window_ms))
		return;
	if (agent_pressure_look(latency, now))
		trigger(status, "latency");
	if (latency->full && !full)
		status->options->say("flight recorder: latency: the cgroup has more threads than "
				     "are looked at");
}

static void *watch(void *context)
{
	struct agent_status *status = context;
	struct pollfd fds[] = { { status->listener, POLLIN, 0 },
				{ status->psi.fd, POLLPRI, 0 },
				{ status->touch, POLLIN, 0 },
				{ status->wake, POLLIN, 0 },
				{ status->latency.fd, POLLPRI, 0 } };
	int patience = status->latency.folder[0] ? (int)status->latency.window_ms : -1;
	uint64_t count;

	(void)sem_post(&status->begun);
	for (;;) {
		if (poll(fds, sizeof(fds) / sizeof(fds[0]), patience) < 0 && errno != EINTR)
			break;
		if (__atomic_load_n(&status->ending, __ATOMIC_ACQUIRE))
			break;
		if (fds[0].revents)
			serve(status);
		take_pressure(status, &fds[1], "pressure");
		take_pressure(status, &fds[4], "latency");
		look_at_waits(status);
		if (fds[2].revents && was_touched(status))
			trigger(status, "touched");
		if (fds[3].revents && read(status->wake, &count, sizeof(count)) > 0)
			trigger(status, "crash");
	}
	return NULL;
}

static int listen_local(struct agent_status *status, const char *path, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char folder[sizeof(address.sun_path)];
	char *slash;

	if (strlen(path) >= sizeof(address.sun_path))
		return err_usage(err, "%s: the path is too long for a socket", path);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	(void)snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash && slash != folder) {
		*slash = '\0';
		(void)mkdir(folder, 0755); /* bind() says what is wrong */
	}
	status->local = true;
	status->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (status->listener < 0)
		return err_errno(err, "%s", path);
	if (connect(status->listener, (struct sockaddr *)&address, sizeof(address)) == 0)
		return err_set(err, -EADDRINUSE, "%s: another agent listens there", path);
	(void)unlink(path); /* left over */
	if (bind(status->listener, (struct sockaddr *)&address, sizeof(address)) ||
	    chmod(path, 0600) || listen(status->listener, 16))
		return err_errno(err, "%s", path);
	return 0;
}

/* Without users and passwords only programs of this machine may ask. */
static int listen_loopback(struct agent_status *status, const char *text, struct err *err)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	const char *colon = strrchr(text, ':');
	char host[64];
	char *end;
	unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
	int one = 1;

	(void)snprintf(host, sizeof(host), "%.*s", colon ? (int)(colon - text) : 0, text);
	if (!colon || *end || port > UINT16_MAX ||
	    inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host,
		      &address.sin_addr) != 1)
		return err_usage(err, "%s: expected /PATH or 127.0.0.1:PORT", text);
	if (ntohl(address.sin_addr.s_addr) >> 24 != 127)
		return err_usage(err, "%s: only loopback addresses, which start with 127.", text);
	address.sin_port = htons((uint16_t)port);
	status->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (status->listener < 0)
		return err_errno(err, "%s", text);
	(void)setsockopt(status->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(status->listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(status->listener, 16))
		return err_errno(err, "%s", text);
	return 0;
}

static int open_touch(struct agent_status *status, const char *path, struct err *err)
{
	char folder[4096];
	char *slash;

	(void)snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	(void)snprintf(status->touched_name, sizeof(status->touched_name), "%s",
		       slash ? slash + 1 : path);
	if (slash)
		slash[slash == folder] = '\0';
	else
		(void)snprintf(folder, sizeof(folder), ".");
	status->touch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (status->touch < 0 ||
	    inotify_add_watch(status->touch, folder,
			      IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_MOVED_TO) < 0)
		return err_errno(err, "%s", folder);
	return 0;
}

static int open_all(struct agent_status *status, struct err *err)
{
	const struct agent_options *o = status->options;
	int code = 0;

	status->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (status->wake < 0)
		return err_errno(err, "eventfd");
	if (o->listen)
		code = o->listen[0] == '/' ? listen_local(status, o->listen, err)
					   : listen_loopback(status, o->listen, err);
	if (!code && o->on_psi)
		code = agent_pressure_open(o->on_psi, &status->psi, err);
	if (!code && o->on_latency)
		code = agent_pressure_open_cgroup(o->on_latency, &status->latency, err);
	if (!code && o->on_touch)
		code = open_touch(status, o->on_touch, err);
	if (!code)
		code = thread_start(&status->thread, "status", watch, status, err);
	status->has_thread = !code;
	/* The recording forks next: a child would keep a lock that a thread which begins has. */
	while (!code && sem_wait(&status->begun) && errno == EINTR)
		continue;
	return code;
}

int agent_status_open(struct agent_status *status, const struct agent_options *options,
		      struct err *err)
{
	*status = (struct agent_status){
		.options = options,
		.listener = -1,
		.touch = -1,
		.wake = -1,
		.psi = AGENT_PRESSURE_NONE,
		.latency = AGENT_PRESSURE_NONE,
	};
	(void)pthread_mutex_init(&status->lock, NULL);
	(void)sem_init(&status->begun, 0, 0);
	if (options->dumps)
		(void)snprintf(status->dumps, sizeof(status->dumps), "%s", options->dumps);
	else
		(void)snprintf(status->dumps, sizeof(status->dumps), "%s/dumps",
			       store_is_folder(options->store) ? options->store : STORE_DEFAULT);
	if ((options->keep_ns && fork_server_open(&status->forks, err)) || open_all(status, err))
		agent_status_close(status);
	return err->code;
}

static void wake(struct agent_status *status)
{
	const uint64_t one = 1;

	if (write(status->wake, &one, sizeof(one)) < 0)
		return; /* it is awake already */
}

void agent_status_close(struct agent_status *status)
{
	__atomic_store_n(&status->ending, true, __ATOMIC_RELEASE);
	if (status->has_thread) {
		wake(status);
		(void)pthread_join(status->thread, NULL);
	}
	if (status->local && status->has_thread)
		(void)unlink(status->options->listen);
	fd_close(&status->listener);
	agent_pressure_close(&status->psi);
	agent_pressure_close(&status->latency);
	fd_close(&status->touch);
	fd_close(&status->wake);
	fork_server_close(status->forks);
	(void)pthread_mutex_destroy(&status->lock);
	(void)sem_destroy(&status->begun);
}

void agent_status_set_live(struct agent_status *status, struct live *live)
{
	(void)pthread_mutex_lock(&status->lock);
	status->live = live;
	(void)pthread_mutex_unlock(&status->lock);
}

void agent_status_crash(struct agent_status *status, uint32_t pid, const char *comm)
{
	char line[96];

	(void)snprintf(line, sizeof(line), "%.32s (%" PRIu32 ") got a deadly signal", comm, pid);
	status->options->say(line);
	wake(status);
}
