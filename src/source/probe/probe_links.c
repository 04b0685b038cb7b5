/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links between BPF programs and places (see probe_links.h). Numbers and layouts: linux/bpf.h,
 * linux/perf_event.h. */
#include "source/probe/probe_links.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "source/bpf/bpf_error.h"
#include "source/bpf/bpf_kind.h"
#include "source/bpf/bpf_load.h"
#include "source/bpf/thread_filter.h"
#include "source/event_spec/tracepoint.h"
#include "source/probe/probe_choice.h"
#include "source/source.h"

#define UPROBE_DEVICE	"/sys/bus/event_source/devices/uprobe/"
#define MULTI_RETURN	1u
#define MAX_NAMED	8
#define KERNEL_ENOTSUPP 524 /* which libc does not know */
#define SEMAPHORE_SHIFT 32  /* of attr.config */
#define END_MS		50  /* that the end of a command waits for that of its probes */
#define COOKIE_KERNEL	"requires Linux 5.15 or newer"

/* BPF_LINK_CREATE for uprobe_multi: that part of union bpf_attr. */
struct multi_link {
	uint32_t program_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, semaphores, cookies;
	uint32_t count, multi_flags, pid, reserved;
};

/* The same for perf events. */
struct event_link {
	uint32_t program_fd, event_fd, attach_type, flags;
	uint64_t cookie;
};

/* BPF_RAW_TRACEPOINT_OPEN. */
struct raw_tracepoint {
	uint64_t name;
	uint32_t program_fd, reserved;
	uint64_t cookie;
};

bool probe_links_multi(void)
{
	return bpf_uprobe_multi_try() == 0;
}

/* Since then raw tracepoints have cookies, and the filter by process lets all of its threads pass,
 * not only one. */
static bool is_since_6_10(void)
{
	return bpf_kernel_since(6, 10);
}

struct probe_attach probe_attach_to(const struct probe_choice *choice,
				    const struct source_options *options)
{
	bool multi = !choice->by_event && probe_links_multi();

	return (struct probe_attach){ .choice = choice,
				      .place = choice->places.item,
				      .places = choice->places.count,
				      .attach_type = multi ? ATTACH_UPROBE_MULTI : 0,
				      .pid = options->children ? 0 : thread_filter_pid(options) };
}

void probe_links_prepare(const struct bpf_object_skeleton *skeleton,
			 const struct probe_attach *attach)
{
	for (int i = 0; attach->attach_type && i < skeleton->prog_cnt; i++) {
		struct bpf_program *program = *bpf_skeleton_program(skeleton, i)->prog;

		if (bpf_program__type(program) == BPF_PROG_TYPE_KPROBE)
			(void)bpf_program__set_expected_attach_type(
				program, (enum bpf_attach_type)attach->attach_type);
	}
}

bool probe_links_raw(void)
{
	return is_since_6_10();
}

static int create(int command, void *attr, size_t size)
{
	long fd = syscall(SYS_bpf, command, attr, size);

	return fd < 0 ? -errno : (int)fd;
}

/* Places in one binary, by column. */
struct columns {
	uint64_t *offsets, *semaphores, *cookies;
	const char *path;
};

static int link_range(struct probe_links *links, const struct multi_link *shape,
		      const struct columns *columns, size_t first, size_t count)
{
	struct multi_link link = *shape;
	int fd;

	link.path = (uint64_t)(uintptr_t)columns->path;
	link.offsets = (uint64_t)(uintptr_t)(columns->offsets + first);
	link.semaphores = (uint64_t)(uintptr_t)(columns->semaphores + first);
	link.cookies = (uint64_t)(uintptr_t)(columns->cookies + first);
	link.count = (uint32_t)count;
	fd = create(BPF_LINK_CREATE, &link, sizeof(link));
	if (fd < 0)
		return fd;
	vec_push(&links->fds, fd);
	return 0;
}

/* One link, unless the kernel refuses an instruction: then the places are halved until it is
 * found. */
static int link_halves(struct probe_links *links, const struct multi_link *shape,
		       const struct columns *columns, size_t first, size_t count)
{
	int code = link_range(links, shape, columns, first, count);

	if (code != -KERNEL_ENOTSUPP && code != -EINVAL)
		return code;
	if (count == 1) {
		vec_push(&links->refused, (uint32_t)columns->cookies[first]);
		return 0;
	}
	code = link_halves(links, shape, columns, first, count / 2);
	if (!code)
		code = link_halves(links, shape, columns, first + count / 2, count - count / 2);
	return code;
}

