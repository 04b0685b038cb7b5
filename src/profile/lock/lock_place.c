/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of waits for locks (see lock_place.h). */
#include "profile/lock/lock_place.h"

#include <stdbool.h>
#include <string.h>

/* Functions of the kernel that are a lock's own, by how their names begin. */
static const char *const kernel_locks[] = {
	"queued_spin_",
	"native_queued_spin_",
	"__pv_queued_spin_",
	"__raw_spin_",
	"_raw_spin_",
	"_raw_read_",
	"_raw_write_",
	"__raw_read_",
	"__raw_write_",
	"queued_read_",
	"queued_write_",
	"do_raw_",
	"__mutex_lock",
	"mutex_lock",
	"mutex_trylock",
	"down_read",
	"down_write",
	"__down_",
	"rwsem_",
	"rt_mutex_",
	"__rt_mutex_",
	"rt_spin_",
	"percpu_down_",
	"__percpu_down_",
	"percpu_rwsem_",
	"osq_lock",
	"ww_mutex_",
	"__ww_mutex_",
	"schedule",
	"__schedule",
	"up_read",
	"up_write",
	"__up_",
	"mutex_unlock",
	"__mutex_unlock",
	"mutex_spin_on_owner",
	"mutex_optimistic_",
};

/* Of the tracing. */
static const char *const tracing[] = { "bpf_prog_",	 "bpf_trace_run", "__bpf_trace_",
				       "__traceiter_",	 "__bpf_prog_",	  "trace_contention",
				       "trace_call_bpf", "perf_trace_",	  "perf_call_bpf" };

