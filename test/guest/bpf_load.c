/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the programs of BPF objects one by one and prints for each what the kernel's verifier went
 * through: `OBJECT PROGRAM INSTRUCTIONS`, or `OBJECT PROGRAM refused`, with the reason on stderr.
 * A program is loaded alone, so that those meant for other kernels are no trouble to it. What user
 * space would configure is set, so that the verifier sees all the code: switches on, but those
 * named without_SOMETHING, numbers 64.
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

#define LOG_BYTES    (1 << 20)
#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"
#define MOST_TYPES   (64 << 20)

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

/* The end of the verifier's log names the instruction. */
static void show_end(const char *log)
{
	const char *end = log + strlen(log);
	int lines = 0;

	while (end > log && (lines < 12 || end[-1] != '\n'))
		lines += *--end == '\n';
	(void)fputs(end, stderr);
}

/* Sets one variable of the configuration, where it is an integer that has no value yet. */
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

/* Writes the kernel's types without a name into a file. */
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

/* Loads the program of this number, if there is one, and prints what came of it. */
static bool load_program(const char *path, const char *types, int number)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = types);
	struct bpf_object *object = bpf_object__open_file(path, &options);
	const char *slash = strrchr(path, '/');
	char object_name[64];
	struct bpf_program *program, *chosen = NULL;
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);
	char *log = calloc(1, LOG_BYTES);
	int at = 0;

	(void)snprintf(object_name, sizeof(object_name), "%s", slash ? slash + 1 : path);
	object_name[strcspn(object_name, ".")] = '\0';
	if (!object || !log) {
		(void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	bpf_object__for_each_program(program, object)
	{
		(void)bpf_program__set_autoload(program, at == number);
		if (at++ == number)
			chosen = program;
	}
	configure(object);
	if (chosen) {
		(void)bpf_program__set_log_buf(chosen, log, LOG_BYTES);
		printf("%s %s ", object_name, bpf_program__name(chosen));
		if (bpf_object__load(object)) {
			(void)fprintf(stderr, "%s: %s: %s\n", object_name,
				      bpf_program__name(chosen), strerror(errno));
			show_end(log);
			printf("refused\n");
		} else if (bpf_obj_get_info_by_fd(bpf_program__fd(chosen), &info, &len)) {
			printf("unknown\n");
		} else {
			printf("%u\n", info.verified_insns);
		}
	}
	bpf_object__close(object);
	free(log);
	return chosen;
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
		for (int number = 0; load_program(argv[i], types, number); number++)
			;
	return 0;
}
