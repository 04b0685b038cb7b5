/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands and their dispatch; the only place that prints errors and exits. The
 * program's own name does not matter: called `perf` it does the same. */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/suggest.h"
#include "command/command.h"
#include "command/help.h"
#include "command/option/option.h"
#include "command/perf_words.h"
#include "command/reader.h"
#include "command/version.h"

#define THREAD_STACK_BYTES ((size_t)1 << 20)

#define COMMAND(name) extern const struct command cmd_##name;
#include "command/commands.def"
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &cmd_##name,
#include "command/commands.def"
#undef COMMAND
	NULL,
};

static unsigned lost_pages; /* all that the handler of SIGBUS can reach */

const struct command *const *command_all(void)
{
	return commands;
}

static const struct command *find_in(const struct command *const *list, const char *name)
{
	for (; *list; list++)
		if (strcmp(command_last_name(*list), name) == 0)
			return *list;
	return NULL;
}

const struct command *command_find(const char *name)
{
	return find_in(commands, name);
}

static int require_in(const struct command *const *list, const struct command *parent,
		      const char *name, const struct command **ret, struct err *err)
{
	const char *instead = parent ? NULL : perf_word_instead(name);

	struct suggest suggest = { .word = name };

	*ret = find_in(list, name);
	if (*ret)
		return 0;
	for (; *list; list++)
		if (!(*list)->hidden)
			suggest_offer(&suggest, command_last_name(*list));
	if (instead) {
		(void)command_usage(err, "%s: this command of perf is not built yet", name);
		return err_hint(err, "%s", instead);
	}
	(void)command_usage(err, "unknown command '%s'", name);
	if (suggest.count)
		return err_hint(err, "did you mean %s?", suggest.best[0].name);
	return parent ? err_hint(err, "see: cupel %s --help", parent->name)
		      : err_hint(err, "see: cupel help");
}

int command_require(const char *name, const struct command **ret, struct err *err)
{
	return require_in(commands, NULL, name, ret, err);
}

/* Index of the subcommand's name: the first argument that is one, else the first that is not an
 * option; 0: none. */
static int find_sub(const struct command *const *sub, const struct option_words *words)
{
	int word = 0;

	for (int i = 1; i < words->argc; i++) {
		if (find_in(sub, words->argv[i]))
			return i;
		if (!word && words->argv[i][0] != '-')
			word = i;
	}
	return word;
}

/* All words may be those of a program, so only the first one can be a name. */
static int choose_or_otherwise(struct option_words *words, const struct command **ret)
{
	const struct command *parent = *ret, *named = NULL;

	if (words->argc > 1 &&
	    (strcmp(words->argv[1], "--help") == 0 || strcmp(words->argv[1], "-h") == 0))
		return 0;
	if (words->argc > 1)
		named = find_in(parent->sub, words->argv[1]);
	if (named) {
		words->argc--;
		words->argv++;
	}
	*ret = named ? named : parent->otherwise;
	return 0;
}

int command_choose(struct option_words *words, const struct command **ret, struct err *err)
{
	int code = command_require(words->argv[0], ret, err);
	const struct command *parent = *ret, *instead = NULL;
	int at;

	if (!code && words->argc > 1 && strcmp(words->argv[1], "record") == 0)
		instead = parent->record;
	if (!code && words->argc > 1 && strcmp(words->argv[1], "report") == 0)
		instead = parent->report;
	if (instead) {
		*ret = instead;
		words->argc--;
		words->argv++;
		return 0;
	}
	if (code || !parent->sub)
		return code;
	if (parent->otherwise)
		return choose_or_otherwise(words, ret);
	if (words->argc < 2 || strcmp(words->argv[1], "--help") == 0)
		return 0;
	at = find_sub(parent->sub, words);
	if (!at)
		return 0;
	code = require_in(parent->sub, parent, words->argv[at], ret, err);
	if (code)
		return err_wrap(err, "%s", parent->name);
	memmove(words->argv + 2, words->argv + 1, ((size_t)at - 1) * sizeof(*words->argv));
	words->argc--;
	words->argv++;
	words->argv[0] = (char *)(uintptr_t)command_last_name(*ret);
	return 0;
}

static void end_page(int *status, struct err *err)
{
	int code = reader_end_page();

	if (code && *status == EXIT_STATUS_OK)
		*status = err_set(err, code, "standard output: %s", strerror(-code));
}

static int print_buf(struct buf *text)
{
	struct err err = { 0 };
	int status;

	reader_page();
	status = command_write_output(NULL, text, &err);
	buf_done(text);
	end_page(&status, &err);
	if (!status)
		return EXIT_STATUS_OK;
	command_print_error(&err);
	return EXIT_STATUS_FAILED;
}

