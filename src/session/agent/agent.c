/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's loop (see agent.h). */
#include "session/agent/agent.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "profile/profile.h"
#include "session/agent/agent_config.h"
#include "session/agent/agent_labels.h"
#include "session/agent/agent_status.h"
#include "session/agent/service_notify.h"
#include "session/live.h"
#include "session/record/recorder.h"
#include "session/run.h"

#define SECOND_NS	 ((uint64_t)1000000000)
#define UPKEEP_NS	 (60 * SECOND_NS)
#define BUDGET_NS	 (60 * SECOND_NS)    /* over which the cost is measured */
#define QUIET_PERIODS	 10		     /* cheap ones before the rate goes up again */
#define KEPT_BYTES	 ((size_t)256 << 20) /* of the flight recorder's records */
#define SWEEP_MS	 1000
#define LATE_NS		 (10 * SECOND_NS) /* that samples may come after their batch */
#define GATHER_MS	 200 /* a third of the cost of 10 ms where many programs start */
#define TABLE_BYTES	 ((uint64_t)24 << 20) /* of unwind tables in the kernel */
#define ALLOCATION_EVENT "kmem:mm_page_alloc"
#define CRASH_EVENT	 "signal:signal_deliver"
#define CRASH_FILTER	 "sig==4||sig==6||sig==7||sig==8||sig==11"

struct agent {
	const struct agent_options *options;
	struct agent_status status;
	struct agent_config config;
	struct agent_labels *labels;
	struct label_set own; /* of all samples: host */
	struct store *store;
	struct live *live;
	struct run *run;
	struct run_timer timer;
	uint64_t frequency_hz;
	bool restart;
	uint64_t begun_ns, stored_ns, kept_ns; /* CLOCK_MONOTONIC */
	uint64_t stopped_ns;		       /* the recording before; 0 = there was none */
	/* the budget's period */
	uint64_t period_ns, period_cpu_ns;
	unsigned quiet;
};

static void say(const struct agent *agent, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct agent *agent, const char *fmt, ...)
{
	char line[700], status[720];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	agent->options->say(line);
	(void)snprintf(status, sizeof(status), "STATUS=%s", line);
	service_notify(status);
}

