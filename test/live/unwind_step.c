/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single-steps a program. At every instruction the unwinder's stack must equal the one that is
 * tracked from calls, returns and signals. x86-64.
 *
 * usage: unwind_step [-e] [-i INSTRUCTIONS] PROGRAM [ARGS…]
 *   -i N: send SIGUSR2, which the program must handle, at every Nth instruction
 *   -e: at each instruction the first time it is reached, but not in the handler
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/ucontext.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/map.h"
#include "live_maps.h"
#include "proc/proc.h"
#include "unwind/unwind.h"

#define STACK_BYTES 65536
#define MAX_SHADOW  1024
#define SHOWN	    20

/* A caller to which no return has happened yet. */
struct call {
	uint64_t pc;   /* the return address */
	uint64_t slot; /* its address on the stack; for an interrupted frame: in its context */
};

struct stepper {
	pid_t pid;
	int memory;
	struct module_table *modules;
	struct proc_table *procs;
	struct unwinder *unwinder;
	struct unwind_cache *cache;
	struct user_regs_struct regs;
	struct call call[MAX_SHADOW];
	size_t calls;
	uint8_t code[16];
	uint64_t steps, wrong, inside_jump, shown, shown_at;
	uint64_t jump_pc, jump_target; /* of the last step inside longjmp */
	uint64_t interruption;	       /* instructions from one signal to the next; 0 = none */
	bool ended;		       /* the program itself */
	bool each;		       /* a signal at each instruction once */
	size_t handling;	       /* calls below the handler of such a signal; 0 = not in it */
	struct map reached;	       /* addresses of instructions */
};

static void read_maps(struct stepper *s)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", s->pid);
	if (fd_read_file(path, &text, &err)) {
		(void)fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	live_maps_apply(s->procs, (uint32_t)s->pid, text.data);
	buf_done(&text);
}

static uint64_t read_word(const struct stepper *s, uint64_t addr)
{
	uint64_t word = 0;

	if (pread(s->memory, &word, sizeof(word), (off_t)addr) != sizeof(word))
		return 0;
	return word;
}

static uint64_t perf_register(const struct user_regs_struct *r, unsigned bit)
{
	const uint64_t value[24] = {
		r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->rsp,
		r->rip, 0,	0,	0,	0,	0,	0,	0,
		r->r8,	r->r9,	r->r10, r->r11, r->r12, r->r13, r->r14, r->r15
	};

	return value[bit];
}

static void unwind(const struct stepper *s, uint64_t *pcs, struct unwind_result *ret)
{
	static uint8_t stack[STACK_BYTES];
	ssize_t len = pread(s->memory, stack, sizeof(stack), (off_t)s->regs.rsp);
	struct unwind_input input = { .mask = 0xff01ff,
				      .stack = stack,
				      .stack_len = len > 0 ? (uint64_t)len : 0 };
	struct thread *thread = proc_table_thread(s->procs, (uint32_t)s->pid, (uint32_t)s->pid);
	uint64_t regs[24];
	size_t count = 0;

	for (unsigned bit = 0; bit < 24; bit++)
		if (input.mask >> bit & 1)
			regs[count++] = perf_register(&s->regs, bit);
	input.regs = regs;
	input.space = thread->process->space;
	unwinder_walk(s->unwinder, s->cache, &input, pcs, ret);
}

static bool matches(const struct stepper *s, const uint64_t *pcs,
		    const struct unwind_result *result)
{
	if (result->stop != STACK_STOP_ROOT || result->count != s->calls + 1 ||
	    pcs[0] != s->regs.rip)
		return false;
	for (size_t i = 0; i < s->calls; i++)
		if (pcs[i + 1] != s->call[s->calls - 1 - i].pc)
			return false;
	return true;
}

static void show(const struct stepper *s, const uint64_t *pcs, const struct unwind_result *result)
{
	struct thread *thread = proc_table_thread(s->procs, (uint32_t)s->pid, (uint32_t)s->pid);
	const struct mapping *mapping = address_space_find(thread->process->space, s->regs.rip);

	printf("step %" PRIu64 ": pc %llx %s+%llx:", s->steps, s->regs.rip,
	       mapping ? mapping->module->name : "?",
	       mapping ? s->regs.rip - mapping->start + mapping->pgoff : 0);
	for (int i = 0; i < 8; i++)
		printf(" %02x", s->code[i]);
	printf("\n  ours %s:", stack_stop_name(result->stop));
	for (size_t i = 1; i < result->count; i++)
		printf(" %" PRIx64, pcs[i]);
	printf("\n  true:");
	for (size_t i = s->calls; i-- > 0;)
		printf(" %" PRIx64, s->call[i].pc);
	printf("\n");
}