static int fail(const struct command *command, int status, struct err *err)
{
	(void)err_wrap(err, "%s", command->name);
	if (status == EXIT_STATUS_USAGE && !err->hint[0])
		(void)err_hint(err, "see: cupel %s --help", command->name);
	command_print_error(err);
	return status;
}

static int refuse_file(const char *path, struct err *err)
{
	(void)err;
	return path && strcmp(path, "-") != 0;
}

static bool names_output(const struct command *command, const void *options)
{
	struct err ignored = { 0 };

	return option_check_outputs(command->options, options, refuse_file, &ignored) != 0;
}

static int run_parsed(const struct command *command, void *options, int argc, char **argv)
{
	struct option_words words = { argc, argv };
	struct err err = { 0 };
	int status = option_parse(command, &words, options, &err);

	if (status > 0) {
		struct buf text = { 0 };

		option_help(command, &text);
		return print_buf(&text);
	}
	if (status < 0)
		return fail(command, EXIT_STATUS_USAGE, &err);
	/* what would fail after the program has run fails before */
	if (option_check_outputs(command->options, options, command_check_output, &err))
		return fail(command, EXIT_STATUS_FAILED, &err);
	if (command->reads) {
		bool named = names_output(command, options);

		if (!named)
			reader_page();
		reader_begin(command_words(), !command->names_outputs || named);
	}
	status = command->run(options, words.argc, words.argv, &err);
	end_page(&status, &err);
	if (status < 0)
		return fail(command, err.usage ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED, &err);
	if (status == EXIT_STATUS_USAGE && err.msg[0])
		return fail(command, EXIT_STATUS_USAGE, &err);
	return status;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	void *options = mem_zalloc(command->options_size);
	int status;

	if (command->defaults)
		command->defaults(options);
	status = run_parsed(command, options, argc, argv);
	option_done(command->options, options);
	if (command->done)
		command->done(options);
	free(options);
	return status;
}

int command_run(const struct option_words *words)
{
	return run_command(command_find(words->argv[0]), words->argc, words->argv);
}

/* A command of commands that is named without one of them; word: what follows, or NULL. */
static int explain(const struct command *command, const char *word)
{
	struct buf text = { 0 };
	struct err err = { 0 };

	if (!word)
		return fail(command, command_usage(&err, "missing subcommand"), &err);
	if (strcmp(word, "--help") != 0 && strcmp(word, "-h") != 0)
		return fail(command, command_usage(&err, "%s: missing subcommand", word), &err);
	option_help(command, &text);
	return print_buf(&text);
}

/* The pager sees the first; the others are what happens. */
static bool is_about_pager(const char *word)
{
	return strcmp(word, "--no-pager") == 0 || strcmp(word, "--paginate") == 0 ||
	       strcmp(word, "-p") == 0;
}

/* perf's options in front of the command. Returns the words that they are, or -1. */
static int take_first_options(int argc, char **argv, struct err *err)
{
	static const char name[] = "--buildid-dir";
	size_t len = sizeof(name) - 1;
	int taken = 0;

	for (; taken + 1 < argc; taken++) {
		const char *word = argv[taken + 1], *value;

		if (is_about_pager(word))
			continue;
		if (strncmp(word, name, len) != 0)
			break;
		value = word + len;
		if (*value == '=')
			value++;
		else if (!*value && taken + 2 < argc)
			value = argv[++taken + 1];
		if (!*value || setenv("PERF_BUILDID_DIR", value, true))
			return err_set(err, -1, "%s needs a folder", name);
	}
	return taken;
}

static int dispatch(int argc, char **argv)
{
	struct err err = { 0 };
	int taken = take_first_options(argc, argv, &err);
	struct option_words words = { argc - taken - 1, argv + taken + 1 };
	const struct command *command;
	struct buf answer = { 0 };

	if (taken < 0) {
		command_print_error(&err);
		return EXIT_STATUS_USAGE;
	}
	argc -= taken;
	argv += taken;
	if (argc == 2 && help_answer(NULL, argv[1], &answer))
		return print_buf(&answer);
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		struct buf text = { 0 };

		if (argc < 2)
			help_map(&text);
		else
			help_overview(&text);
		return print_buf(&text);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0) {
		version_print();
		return EXIT_STATUS_OK;
	}
	if (command_choose(&words, &command, &err)) {
		command_print_error(&err);
		return EXIT_STATUS_USAGE;
	}
	if (words.argc > 1 && help_answer(command, words.argv[1], &answer))
		return print_buf(&answer);
	if (command->sub)
		return explain(command, words.argc > 1 ? words.argv[1] : NULL);
	return run_command(command, words.argc, words.argv);
}