static uint64_t own_cpu_ns(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND_NS +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static uint64_t own_bytes(void)
{
	struct buf text = { .limit = 4096 };
	struct err ignored = { 0 };
	unsigned long long pages = 0;

	if (!fd_read_file("/proc/self/statm", &text, &ignored))
		(void)sscanf(text.data, "%*u %llu", &pages);
	buf_done(&text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void on_seen(void *context, uint32_t pid, const char *comm)
{
	agent_labels_see(((struct agent *)context)->labels, pid, comm);
}

static void on_fork(void *context, uint32_t pid, uint32_t parent)
{
	agent_labels_fork(((struct agent *)context)->labels, pid, parent);
}

static void on_crash(void *context, uint32_t pid, const char *comm)
{
	agent_status_crash(&((struct agent *)context)->status, pid, comm);
}

/* A clock that differs, or a record that lies, cannot put samples at another time than the batch's:
 * those have the time of its middle. */
static void check_times(struct profile *profile)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), span = profile->meta.duration_ns;
	uint64_t first = now > span + LATE_NS ? now - span - LATE_NS : 0;
	uint64_t middle = now > span / 2 ? now - span / 2 : now;

	for (size_t i = 0; i < profile->samples.count; i++) {
		struct profile_sample *sample = &profile->samples.item[i];

		if (sample->time_ns < first || sample->time_ns > now)
			sample->time_ns = middle;
	}
}

/* A batch of what came since the last time; its samples have their own times. */
static int store_profile(struct agent *agent, struct profile *profile, struct err *err)
{
	struct label_set *sets = mem_zalloc((profile->threads.count + 1) * sizeof(*sets));
	const struct label_set **by_thread =
		mem_zalloc((profile->threads.count + 1) * sizeof(*by_thread));
	int64_t unix_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	struct store_batch batch = { .profile = profile,
				     .labels = &agent->own,
				     .thread_labels = by_thread,
				     .clock_ns = unix_ns };
	int code;

	if (profile->samples.count)
		check_times(profile);
	else /* what was lost has the time of the middle */
		batch.clock_ns =
			(int64_t)(clock_ns(CLOCK_REALTIME) - profile->meta.duration_ns / 2);
	for (size_t i = 0; i < profile->threads.count; i++) {
		agent_labels_get(agent->labels, profile->threads.item[i].pid, &sets[i]);
		by_thread[i] = &sets[i];
	}
	code = store_append(agent->store, &batch, err);
	if (!code)
		code = store_sync(agent->store, err);
	for (size_t i = 0; i < profile->threads.count; i++)
		label_set_done(&sets[i]);
	free(sets);
	free(by_thread);
	return code;
}

/* What fails to be stored is counted and said; sampling goes on. */
static void take_batch(struct agent *agent)
{
	struct profile *profile = live_take(agent->live);
	struct agent_figures *figures = &agent->status.figures;
	uint64_t samples = profile_sample_count(profile);
	struct err err = { 0 };
	bool any = samples || profile->meta.lost_samples;
	int code = any ? store_profile(agent, profile, &err) : 0;

	if (code)
		say(agent, "%" PRIu64 " samples are lost: %s", samples, err.msg);
	(void)pthread_mutex_lock(&agent->status.lock);
	figures->samples += samples;
	figures->stored += code ? 0 : samples;
	figures->lost += profile->meta.lost_samples + (code ? samples : 0);
	figures->batches += !code && any;
	figures->failed_batches += code != 0;
	if (!code)
		figures->last_stored_ns = clock_ns(CLOCK_REALTIME);
	figures->processes = agent_labels_count(agent->labels);
	figures->cpu_ns = own_cpu_ns();
	figures->resident_bytes = own_bytes();
	(void)pthread_mutex_unlock(&agent->status.lock);
	profile_free(profile);
	agent_labels_forget(agent->labels);
}

static void upkeep(struct agent *agent, uint64_t now_ns)
{
	struct err err = { 0 };

	if (agent->kept_ns && now_ns - agent->kept_ns < UPKEEP_NS)
		return;
	agent->kept_ns = now_ns;
	if (store_maintain(agent->store, &agent->options->limits, clock_ns(CLOCK_REALTIME), &err))
		say(agent, "upkeep of the store: %s", err.msg);
}

static void begin_again(struct agent *agent)
{
	agent->restart = true;
	run_finish(agent->run, RUN_COMMAND);
}

/* The rate is halved while the agent costs more than its budget, and doubled again when it has cost
 * less than a quarter for some time. */
static void watch_cost(struct agent *agent, uint64_t now_ns)
{
	uint64_t cpu = own_cpu_ns(), passed = now_ns - agent->period_ns;
	double percent;

	if (!agent->period_ns || passed < BUDGET_NS) {
		if (!agent->period_ns) {
			agent->period_ns = now_ns;
			agent->period_cpu_ns = cpu;
		}
		return;
	}
	percent = 100.0 * (double)(cpu - agent->period_cpu_ns) / (double)passed;
	agent->period_ns = now_ns;
	agent->period_cpu_ns = cpu;
	agent->quiet = percent < agent->options->budget_percent / 4 ? agent->quiet + 1 : 0;
	if (agent->options->budget_percent <= 0)
		return;
	if (percent > agent->options->budget_percent && agent->frequency_hz > 1) {
		agent->frequency_hz /= 2;
		say(agent,
		    "%.2f%% of a CPU is above the budget of %.2f%%: sampling at %" PRIu64
		    " Hz from now on",
		    percent, agent->options->budget_percent, agent->frequency_hz);
		begin_again(agent);
	} else if (agent->quiet >= QUIET_PERIODS &&
		   agent->frequency_hz < agent->status.figures.wanted_hz) {
		agent->quiet = 0;
		agent->frequency_hz *= 2;
		if (agent->frequency_hz > agent->status.figures.wanted_hz)
			agent->frequency_hz = agent->status.figures.wanted_hz;
		say(agent, "below the budget: sampling at %" PRIu64 " Hz again",
		    agent->frequency_hz);
		begin_again(agent);
	}
}

/* Memory that grew with time goes when all begins anew; the store's part is closed as well. */
static void watch_memory(struct agent *agent)
{
	uint64_t most = agent->options->memory_bytes;

	if (!most || agent->status.figures.resident_bytes <= most || agent->restart ||
	    clock_ns(CLOCK_MONOTONIC) - agent->begun_ns < UPKEEP_NS)
		return;
	say(agent,
	    "%" PRIu64 " MB of memory are above the limit of %" PRIu64
	    " MB: the recording begins anew",
	    agent->status.figures.resident_bytes >> 20, most >> 20);
	begin_again(agent);
}

static int on_due(void *context, struct err *err)
{
	struct agent *agent = context;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int code = live_settle(agent->live, agent->run, err);

	if (code)
		return code;
	take_batch(agent);
	upkeep(agent, now);
	watch_cost(agent, now);
	watch_memory(agent);
	service_notify("WATCHDOG=1");
	return 0;
}

static int attend(void *context, struct run *run, struct err *err)
{
	struct agent *agent = context;
	char gap[64] = "";

	(void)err;
	agent->run = run;
	agent->timer = (struct run_timer){ .interval_ns = agent->options->interval_ns,
					   .due = on_due,
					   .context = agent };
	run_add_timer(run, &agent->timer);
	agent_status_set_live(&agent->status, agent->live);
	agent->begun_ns = clock_ns(CLOCK_MONOTONIC);
	if (agent->stopped_ns)
		(void)snprintf(gap, sizeof(gap), ", after %.1f s without samples",
			       (double)(agent->begun_ns - agent->stopped_ns) / 1e9);
	say(agent, "sampling at %" PRIu64 " Hz into %s%s", agent->frequency_hz,
	    agent->options->store, gap);
	service_notify("READY=1");
	return 0;
}

static void add_event(struct recording_options *record, const char *text, bool is_filter)
{
	const struct record_selector selector = { .text = text, .filter = is_filter };

	vec_push(&record->source.selector, selector);
}

/* The rate holds for each event: the kernel takes one of so many that it is met. */
static void choose_events(const struct agent *agent, struct recording_options *record)
{
	const struct agent_options *o = agent->options;

	add_event(record, "cpu-clock", false);
	if (o->faults) {
		add_event(record, "page-faults", false);
		add_event(record, "major-faults", false);
	}
	if (o->allocations)
		add_event(record, ALLOCATION_EVENT, false);
	if (o->on_crash) {
		add_event(record, CRASH_EVENT, false);
		add_event(record, CRASH_FILTER, true);
	}
	record->source.add_off_cpu = !o->no_off_cpu;
	record->source.switch_events = o->keep_ns > 0;
	record->source.clock = (struct recording_clock){ true, CLOCK_MONOTONIC };
	record->source.gather_ms = GATHER_MS;
	record->source.system_wide = !o->pids;
	record->source.pids = o->pids;
	record->source.frequency.hz = agent->frequency_hz;
	record->source.budget.percent = o->budget_percent;
	record->source.budget.none = o->budget_percent <= 0;
}

static struct live_options live_options_of(struct agent *agent)
{
	const struct agent_options *o = agent->options;
	struct live_options live = { .symbol = { .symfs = "", .demangle = true },
				     .stacks = true,
				     /* elsewhere the files are not there to be asked for names */
				     .places = store_is_folder(o->store),
				     .times = true,
				     .sweep_ms = SWEEP_MS,
				     .seen = on_seen,
				     .forked = on_fork,
				     .alarm = o->on_crash ? CRASH_EVENT : NULL,
				     .alarmed = on_crash,
				     .context = agent };

	if (o->keep_ns) {
		live.moments = (size_t)(o->keep_ns / o->interval_ns) + 2;
		live.kept_bytes = KEPT_BYTES;
	}
	return live;
}

/* One recording; *ret_signal is the signal that ended it, 0 = none. */
static int record_once(struct agent *agent, uint64_t left_ns, int *ret_signal, struct err *err)
{
	struct recording_options record = { .attend = attend,
					    .attend_context = agent,
					    .no_names = true,
					    .table_bytes = TABLE_BYTES,
					    .quiet = true,
					    .duration_ns = left_ns };
	struct live_options live = live_options_of(agent);
	struct recording_result result = { 0 };
	int code = live_start(&live, &agent->live, err);

	if (code)
		return code;
	choose_events(agent, &record);
	agent->restart = false;
	code = live_record(agent->live, &record, NULL, &result, err);
	agent->stopped_ns = agent->begun_ns + result.duration_ns;
	agent_status_set_live(&agent->status, NULL);
	*ret_signal = result.stop_signal;
	if (result.notes[0])
		agent->options->say(result.notes);
	if (!code)
		take_batch(agent); /* the rest */
	agent->status.figures.restarts++;
	recording_result_done(&result);
	vec_done(&record.source.selector);
	live_free(agent->live);
	agent->live = NULL;
	(void)malloc_trim(0);
	return code;
}

static int open_store(struct agent *agent, struct err *err)
{
	const struct store_options where = { agent->options->store, true, agent->options->spool };

	store_close(agent->store);
	agent->store = NULL;
	return store_open(&where, &agent->store, err);
}

static void use_config(struct agent *agent)
{
	agent_labels_free(agent->labels);
	agent->labels = agent_labels_new("", &agent->config);
}

/* A mistake in it keeps the old one. */
static void reload(struct agent *agent)
{
	struct agent_config config = { 0 };
	struct err err = { 0 };

	service_notify("RELOADING=1");
	if (agent->options->config && agent_config_read(agent->options->config, &config, &err)) {
		say(agent, "the old configuration stays: %s", err.msg);
		return;
	}
	agent_config_done(&agent->config);
	agent->config = config;
	say(agent, "configuration read again");
}

static int record_all(struct agent *agent, struct err *err)
{
	uint64_t end_ns = agent->options->duration_ns
				  ? clock_ns(CLOCK_MONOTONIC) + agent->options->duration_ns
				  : 0;
	int code = 0, stop = 0;

	for (;;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);

		if (end_ns && now >= end_ns)
			break;
		use_config(agent);
		agent->status.figures.frequency_hz = agent->frequency_hz;
		code = record_once(agent, end_ns ? end_ns - now : 0, &stop, err);
		if (code || (!agent->restart && stop != SIGHUP))
			break;
		if (stop == SIGHUP)
			reload(agent);
		code = open_store(agent, err);
		if (code)
			break;
	}
	return code;
}

