/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the programs of BPF objects and prints the cost of each one's verification:
 * `OBJECT PROGRAM INSTRUCTIONS MICROSECONDS`, or `OBJECT PROGRAM refused`, with the reason on
 * stderr. If one is refused, each is loaded separately, so that programs for other kernels do not
 * affect the rest. Configuration variables are set so that the verifier sees all code: flags are
 * on, except those named without_SOMETHING, numbers are 64.
 *
 * usage: bpf_load [-w NAME] FILE.bpf.o…
 *   -w NAME  as if the kernel's types were without that name, such as BPF_FUNC_loop: what programs
 *            do on older kernels
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#define SUFFIX	       ".bpf.o"
#define MOST_PROGRAMS  64
#define ALL_PROGRAMS   (-1)
#define LOG_BYTES      (1 << 20)
#define LOG_STEPS      1 /* levels of the verifier's log */
#define LOG_STATISTICS 4
#define KERNEL_TYPES   "/sys/kernel/btf/vmlinux"
#define MOST_TYPES     (64 << 20)

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

/* The end of the verifier's log has the failing instruction. */
static void show_end(const char *log)
{
	const char *end = log + strlen(log);
	int lines = 0;

	while (end > log && (lines < 12 || end[-1] != '\n'))
		lines += *--end == '\n';
	(void)fputs(end, stderr);
}

/* Sets a configuration variable if it is an integer without a value. */
static void configure_variable(const struct btf *btf, const struct btf_var_secinfo *variable,
			       uint8_t *data)
{
	const struct btf_type *type = btf__type_by_id(btf, variable->type);
	const char *name = btf__name_by_offset(btf, type->name_off);
	uint64_t value = 64, zero = 0;

	type = btf__type_by_id(btf, (__u32)btf__resolve_type(btf, type->type));
	if (!btf_is_int(type) || variable->size > sizeof(value) ||
	    memcmp(data + variable->offset, &zero, variable->size))
		return;
	if (btf_int_encoding(type) & BTF_INT_BOOL)
		value = strncmp(name, "without_", strlen("without_")) != 0;
	memcpy(data + variable->offset, &value, variable->size);
}

static void configure(const struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	const struct btf_type *section;
	struct bpf_map *map;
	uint8_t *data;
	size_t len;
	int id;

	bpf_object__for_each_map(map, object)
	{
		if (!strstr(bpf_map__name(map), ".rodata"))
			continue;
		data = (uint8_t *)bpf_map__initial_value(map, &len);
		id = btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC);
		section = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
		for (int i = 0; data && section && i < btf_vlen(section); i++) {
			const struct btf_var_secinfo *variable = btf_var_secinfos(section) + i;

			if (variable->offset + variable->size <= len)
				configure_variable(btf, variable, data);
		}
	}
}

/* Writes the kernel's types, except one name, into a file. */
static void take_out(const char *name, const char *path)
{
	char *types = malloc(MOST_TYPES), *found;
	FILE *from = fopen(KERNEL_TYPES, "r"), *to = fopen(path, "w");
	size_t len = types && from ? fread(types, 1, MOST_TYPES, from) : 0;

	found = len ? memmem(types, len, name, strlen(name) + 1) : NULL;
	if (!found || !to) {
		(void)fprintf(stderr, "%s: not among the kernel's types\n", name);
		exit(1);
	}
	*found = '_';
	if (fwrite(types, 1, len, to) != len || fclose(to)) {
		(void)fprintf(stderr, "%s: cannot be written\n", path);
		exit(1);
	}
	(void)fclose(from);
	free(types);
}

/* The time of a verification in microseconds, from its log. */
static unsigned long verification_us(const char *log)
{
	const char *text = strstr(log, "verification time ");

	return text ? strtoul(text + strlen("verification time "), NULL, 10) : 0;
}

static void print_result(const char *path, const struct bpf_program *program, const char *log)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);

	printf("%.*s %s ", (int)(strlen(name) - strlen(SUFFIX)), name, bpf_program__name(program));
	if (bpf_program__fd(program) < 0)
		printf("refused\n");
	else if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &len))
		printf("unknown\n");
	else
		printf("%u %lu\n", info.verified_insns, verification_us(log));
}

/* Opens an object and loads program `number`, or all. Prints the result of one program, or of all
 * if all were loaded. Returns the number of programs; `*ret`: whether the requested ones were
 * loaded. */
static int load_programs(const char *path, const char *types, int number, bool *ret)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = types);
	struct bpf_object *object = bpf_object__open_file(path, &options);
	struct bpf_program *program;
	char *log[MOST_PROGRAMS] = { 0 };
	int count = 0;

	if (!object) {
		(void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	bpf_object__for_each_program(program, object)
	{
		bool wanted = number == ALL_PROGRAMS || number == count;

		if (count == MOST_PROGRAMS || !(log[count] = calloc(1, LOG_BYTES)))
			exit(1);
		(void)bpf_program__set_autoload(program, wanted);
		(void)bpf_program__set_log_buf(program, log[count++], LOG_BYTES);
		(void)bpf_program__set_log_level(program, number == ALL_PROGRAMS ? LOG_STATISTICS
										 : LOG_STEPS);
	}
	configure(object);
	*ret = !bpf_object__load(object);
	count = 0;
	bpf_object__for_each_program(program, object)
	{
		if (number == count && !*ret) {
			(void)fprintf(stderr, "%s: %s: %s\n", path, bpf_program__name(program),
				      strerror(errno));
			show_end(log[count]);
		}
		if (number == count || (number == ALL_PROGRAMS && *ret))
			print_result(path, program, log[count]);
		free(log[count++]);
	}
	bpf_object__close(object);
	return count;
}

/* All programs at once, or one by one if one is refused. */
static void load_object(const char *path, const char *types)
{
	bool loaded;
	int count = load_programs(path, types, ALL_PROGRAMS, &loaded);

	for (int number = 0; !loaded && number < count; number++) {
		bool alone;

		(void)load_programs(path, types, number, &alone);
	}
}

int main(int argc, char **argv)
{
	const char *types = NULL;
	int first = 1;

	(void)libbpf_set_print(say_nothing);
	if (argc > 2 && strcmp(argv[1], "-w") == 0) {
		types = "types-without";
		take_out(argv[2], types);
		first = 3;
	}
	for (int i = first; i < argc; i++)
		load_object(argv[i], types);
	return 0;
}