/* A file that becomes shorter while it is mapped: the kernel answers a look behind its new end with
 * SIGBUS, and no check beforehand can exclude that. Zeros take the place of the page; whatever
 * reads files must cope with those anyway. mmap() is a plain system call on Linux. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	size_t page_bytes = getauxval(AT_PAGESZ);
	void *page = (void *)((uintptr_t)info->si_addr & ~(page_bytes - 1));

	(void)context;
	if (info->si_code != BUS_ADRERR ||
	    mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED) {
		(void)signal(signal_number, SIG_DFL); /* it comes back at once, and ends us */
		return;
	}
	(void)__atomic_add_fetch(&lost_pages, 1, __ATOMIC_RELAXED);
}

static void outlive_shrinking_files(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };
	struct sigaction old;

	/* Cannot fail for a signal that exists. One that is ignored is so for programs we start,
	 * too. */
	(void)sigaction(SIGBUS, NULL, &old);
	if (old.sa_handler != SIG_IGN)
		(void)sigaction(SIGBUS, &action, NULL);
}

static void on_size_limit(int signal_number)
{
	(void)signal_number;
}

/* A write behind a limit on file sizes (ulimit -f) fails then, as on a full disk, instead of ending
 * us. A program that we start gets the default again, as it would not from a signal that is
 * ignored. */
static void outlive_size_limits(void)
{
	struct sigaction action = { .sa_handler = on_size_limit, .sa_flags = SA_RESTART }, old;

	(void)sigaction(SIGXFSZ, NULL, &old);
	if (old.sa_handler != SIG_IGN)
		(void)sigaction(SIGXFSZ, &action, NULL);
}

/* Large arrays are mappings, which grow without being copied; by itself the allocator takes later
 * ones from its heap once the first are freed. */
static void map_large_arrays(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 64 << 20); /* what is freed is asked for again */
}

/* Under a limit on address space, threads share one heap and have small stacks: by default each of
 * them reserves 64 MiB and more that it does not use. Under a limit on the stack, theirs are not
 * smaller than that. */
static void live_in_little_space(void)
{
	struct rlimit space, stack;
	pthread_attr_t attr;

	if (getrlimit(RLIMIT_AS, &space) || getrlimit(RLIMIT_STACK, &stack) ||
	    (space.rlim_cur == RLIM_INFINITY && stack.rlim_cur >= THREAD_STACK_BYTES))
		return;
	if (space.rlim_cur != RLIM_INFINITY)
		(void)mallopt(M_ARENA_MAX, 1);
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES);
	(void)pthread_setattr_default_np(&attr); /* else they stay as they are */
	(void)pthread_attr_destroy(&attr);
}

struct dispatching {
	int argc;
	char **words;
	int status;
};

/* The start of a context. It takes only integers: the halves of a pointer. */
static void dispatch_on_stack(unsigned high, unsigned low)
{
	struct dispatching *dispatching = (void *)((uintptr_t)((uint64_t)high << 32 | low));

	dispatching->status = dispatch(dispatching->argc, dispatching->words);
}

/* With a stack of its own. The limit stays, for programs that we start. */
static __attribute__((noinline)) int dispatch_with_room(int argc, char **words)
{
	const size_t guard_bytes = 1 << 16; /* a multiple of all page sizes */
	struct dispatching dispatching = { argc, words, EXIT_STATUS_FAILED };
	uint64_t at = (uintptr_t)&dispatching;
	ucontext_t here, there;
	char *stack = mmap(NULL, guard_bytes + THREAD_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

	if (stack == MAP_FAILED || mprotect(stack, guard_bytes, PROT_NONE) || getcontext(&there))
		return dispatch(argc, words); /* it may be enough */
	there.uc_stack.ss_sp = stack + guard_bytes;
	there.uc_stack.ss_size = THREAD_STACK_BYTES;
	there.uc_link = &here;
	makecontext(&there, (void (*)(void))dispatch_on_stack, 2, (unsigned)(at >> 32),
		    (unsigned)at);
	(void)swapcontext(&here, &there); /* fails without memory only, which it does not need */
	return dispatching.status;
}

static bool stack_is_small(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < THREAD_STACK_BYTES;
}

int main(int argc, char **argv)
{
	/* Parsing reorders words, so it works on a copy. */
	char **words = mem_alloc(((size_t)argc + 1) * sizeof(*words));
	int status;

	memcpy(words, argv, ((size_t)argc + 1) * sizeof(*words));
	command_set_words(&(struct option_words){ argc, argv });
	map_large_arrays();
	live_in_little_space();
	outlive_shrinking_files();
	outlive_size_limits();
	status = stack_is_small() ? dispatch_with_room(argc, words) : dispatch(argc, words);
	free(words);
	if (lost_pages)
		command_warn("an input file was truncated while it was read: %u pages were read as "
			     "zeros",
			     lost_pages);
	if ((fflush(stdout) || ferror(stdout)) && status == EXIT_STATUS_OK) {
		(void)fprintf(stderr, "cupel: standard output: cannot write\n");
		status = EXIT_STATUS_FAILED;
	}
	return status;
}