/* Of programs. */
static const char *const user_locks[] = {
	"futex_",
	"__futex_",
	"lll_",
	"__lll_",
	"__GI___lll_",
	"pthread_",
	"__pthread_",
	"___pthread_",
	"__GI___pthread",
	"sem_wait",
	"sem_timed",
	"sem_clock",
	"__new_sem_",
	"___new_sem_",
	"do_futex_",
	"__gthread_",
	"std::mutex",
	"std::__",
	"std::lock",
	"std::unique_lock",
	"std::condition_variable",
	"std::shared_",
	"std::recursive_",
	"std::timed_",
	"std::sys",
	"core::",
	"__GI_pthread",
	"parking_lot",
	"lock_api::",
	"__new_sem",
	"std::thread::park",
	"std::sync",
	"std::scoped_lock",
	"alloc::",
	"syscall",
	"__syscall",
	"mtx_",
	"cnd_",
	"folly::SharedMutex",
	"absl::Mutex",
	"absl::synchronization",
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool begins_with_any(const char *name, const char *const *list, size_t count)
{
	if (strncmp(name, "__GI_", 5) == 0)
		name += 5;
	if (name[0] == '<') /* "<std::sync::Mutex<T> as …>::lock" */
		name++;
	for (size_t i = 0; i < count; i++)
		if (strncmp(name, list[i], strlen(list[i])) == 0)
			return true;
	return false;
}

static const struct frame *frame_of(const struct profile *profile, stack_id stack)
{
	return &profile->frames.item[profile->nodes.item[stack.v].frame.v];
}

static const char *name_of(const struct profile *profile, stack_id stack)
{
	return profile_string(profile, frame_of(profile, stack)->function);
}

static bool is_lock_code(const struct profile *profile, stack_id stack)
{
	const struct frame *frame = frame_of(profile, stack);
	const char *name = name_of(profile, stack);
	const char *module = profile_string(profile, profile->modules.item[frame->module].name);

	if (frame->kind == FRAME_KERNEL)
		return begins_with_any(name, kernel_locks, COUNT(kernel_locks)) ||
		       begins_with_any(name, tracing, COUNT(tracing));
	return !name[0] || begins_with_any(name, user_locks, COUNT(user_locks)) ||
	       strncmp(module, "libc.so", 7) == 0 || strncmp(module, "libpthread", 10) == 0 ||
	       strncmp(module, "libc-2", 6) == 0 || strncmp(module, "ld-musl", 7) == 0;
}

stack_id lock_trim(const struct profile *profile, stack_id stack)
{
	while (stack.v && frame_of(profile, stack)->kind == FRAME_KERNEL &&
	       begins_with_any(name_of(profile, stack), tracing, COUNT(tracing)))
		stack = profile->nodes.item[stack.v].parent;
	return stack;
}

stack_id lock_place(const struct profile *profile, stack_id stack)
{
	while (stack.v && is_lock_code(profile, stack))
		stack = profile->nodes.item[stack.v].parent;
	return stack;
}

struct runtime {
	const char *part, *kind;
	bool is_lock;	    /* it waits for a lock, whatever the word looks like */
	const char *module; /* only functions of it; NULL = of all */
};

static const struct runtime *runtime_of(const struct profile *profile, stack_id stack)
{
	static const struct runtime runtimes[] = {
		{ "pthread_mutex_lock", "mutex", false, NULL },
		{ "pthread_mutex_cond_lock", "mutex", false, NULL },
		{ "std::sys::sync::mutex", "Rust mutex", true, NULL },
		{ "std::sys::unix::locks::futex_mutex", "Rust mutex", true, NULL },
		{ "std::sys::sync::rwlock", "Rust rwlock", true, NULL },
		{ "std::sys::unix::locks::futex_rwlock", "Rust rwlock", true, NULL },
		{ "std::sys::sync::condvar", "Rust condition", false, NULL },
		{ "std::sys::unix::locks::futex_condvar", "Rust condition", false, NULL },
		{ "parking_lot", "parking_lot", false, NULL },
		{ "runtime.lock2", "Go runtime lock", true, NULL },
		{ "runtime.futex", "Go runtime", false, NULL },
		{ "ObjectMonitor::wait", "Java condition", false, "libjvm.so" },
		{ "ObjectMonitor::", "Java monitor", true, "libjvm.so" },
		{ "Unsafe_Park", "Java park", false, "libjvm.so" },
		{ "Monitor::lock", "JVM lock", true, "libjvm.so" },
		{ "Mutex::lock", "JVM lock", true, "libjvm.so" },
		{ "folly::", "folly lock", false, NULL },
		{ "absl::", "absl mutex", false, NULL },
		{ "take_gil", "Python GIL", true, NULL },
		{ "PyThread_acquire_lock", "Python lock", true, NULL },
	};

	for (unsigned depth = 0; stack.v && depth < 16; depth++) {
		uint32_t id = frame_of(profile, stack)->module;
		const char *name = name_of(profile, stack),
			   *module = profile_string(profile, profile->modules.item[id].name);

		for (size_t i = 0; i < COUNT(runtimes); i++)
			if (strstr(name, runtimes[i].part) &&
			    (!runtimes[i].module || strcmp(module, runtimes[i].module) == 0))
				return &runtimes[i];
		stack = profile->nodes.item[stack.v].parent;
	}
	return NULL;
}

const char *lock_runtime_kind(const struct profile *profile, stack_id stack)
{
	const struct runtime *runtime = runtime_of(profile, stack);

	return runtime ? runtime->kind : NULL;
}

bool lock_runtime_is_lock(const struct profile *profile, stack_id stack)
{
	const struct runtime *runtime = runtime_of(profile, stack);

	return runtime && runtime->is_lock;
}

const char *lock_kernel_kind(uint32_t flags)
{
	enum { SPIN = 1, READ = 2, WRITE = 4, RT = 8, PERCPU = 16, MUTEX = 32 };

	switch (flags) {
	case SPIN:
		return "spinlock";
	case SPIN | READ:
		return "rwlock:R";
	case SPIN | WRITE:
		return "rwlock:W";
	case READ:
		return "rwsem:R";
	case WRITE:
		return "rwsem:W";
	case RT:
		return "rt-mutex";
	case RT | READ:
		return "rwlock-rt:R";
	case RT | WRITE:
		return "rwlock-rt:W";
	case PERCPU | READ:
		return "pcpu-sem:R";
	case PERCPU | WRITE:
		return "pcpu-sem:W";
	case MUTEX:
	case MUTEX | SPIN:
		return "mutex";
	default:
		return "unknown";
	}
}
