/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call chains of addresses → chains of places of a batch. Neighbours in time on a CPU mostly share
 * their outer frames: those are not looked up again, here or where stacks are made of them. */
#ifndef SESSION_LOAD_LOAD_CHAIN_H
#define SESSION_LOAD_LOAD_CHAIN_H

#include <stdint.h>

struct capture;
struct capture_chain;
struct load_batch;
struct load_chains;
struct load_options;
struct resolver;
struct address_space;

struct load_chains *load_chains_new(const struct load_options *options,
				    const struct capture *capture, struct resolver *resolver);
/* Appends a chain with user addresses of that space to the batch and returns its number. Finish
 * chains of all batches in the order in which they were added. */
uint32_t load_chains_add(struct load_chains *chains, struct load_batch *batch,
			 const struct address_space *space, uint16_t cpu,
			 const struct capture_chain *chain);
void load_chains_free(struct load_chains *chains); /* NULL is fine */

#endif