/* longjmp's call frame information describes its target as soon as it is known, while the frames
 * above still exist. Then the unwinder's stack is the end of the tracked one, from the target on.
 * `from` is the first frame after longjmp's. */
static bool is_tail(const struct stepper *s, const uint64_t *pcs,
		    const struct unwind_result *result, size_t from)
{
	size_t known = result->count - from; /* and the first of them is the target */

	if (result->stop != STACK_STOP_ROOT || known < 2 || known - 1 > s->calls)
		return false;
	for (size_t i = 1; i < known; i++)
		if (pcs[from + i] != s->call[known - 1 - i].pc)
			return false;
	return true;
}

static bool is_jumping(const struct stepper *s, const uint64_t *pcs,
		       const struct unwind_result *result)
{
	return is_tail(s, pcs, result, 1) && s->regs.rdx == pcs[1];
}

/* The same under a signal handler that interrupted such an instruction. */
static bool is_over_jump(const struct stepper *s, const uint64_t *pcs,
			 const struct unwind_result *result)
{
	for (size_t i = 1; i + 1 < result->count && i <= s->calls; i++) {
		if (pcs[i] != s->call[s->calls - i].pc)
			return false;
		if (pcs[i] == s->jump_pc)
			return pcs[i + 1] == s->jump_target && is_tail(s, pcs, result, i + 1);
	}
	return false;
}

static void check(struct stepper *s)
{
	static uint64_t pcs[UNWIND_MAX_FRAMES];
	struct unwind_result result;

	unwind(s, pcs, &result);
	if (matches(s, pcs, &result))
		return;
	read_maps(s);
	unwind(s, pcs, &result);
	if (matches(s, pcs, &result))
		return;
	if (is_jumping(s, pcs, &result)) {
		s->jump_pc = s->regs.rip;
		s->jump_target = pcs[1];
		s->inside_jump++;
		return;
	}
	if (is_over_jump(s, pcs, &result)) {
		s->inside_jump++;
		return;
	}
	/* Neighbours usually have the same cause. */
	if (s->shown < SHOWN && (s->regs.rip < s->shown_at || s->regs.rip - s->shown_at > 256)) {
		show(s, pcs, &result);
		s->shown++;
	}
	s->shown_at = s->regs.rip;
	s->wrong++;
}

static void push(struct stepper *s, uint64_t pc, uint64_t slot)
{
	if (s->calls == MAX_SHADOW) {
		(void)fprintf(stderr, "calls nest too deep\n");
		exit(1);
	}
	s->call[s->calls++] = (struct call){ pc, slot };
}

static bool is_call(const uint8_t *code)
{
	/* prefixes: REX and the bnd/notrack of control-flow protection */
	while ((*code & 0xf0) == 0x40 || *code == 0xf2 || *code == 0x3e)
		code++;
	return *code == 0xe8 || (*code == 0xff && (code[1] >> 3 & 7) == 2);
}

static bool is_pop(const uint8_t *code)
{
	return (*code >= 0x58 && *code <= 0x5f) ||
	       (*code == 0x41 && code[1] >= 0x58 && code[1] <= 0x5f);
}

/* The instruction in s->code has just run. */
static void follow(struct stepper *s, const struct user_regs_struct *before)
{
	bool sigreturn = s->code[0] == 0x0f && s->code[1] == 0x05 && before->rax == 15;

	if (is_call(s->code) && s->regs.rsp == before->rsp - 8) {
		push(s, read_word(s, s->regs.rsp), s->regs.rsp);
		return;
	}
	if (sigreturn && s->calls) {
		s->calls--;
		return;
	}
	/* vfork() pops its return address from the stack and pushes it back later. */
	if (is_pop(s->code) || s->regs.rsp == before->rsp)
		return;
	while (s->calls && s->call[s->calls - 1].slot < s->regs.rsp)
		s->calls--;
}

