/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contended program of doc/off-cpu.md: four workers price orders and look up each one's tax in
 * a table under one lock. What is not in the table takes 2 ms to get. With an argument they get it
 * before they take the lock. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#define WORKERS 4
#define ORDERS	100

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static double table[WORKERS * ORDERS], total;
static bool early;

static double ask_tax_office(int order) /* stands for a request to another machine */
{
	struct timespec answer = { 0, 2000000 };

	nanosleep(&answer, NULL);
	return order % 7;
}

static double price_of(int order)
{
	double sum = 0;

	for (int i = 1; i < 100000; i++)
		sum += 1.0 / (i + order);
	return sum;
}

static void book(int order, double price)
{
	double tax = early ? ask_tax_office(order) : 0;

	pthread_mutex_lock(&table_lock);
	table[order] = early ? tax : ask_tax_office(order);
	total += price * (1 + table[order] / 100);
	pthread_mutex_unlock(&table_lock);
}

static void *work(void *first)
{
	for (int i = 0; i < ORDERS; i++)
		book(*(int *)first + i, price_of(*(int *)first + i));
	return NULL;
}

int main(int argc, char **argv)
{
	static char *names[] = { "worker-1", "worker-2", "worker-3", "worker-4" };
	pthread_t thread[WORKERS];
	int first[WORKERS];

	(void)argv;
	early = argc > 1;
	for (int i = 0; i < WORKERS; i++) {
		first[i] = i * ORDERS;
		pthread_create(&thread[i], NULL, work, &first[i]);
		pthread_setname_np(thread[i], names[i]);
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	printf("%.2f\n", total);
	return 0;
}
