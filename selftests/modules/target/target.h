/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the parts of direct_target. */
#ifndef TARGET_H
#define TARGET_H

#include <linux/cache.h>
#include <linux/types.h>

#include "direct_target.h"

typedef unsigned long (*target_fn)(struct direct_record *record,
				   unsigned long value);

/* What traced function @index gives back for @value. */
static inline unsigned long target_expected(unsigned int index,
					    unsigned long value)
{
	return value * 3 + index;
}

extern const target_fn target_functions[DIRECT_TARGET_MAX];

/*
 * What holds for every traced function at one moment, as a word that is never
 * the same twice: a sequence number above, phase and trampoline below.
 */
enum target_phase {
	/* No trampoline may be reached. */
	TARGET_DETACHED,
	/* Attaching or detaching: nothing is promised. */
	TARGET_IN_TRANSITION,
	/* Exactly one trampoline is reached: the current one. */
	TARGET_ATTACHED,
	/* Modifying: exactly one trampoline is reached, the old or the new. */
	TARGET_MODIFYING,
};

#define TARGET_WHICH_MASK 0x1UL
#define TARGET_PHASE_SHIFT 1
#define TARGET_PHASE_MASK 0x3UL
#define TARGET_SEQ_SHIFT 3

static inline enum target_phase target_phase(unsigned long state)
{
	return (state >> TARGET_PHASE_SHIFT) & TARGET_PHASE_MASK;
}

/**
 * struct target_counts - the judged calls of one worker
 * @calls: all calls
 * @checked: calls about which something is promised
 * @unchecked: calls that overlap an attach or a detach
 * @missed: reached no trampoline though one was attached all along
 * @doubled: reached more than one
 * @stale: started after a modify had returned, ended before the next began,
 *	   and reached the trampoline of before
 * @late: reached a trampoline though none was attached
 * @corrupted: the traced function was not entered exactly once, or its
 *	       argument or return value did not come through
 */
struct target_counts {
	u64 calls;
	u64 checked;
	u64 unchecked;
	u64 missed;
	u64 doubled;
	u64 stale;
	u64 late;
	u64 corrupted;
};

void target_set_state(enum target_phase phase, unsigned int which);
int target_workers_start(unsigned int workers, unsigned int targets, u64 seed);
void target_workers_stop(struct target_counts *sum);
void target_workers_sum(struct target_counts *sum);

/* Progress of a small generator (xorshift64): cheap, seeded, good enough. */
static inline u64 target_random(u64 *state)
{
	u64 x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x;
}

#endif /* TARGET_H */