static int link_binary(struct probe_links *links, int program, const struct probe_attach *attach,
		       uint32_t binary, struct err *err)
{
	const struct probe_choice *choice = attach->choice;
	size_t places = attach->places, count = 0;
	AUTO_FREE uint64_t *column = mem_zalloc((3 * places + 1) * sizeof(*column));
	const struct columns columns = { column, column + places, column + 2 * places,
					 choice->binaries.item[binary] };
	const struct multi_link shape = { .program_fd = (uint32_t)program,
					  .attach_type = attach->attach_type,
					  .multi_flags = attach->at_return ? MULTI_RETURN : 0,
					  .pid = is_since_6_10() ? (uint32_t)attach->pid : 0 };
	int code;

	for (size_t i = 0; i < places; i++) {
		const struct probe_place *place = &attach->place[i];

		if (place->binary != binary)
			continue;
		columns.offsets[count] = place->offset;
		columns.semaphores[count] = place->semaphore;
		columns.cookies[count++] = place->number;
	}
	if (!count)
		return 0;
	code = link_halves(links, &shape, &columns, 0, count);
	return code ? bpf_fail(err, code, columns.path) : 0;
}

/* Attaches to an event, which becomes ours. */
static int link_event(struct probe_links *links, int program, int event, uint64_t cookie)
{
	struct event_link link = { .program_fd = (uint32_t)program,
				   .event_fd = (uint32_t)event,
				   .attach_type = BPF_PERF_EVENT,
				   .cookie = cookie };
	int fd = create(BPF_LINK_CREATE, &link, sizeof(link));

	vec_push(&links->fds, event);
	if (fd >= 0)
		vec_push(&links->fds, fd);
	return fd < 0 ? fd : 0;
}

static int open_event(struct perf_event_attr *attr, int pid)
{
	long fd = syscall(SYS_perf_event_open, attr, pid ? pid : -1, pid ? -1 : 0, -1,
			  PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int check_refused(const struct probe_links *links, const struct probe_attach *attach,
			 struct err *err)
{
	if (!links->refused.count || links->refused.count < attach->places)
		return 0;
	(void)err_set(err, -EOPNOTSUPP, "the kernel cannot probe %s",
		      attach->places == 1 ? "the instruction there" : "the instructions there");
	return err_hint(err, "it probes no instruction with a lock prefix, and none that traps");
}

static int read_device(const char *path, uint32_t *ret, struct err *err)
{
	struct buf text = { .limit = 64 };
	int code = fd_read_file(path, &text, err);

	if (!code) {
		const char *digits = strpbrk(text.data, "0123456789");

		*ret = digits ? (uint32_t)strtoul(digits, NULL, 10) : 0;
	}
	buf_done(&text);
	return code;
}

static int explain_event(int code, const char *path, struct err *err)
{
	(void)bpf_fail(err, code, path);
	if (code == -EACCES || code == -EPERM)
		(void)err_hint(err, "without uprobe_multi (Linux 6.6) the kernel requires "
				    "CAP_SYS_ADMIN for probes in programs: run as root, or let "
				    "record, stat or trace make them in tracefs: --tracefs");
	return err->code;
}

static int link_places(struct probe_links *links, int program, const struct probe_attach *attach,
		       struct err *err)
{
	const struct probe_choice *choice = attach->choice;
	uint32_t type, return_bit;
	int code = read_device(UPROBE_DEVICE "type", &type, err);

	if (!code)
		code = read_device(UPROBE_DEVICE "format/retprobe", &return_bit, err);
	for (size_t i = 0; !code && i < attach->places; i++) {
		const struct probe_place *place = &attach->place[i];
		const char *path = choice->binaries.item[place->binary];
		struct perf_event_attr attr = { .type = type,
						.size = sizeof(attr),
						.config1 = (uint64_t)(uintptr_t)path,
						.config2 = place->offset };
		int event;

		attr.config = place->semaphore << SEMAPHORE_SHIFT | (uint64_t)attach->at_return
									    << return_bit;
		event = open_event(&attr, attach->pid);
		code = event < 0 ? event : link_event(links, program, event, place->number);
		if (code == -KERNEL_ENOTSUPP) {
			vec_push(&links->refused, place->number);
			code = 0;
		}
		if (code)
			return explain_event(code, path, err);
	}
	return code ? code : check_refused(links, attach, err);
}

int probe_links_places(struct probe_links *links, int program, const struct probe_attach *attach,
		       struct err *err)
{
	int code = 0;

	if (!attach->attach_type)
		return link_places(links, program, attach, err);
	for (uint32_t i = 0; !code && i < attach->choice->binaries.count; i++)
		code = link_binary(links, program, attach, i, err);
	return code ? code : check_refused(links, attach, err);
}

/* Attaches to those of the places that are like that. */
static int link_some(struct probe_links *links, int program, const struct probe_attach *attach,
		     bool (*wanted)(const struct probe_place *place), struct err *err)
{
	AUTO_FREE struct probe_place *place = mem_zalloc((attach->places + 1) * sizeof(*place));
	struct probe_attach some = *attach;

	some.place = place;
	some.places = 0;
	for (size_t i = 0; i < attach->places; i++)
		if (wanted(&attach->place[i]))
			place[some.places++] = attach->place[i];
	return some.places ? probe_links_places(links, program, &some, err) : 0;
}

static bool has_no_exits(const struct probe_place *place)
{
	return !place->has_exits;
}

static bool has_own_exits(const struct probe_place *place)
{
	return place->has_exits && !place->shares_exits;
}

static bool shares_exits(const struct probe_place *place)
{
	return place->shares_exits;
}

int probe_links_ends(struct probe_links *links, const struct probe_ends *ends,
		     const struct probe_attach *attach, struct err *err)
{
	struct probe_attach at_return = *attach, exits = *attach;
	int code;

	at_return.at_return = true;
	exits.place = attach->choice->exits.item;
	exits.places = attach->choice->exits.count;
	code = link_some(links, ends->on_return, &at_return, has_no_exits, err);
	if (!code)
		code = link_some(links, ends->on_leave, &exits, has_own_exits, err);
	if (!code)
		code = link_some(links, ends->on_leave_shared, &exits, shares_exits, err);
	if (!code && ends->on_enter >= 0)
		code = link_some(links, ends->on_enter, attach, shares_exits, err);
	links->refused.count = 0;
	return code;
}

/* Whether the kernel may have it as a raw tracepoint: those that users define may be named like
 * another one. */
static bool may_be_raw(const struct probe_tracepoint *point)
{
	static const char *const not_raw[] = { "probe",	   "kprobes", "uprobes",
					       "syscalls", "ftrace",  "synthetic" };

	for (size_t i = 0; i < sizeof(not_raw) / sizeof(*not_raw); i++)
		if (strncmp(point->category, not_raw[i], strlen(not_raw[i])) == 0)
			return false;
	return true;
}

static int link_raw(struct probe_links *links, int program, const struct probe_tracepoint *point)
{
	struct raw_tracepoint raw = { .name = (uint64_t)(uintptr_t)point->name,
				      .program_fd = (uint32_t)program,
				      .cookie = point->number };
	int fd = create(BPF_RAW_TRACEPOINT_OPEN, &raw, sizeof(raw));

	if (fd < 0)
		return fd;
	vec_push(&links->fds, fd);
	return 0;
}

static int link_tracepoint(struct probe_links *links, int program,
			   const struct probe_tracepoint *point, struct err *err)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	struct arena arena = { 0 };
	const char *tracefs;
	uint64_t id = 0;
	int code = tracefs_find("", &arena, &tracefs, err), event;

	if (!code)
		code = tracepoint_id(tracefs, point->category, point->name, &id, err);
	arena_done(&arena);
	if (code)
		return code;
	attr.config = id;
	event = open_event(&attr, 0);
	code = event < 0 ? event : link_event(links, program, event, point->number);
	if (!code)
		return 0;
	(void)bpf_fail(err, code, point->name);
	if (code == -EINVAL && !err->hint[0])
		(void)err_hint(err, COOKIE_KERNEL);
	return err->code;
}

int probe_links_tracepoints(struct probe_links *links, int raw, int tp,
			    const struct probe_choice *choice, struct err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < choice->tracepoints.count; i++) {
		const struct probe_tracepoint *point = &choice->tracepoints.item[i];

		if (raw < 0 || !may_be_raw(point) || link_raw(links, raw, point))
			code = link_tracepoint(links, tp, point, err);
	}
	return code;
}

