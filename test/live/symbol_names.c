/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for offsets: symbol_names file|raw PATH [PID] (raw: not demangled) | kernel | vdso | jit
 * PID. Reads hexadecimal offsets from stdin and prints a line "NAME+0xOFFSET" or "?" for each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proc/module.h"
#include "symbol/symbolizer.h"

static struct module *find_module(struct module_table *modules, int argc, char **argv)
{
	if (argc >= 3 && (!strcmp(argv[1], "file") || !strcmp(argv[1], "raw")))
		return module_table_named(modules, MODULE_FILE, argv[2],
					  argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0);
	if (argc == 2 && !strcmp(argv[1], "kernel"))
		return module_table_named(modules, MODULE_KERNEL, "[kernel.kallsyms]", 0);
	if (argc == 2 && !strcmp(argv[1], "vdso"))
		return module_table_named(modules, MODULE_VDSO, "[vdso]", 0);
	if (argc == 3 && !strcmp(argv[1], "jit"))
		return module_table_named(modules, MODULE_JIT, "//anon",
					  (uint32_t)strtoul(argv[2], NULL, 10));
	return NULL;
}

int main(int argc, char **argv)
{
	struct symbol_options options = { .demangle = argc > 1 && strcmp(argv[1], "raw") };
	struct module_table *modules = module_table_new();
	struct module *module = find_module(modules, argc, argv);
	struct symbolizer *symbolizer;
	struct symbol symbol;
	char line[64];

	if (!module)
		return 2;
	symbolizer = symbolizer_open(module, &options);
	if (symbolizer_problem(symbolizer))
		(void)fprintf(stderr, "%s: %s\n", module->path, symbolizer_problem(symbolizer));
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t offset = strtoull(line, NULL, 16);

		if (symbolizer_resolve(symbolizer, offset, &symbol))
			printf("%s+0x%jx\n", symbol.frame[symbol.count - 1].name,
			       (uintmax_t)(offset - symbol.start));
		else
			(void)puts("?");
	}
	symbolizer_close(symbolizer);
	module_table_free(modules);
	return 0;
}
