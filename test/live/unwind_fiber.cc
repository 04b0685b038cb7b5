/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fibers of boost.context that work, for unwind_bare.sh. */
#include <boost/context/fiber.hpp>

static volatile unsigned sink;

extern "C" __attribute__((noinline)) void work(unsigned count)
{
	for (unsigned i = 0; i < count * 1000; i++)
		sink = sink * 3 + i;
}

extern "C" __attribute__((noinline)) void busy(unsigned count)
{
	work(count);
	sink = sink + 1;
}

int main()
{
	for (unsigned i = 0; i < 200; i++) {
		boost::context::fiber fiber{ [](boost::context::fiber &&caller) {
			for (unsigned turn = 0; turn < 5; turn++) {
				busy(300);
				caller = std::move(caller).resume();
			}
			return std::move(caller);
		} };

		while (fiber)
			fiber = std::move(fiber).resume();
	}
}
