/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TARGET_H
#define TARGET_H

#include <linux/cache.h>
#include <linux/types.h>

#include "direct_target.h"

/*
 * functions.c: what is traced
 */

#define DIRECT_TARGETS_MAX	256
#define DIRECT_WORKERS_MAX	64

/**
 * struct direct_record - what one call of a traced function left behind
 * @seen: how many times a trampoline was reached
 * @reached: bit N is set when trampoline N was reached
 * @ran: how many times the body of the traced function ran
 *
 * Belongs to one worker; the trampoline and the traced function run in that
 * worker's own context, so nobody else ever touches it.
 */
struct direct_record {
	unsigned int seen;
	unsigned int reached;
	unsigned int ran;
};

/*
 * Six arguments fill all argument registers of x86-64, so that a register which
 * a trampoline or ftrace loses shows up in the returned value.
 */
typedef unsigned long direct_target_fn(struct direct_record *record,
				       unsigned long a, unsigned long b,
				       unsigned long c, unsigned long d,
				       unsigned long e);

extern direct_target_fn * const direct_targets[DIRECT_TARGETS_MAX];

/* What target @nr returns. Weights differ, so swapped arguments show as well. */
static inline unsigned long
direct_target_value(unsigned int nr, unsigned long a, unsigned long b,
		    unsigned long c, unsigned long d, unsigned long e)
{
	return nr + a + 3 * b + 5 * c + 7 * d + 9 * e;
}

/*
 * stress.c: the sequence of a run, and its phase for the workers to judge by
 */

/**
 * enum direct_phase - where a run is
 * @DIRECT_IDLE: no run
 * @DIRECT_BEFORE: workers run, attach() was not called yet
 * @DIRECT_ATTACHING: attach() is running
 * @DIRECT_ATTACHED: attached, and no modify() is running
 * @DIRECT_MODIFYING: modify() is running
 * @DIRECT_DETACHING: detach() is running, or has failed
 * @DIRECT_AFTER: detach() has succeeded
 */
enum direct_phase {
	DIRECT_IDLE,
	DIRECT_BEFORE,
	DIRECT_ATTACHING,
	DIRECT_ATTACHED,
	DIRECT_MODIFYING,
	DIRECT_DETACHING,
	DIRECT_AFTER,
};

/*
 * The state word: a sequence number that changes with every transition, the
 * phase, and the trampoline that is attached (in DIRECT_ATTACHED only). Two
 * equal samples mean that there was no transition in between.
 */
#define DIRECT_STATE_PHASE_SHIFT	4
#define DIRECT_STATE_SEQUENCE_SHIFT	8

static inline enum direct_phase direct_state_phase(unsigned long state)
{
	return (state >> DIRECT_STATE_PHASE_SHIFT) & 0xf;
}

static inline unsigned int direct_state_which(unsigned long state)
{
	return state & 0xf;
}

extern unsigned long direct_state;

/**
 * struct direct_request - what a run is asked to do
 * @duration_ms: how long to modify
 * @workers: number of worker threads
 * @targets: number of traced functions
 * @seed: of the waits between modifies
 * @settle_ms: how long workers run before attach() and after detach()
 */
struct direct_request {
	unsigned int duration_ms;
	unsigned int workers;
	unsigned int targets;
	unsigned int settle_ms;
	u64 seed;
};

/**
 * struct direct_outcome - what became of a run, without the workers' counters
 * @error: 0 or the first error, negative
 * @failed_step: the step that @error comes from, or "none"
 * @modifies: how many modify() calls have succeeded
 * @attached_ms: from attach() returning to the last modify() returning
 */
struct direct_outcome {
	int error;
	const char *failed_step;
	unsigned long modifies;
	unsigned int attached_ms;
};

extern struct direct_outcome direct_outcome;

void direct_stress_run(const struct direct_request *request,
		       const struct direct_subject *subject);

/*
 * workers.c: the callers and their counters
 */

/**
 * enum direct_count - counters of a worker
 * @DIRECT_CALLS: calls made; always CHECKED + UNCHECKED + BEFORE_CALLS +
 *	AFTER_CALLS
 * @DIRECT_CHECKED: calls that were attached from begin to end
 * @DIRECT_SETTLED: checked calls without a modify() in them, for which only one
 *	trampoline was right
 * @DIRECT_UNCHECKED: calls that touch attach() or detach()
 * @DIRECT_BEFORE_CALLS: calls that ended before attach()
 * @DIRECT_AFTER_CALLS: calls that began after detach()
 * @DIRECT_REACHED_0: calls that reached trampoline 0
 * @DIRECT_REACHED_1: calls that reached trampoline 1
 * @DIRECT_MISSED: checked calls that reached no trampoline
 * @DIRECT_DOUBLED: calls, in any phase, that reached trampolines more than once
 * @DIRECT_STALE: settled calls that reached the wrong trampoline
 * @DIRECT_EARLY: calls before attach() that reached a trampoline
 * @DIRECT_LATE: calls after detach() that reached a trampoline
 * @DIRECT_CORRUPTED: calls whose body did not run exactly once, whose value was
 *	wrong, or which a trampoline with an impossible number was reached by
 * @DIRECT_COUNTS: number of counters
 */
enum direct_count {
	DIRECT_CALLS,
	DIRECT_CHECKED,
	DIRECT_SETTLED,
	DIRECT_UNCHECKED,
	DIRECT_BEFORE_CALLS,
	DIRECT_AFTER_CALLS,
	DIRECT_REACHED_0,
	DIRECT_REACHED_1,
	DIRECT_MISSED,
	DIRECT_DOUBLED,
	DIRECT_STALE,
	DIRECT_EARLY,
	DIRECT_LATE,
	DIRECT_CORRUPTED,
	DIRECT_COUNTS,
};

int direct_workers_start(const struct direct_request *request);
void direct_workers_stop(void);
unsigned long direct_workers_sum(enum direct_count which);
bool direct_workers_all_have(enum direct_count which);

/*
 * latency.c: how long modify() took
 */

/**
 * struct direct_latency - durations, in ns
 * @min: the shortest
 * @mean: arithmetic mean
 * @p50: median, up to 1/16 above the true one
 * @p99: 99th percentile, likewise
 * @max: the longest
 */
struct direct_latency {
	u64 min;
	u64 mean;
	u64 p50;
	u64 p99;
	u64 max;
};

void direct_latency_reset(void);
void direct_latency_add(u64 ns);
void direct_latency_get(struct direct_latency *latency);
bool direct_latency_bucket(unsigned int *next, u64 *from, u64 *to, u32 *count);

/*
 * request.c
 */

int direct_request_parse(char *line, struct direct_request *request);

#endif /* TARGET_H */
