// SPDX-License-Identifier: GPL-2.0-only
/* The traced functions. */
#include "target.h"

/*
 * Each function differs from all others by its number, so that the compiler
 * cannot fold them into one. They must stay out of line and keep their
 * arguments: that is what ftrace patches and trampolines see.
 */
#define TARGET(n)							\
	static noinline __used unsigned long				\
	target_function_##n(struct direct_record *record,		\
			    unsigned long value)			\
	{								\
		WRITE_ONCE(record->entered, record->entered + 1);	\
		return target_expected(0x##n, value);			\
	}

#define NAME(n) target_function_##n,

#define TIMES_16(X, h)							\
	X(h##0) X(h##1) X(h##2) X(h##3) X(h##4) X(h##5) X(h##6) X(h##7)	\
	X(h##8) X(h##9) X(h##a) X(h##b) X(h##c) X(h##d) X(h##e) X(h##f)

#define TIMES_256(X)							\
	TIMES_16(X, 0) TIMES_16(X, 1) TIMES_16(X, 2) TIMES_16(X, 3)	\
	TIMES_16(X, 4) TIMES_16(X, 5) TIMES_16(X, 6) TIMES_16(X, 7)	\
	TIMES_16(X, 8) TIMES_16(X, 9) TIMES_16(X, a) TIMES_16(X, b)	\
	TIMES_16(X, c) TIMES_16(X, d) TIMES_16(X, e) TIMES_16(X, f)

TIMES_256(TARGET)

const target_fn target_functions[DIRECT_TARGET_MAX] = { TIMES_256(NAME) };

unsigned long direct_target_ip(unsigned int index)
{
	if (index >= DIRECT_TARGET_MAX)
		return 0;
	return (unsigned long)target_functions[index];
}
EXPORT_SYMBOL_GPL(direct_target_ip);

void notrace direct_target_hit(struct direct_record *record, unsigned int which)
{
	/*
	 * Runs in the worker that owns the record, between its writes before
	 * and its reads after the call.
	 */
	WRITE_ONCE(record->seen, record->seen + 1);
	WRITE_ONCE(record->which, which);
}
EXPORT_SYMBOL_GPL(direct_target_hit);
