// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sequence of a run, in the context of who asked for it.
 */

#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "target.h"

/* How long to wait for each worker to make a call, beyond settle_ms. */
#define SETTLE_LIMIT_MS		10000
#define SETTLE_STEP_MS		10

/* Longest wait between two modifies; one wait in four is none at all. */
#define WAIT_MAX_US		4000

unsigned long direct_state;
struct direct_outcome direct_outcome;

/*
 * Transitions are rare and the controller is the only writer, so both sides
 * are fenced fully and the workers can be cheap.
 */
static void direct_state_set(enum direct_phase phase, unsigned int which)
{
	unsigned long sequence = direct_state >> DIRECT_STATE_SEQUENCE_SHIFT;

	/*
	 * Pairs with the acquire in call_target(): a worker that sees this
	 * state sees all that the subject's callback did before.
	 */
	smp_mb();
	WRITE_ONCE(direct_state,
		   (sequence + 1) << DIRECT_STATE_SEQUENCE_SHIFT |
		   (unsigned long)phase << DIRECT_STATE_PHASE_SHIFT | which);
	/*
	 * Pairs with the smp_rmb() in call_target(): a worker that sees
	 * anything of what the subject's callback does next sees this state.
	 */
	smp_mb();
}

/* Keeps the first error: later ones are likely to follow from it. */
static void note_error(int err, const char *step)
{
	if (!err || direct_outcome.error)
		return;
	direct_outcome.failed_step = step;
	WRITE_ONCE(direct_outcome.error, err);
}

/*
 * Lets the workers run for @settle_ms and until each has counted a @which, as a
 * check that nobody came to is none. Returns 0, -EINTR or -ETIMEDOUT.
 */
static int settle(unsigned int settle_ms, enum direct_count which)
{
	ktime_t begin = ktime_get();
	s64 passed;

	for (;;) {
		passed = ktime_ms_delta(ktime_get(), begin);
		if (passed >= settle_ms && direct_workers_all_have(which))
			return 0;
		if (passed >= settle_ms + SETTLE_LIMIT_MS)
			return -ETIMEDOUT;
		if (signal_pending(current))
			return -EINTR;
		schedule_timeout_interruptible(msecs_to_jiffies(SETTLE_STEP_MS));
	}
}

static void wait_before_modify(struct rnd_state *random)
{
	unsigned int draw = prandom_u32_state(random);
	unsigned int us = (draw >> 2) % WAIT_MAX_US;

	if (draw & 3)
		usleep_range(us, us + 50);
}

/* Modifies until the time is over. Attached before and, if 0, afterwards. */
static void modify_loop(const struct direct_request *request,
			const struct direct_subject *subject)
{
	ktime_t attached = ktime_get();
	struct rnd_state random;
	unsigned int which = 0;

	prandom_seed_state(&random, request->seed);
	while (ktime_ms_delta(ktime_get(), attached) < request->duration_ms) {
		ktime_t begin;
		int err;

		wait_before_modify(&random);
		if (signal_pending(current)) {
			note_error(-EINTR, "wait");
			break;
		}

		which ^= 1;
		direct_state_set(DIRECT_MODIFYING, 0);
		begin = ktime_get();
		err = subject->modify(which);
		if (err) {
			/* Nobody knows what is attached now; nothing is judged. */
			direct_state_set(DIRECT_DETACHING, 0);
			note_error(err, "modify");
			break;
		}
		direct_latency_add(ktime_to_ns(ktime_sub(ktime_get(), begin)));
		direct_state_set(DIRECT_ATTACHED, which);
		WRITE_ONCE(direct_outcome.modifies, direct_outcome.modifies + 1);
	}
	direct_outcome.attached_ms = ktime_ms_delta(ktime_get(), attached);
}

static void attach_and_modify(const struct direct_request *request,
			      const struct direct_subject *subject)
{
	int err;

	direct_state_set(DIRECT_ATTACHING, 0);
	err = subject->attach((const unsigned long *)direct_targets,
			      request->targets);
	if (err) {
		note_error(err, "attach");
	} else {
		direct_state_set(DIRECT_ATTACHED, 0);
		modify_loop(request, subject);
	}

	direct_state_set(DIRECT_DETACHING, 0);
	err = subject->detach();
	if (err) {
		note_error(err, "detach");
		return;
	}
	direct_state_set(DIRECT_AFTER, 0);
	note_error(settle(request->settle_ms, DIRECT_AFTER_CALLS), "after");
}

/*
 * Runs the whole sequence. What came of it is in direct_outcome and in the
 * workers' counters; both are readable all the time.
 */
void direct_stress_run(const struct direct_request *request,
		       const struct direct_subject *subject)
{
	int err;

	direct_outcome = (struct direct_outcome){ .failed_step = "none" };
	direct_latency_reset();

	direct_state_set(DIRECT_BEFORE, 0);
	err = direct_workers_start(request);
	if (err) {
		note_error(err, "start");
		goto stop;
	}
	err = settle(request->settle_ms, DIRECT_BEFORE_CALLS);
	if (err) {
		note_error(err, "before");
		goto stop;
	}
	attach_and_modify(request, subject);
stop:
	direct_workers_stop();
	direct_state_set(DIRECT_IDLE, 0);
}