/* Whether the program has a handler for a signal. */
static bool is_caught(const struct stepper *s, int signal)
{
	struct buf text = { 0 };
	struct err err = { 0 };
	const char *mask;
	char path[64];
	bool caught;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", s->pid);
	if (!signal || fd_read_file(path, &text, &err))
		return false;
	mask = strstr(text.data, "SigCgt:");
	caught = mask && strtoull(mask + strlen("SigCgt:"), NULL, 16) >> (signal - 1) & 1;
	buf_done(&text);
	return caught;
}

/* At the first instruction of a handler. A system call that is restarted after the handler
 * continues at its own instruction, not after it; only the context has that address. */
static void enter_handler(struct stepper *s)
{
	uint64_t context = s->regs.rdx;

	push(s, read_word(s, context + offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP])),
	     s->regs.rsp + 8);
	push(s, read_word(s, s->regs.rsp), s->regs.rsp);
}

/* One instruction, or the delivery of a signal. False = the program has exited. */
static bool step(struct stepper *s, int deliver)
{
	struct user_regs_struct before = s->regs;
	bool caught = is_caught(s, deliver);
	int status;

	if (ptrace(PTRACE_SINGLESTEP, s->pid, NULL, (void *)(intptr_t)deliver) ||
	    waitpid(s->pid, &status, 0) < 0)
		return false;
	if (!WIFSTOPPED(status)) {
		s->ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
		return false;
	}
	if (ptrace(PTRACE_GETREGS, s->pid, NULL, &s->regs))
		return false;
	if (caught) {
		if (deliver == SIGUSR2)
			s->handling = s->calls + 1;
		enter_handler(s);
		return true;
	}
	if (WSTOPSIG(status) != SIGTRAP) {
		if (s->regs.rip != before.rip) {
			follow(s, &before);
			/* what the next step runs is another instruction */
			(void)pread(s->memory, s->code, sizeof(s->code), (off_t)s->regs.rip);
		}
		return step(s, WSTOPSIG(status));
	}
	follow(s, &before);
	return true;
}

static bool is_due(struct stepper *s)
{
	bool first = false;

	if (s->calls < s->handling)
		s->handling = 0;
	if (s->each && !s->handling)
		(void)map_add(&s->reached, s->regs.rip, &first);
	return first || (s->interruption && s->steps % s->interruption == 0);
}

static void run(struct stepper *s)
{
	bool ready = false; /* the program has installed its handlers */

	do {
		check(s);
		if (pread(s->memory, s->code, sizeof(s->code), (off_t)s->regs.rip) < 2)
			return;
		s->steps++;
		if (ready && is_due(s))
			(void)kill(s->pid, SIGUSR2);
		ready |= s->code[0] == 0x0f && s->code[1] == 0x05 && s->regs.rax == 13;
	} while (step(s, 0));
}

static void start(struct stepper *s, char **argv)
{
	char path[64];
	int status;

	s->pid = fork();
	if (!s->pid) {
		(void)personality(ADDR_NO_RANDOMIZE); /* every run is the same */
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(argv[0], argv);
		_exit(127);
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/mem", s->pid);
	if (s->pid < 0 || waitpid(s->pid, &status, 0) < 0 || !WIFSTOPPED(status)) {
		(void)fprintf(stderr, "cannot trace %s\n", argv[0]);
		exit(77);
	}
	s->memory = open(path, O_RDONLY | O_CLOEXEC);
	(void)ptrace(PTRACE_GETREGS, s->pid, NULL, &s->regs);
	read_maps(s);
}

int main(int argc, char **argv)
{
	static struct stepper s;
	int option;

	while ((option = getopt(argc, argv, "+ei:")) != -1)
		if (option == 'i')
			s.interruption = strtoull(optarg, NULL, 10);
		else if (option == 'e')
			s.each = true;
	if (optind >= argc)
		return 2;
	s.modules = module_table_new();
	s.procs = proc_table_new(s.modules);
	s.unwinder = unwinder_new("");
	s.cache = unwind_cache_new();
	start(&s, argv + optind);
	run(&s);
	printf("%" PRIu64 " instructions, %" PRIu64 " wrong stacks, %" PRIu64 " inside longjmp\n",
	       s.steps, s.wrong, s.inside_jump);
	map_done(&s.reached);
	unwind_cache_free(s.cache);
	unwinder_free(s.unwinder);
	proc_table_free(s.procs);
	module_table_free(s.modules);
	return s.wrong || !s.ended;
}