int agent_run(const struct agent_options *options, struct err *err)
{
	struct agent agent = { .options = options };
	struct utsname name;
	struct err later = { 0 };
	int code = 0;

	agent.frequency_hz = options->keep_ns ? options->keep_hz : options->frequency_hz;
	if (!uname(&name))
		(void)label_set_put(&agent.own, "host", name.nodename);
	if (options->config)
		code = agent_config_read(options->config, &agent.config, err);
	if (!code)
		code = open_store(&agent, err);
	if (!code)
		code = agent_status_open(&agent.status, options, err);
	if (!code) {
		agent.status.figures.wanted_hz = agent.frequency_hz;
		code = record_all(&agent, err);
		service_notify("STOPPING=1");
		agent_status_close(&agent.status);
	}
	if (agent.store)
		(void)store_maintain(agent.store, &options->limits, clock_ns(CLOCK_REALTIME),
				     &later);
	store_close(agent.store);
	agent_labels_free(agent.labels);
	agent_config_done(&agent.config);
	label_set_done(&agent.own);
	return code;
}

int agent_request_dump(const char *socket_path, char **ret, struct err *err)
{
	static const char request[] = "POST /dump HTTP/1.0\r\n\r\n";
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct buf answer = { .limit = 65536 };
	char piece[4096], *body;
	ssize_t n;

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", socket_path);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0) {
		(void)err_errno(err, "%s", socket_path);
		return err_hint(err, "is an agent running with --listen %s?", socket_path);
	}
	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0)
		if (buf_append(&answer, piece, (size_t)n))
			break;
	body = answer.data ? strstr(answer.data, "\r\n\r\n") : NULL;
	if (!body || strncmp(answer.data, "HTTP/1.0 200", 12) != 0) {
		(void)err_set(err, -EIO, "%s: %.200s", socket_path, body ? body + 4 : "no answer");
		err->msg[strcspn(err->msg, "\n")] = '\0';
	} else {
		*ret = mem_strdup(body + 4);
		(*ret)[strcspn(*ret, "\n")] = '\0';
	}
	buf_done(&answer);
	return err->code;
}