void probe_links_note(const struct probe_links *links, const struct probe_choice *choice,
		      struct source *source)
{
	struct buf names = { 0 };

	for (size_t i = 0; i < links->refused.count && i < MAX_NAMED; i++)
		(void)buf_printf(&names, "%s%s", i ? ", " : "",
				 choice->names.item[links->refused.item[i]]);
	if (links->refused.count)
		source_note(source, "the kernel cannot probe %zu of them: %s%s",
			    links->refused.count, names.data,
			    links->refused.count > MAX_NAMED ? ", …" : "");
	buf_done(&names);
}

uint64_t probe_links_missed(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);
	int fd = bpf_program__fd(program);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		return 0;
	return info.recursion_misses;
}

/* The process that has the last descriptors of the links, so that their end is its end. It shares
 * memory that other threads may have been changing: it calls the kernel alone. */
static _Noreturn void detach(const struct probe_links *links)
{
	(void)prctl(PR_SET_NAME, "cupel-detach");
	fd_close_others(links->fds.item, links->fds.count);
	_exit(0);
}

/* The kernel takes milliseconds for each place, seconds for thousands of them: this process does
 * not wait for more than END_MS of it. */
static void detach_apart(struct probe_links *links)
{
	struct pollfd ended = { .fd = -1, .events = POLLIN };
	int pid_fd = -1;
	long pid;

	fd_sort(links->fds.item, links->fds.count);
	/* without a signal at its end, which is nobody's matter */
	pid = syscall(SYS_clone, CLONE_PIDFD, 0, &pid_fd, 0, 0);
	if (pid == 0)
		detach(links);
	for (size_t i = 0; i < links->fds.count; i++)
		(void)close(links->fds.item[i]);
	if (pid < 0)
		return;
	ended.fd = pid_fd;
	(void)poll(&ended, 1, END_MS);
	(void)waitid(P_PIDFD, (id_t)pid_fd, &(siginfo_t){ 0 }, WEXITED | WNOHANG | __WCLONE);
	(void)close(pid_fd);
}

void probe_links_close(struct probe_links *links)
{
	if (links->fds.count)
		detach_apart(links);
	links->fds.count = 0;
	vec_done(&links->fds);
	vec_done(&links->refused);
}
