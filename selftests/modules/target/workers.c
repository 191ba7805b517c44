// SPDX-License-Identifier: GPL-2.0-only
/*
 * The callers of the traced functions, and the judgement of every call.
 */

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "target.h"

/* Calls between two looks at whether to stop. */
#define CALLS_PER_ROUND	64

/**
 * struct direct_worker - one caller
 * @record: of the current call
 * @nr: own number
 * @targets: how many functions to call in turn
 * @count: own counters; written by the worker only, read by anybody
 * @task: the thread
 *
 * Aligned, so that workers share no cache line: the hot path must not make the
 * CPUs wait for each other, or races would hide.
 */
struct direct_worker {
	struct direct_record record;
	unsigned int nr;
	unsigned int targets;
	unsigned long count[DIRECT_COUNTS];
	struct task_struct *task;
} ____cacheline_aligned_in_smp;

/*
 * Never freed, so the counters can be summed at any time without a lock, even
 * while modify() hangs for ever.
 */
static struct direct_worker workers[DIRECT_WORKERS_MAX];
static unsigned int nr_started;

static inline void count(struct direct_worker *w, enum direct_count which)
{
	WRITE_ONCE(w->count[which], w->count[which] + 1);
}

/* In these phases each call reaches exactly one trampoline. */
static inline bool is_attached(unsigned long state)
{
	enum direct_phase phase = direct_state_phase(state);

	return phase == DIRECT_ATTACHED || phase == DIRECT_MODIFYING;
}

/*
 * Judges a call by the state at its begin and at its end.
 *
 * The states of a run are BEFORE, ATTACHING, ATTACHED, then MODIFYING and
 * ATTACHED in turn, DETACHING, AFTER. Only one stretch of it is attached, so
 * two attached samples mean attached all the time in between. AFTER is last,
 * so a call that begins in it also ends in it.
 *
 * With two trampolines that alternate, a call that overlaps a modify may reach
 * either. Only if both samples are the same word, and no modify was running,
 * is there just one right answer.
 */
static void judge(struct direct_worker *w, unsigned long begin,
		  unsigned long end)
{
	unsigned int reached = w->record.reached;
	unsigned int seen = w->record.seen;

	if (reached & BIT(0))
		count(w, DIRECT_REACHED_0);
	if (reached & BIT(1))
		count(w, DIRECT_REACHED_1);
	if (seen > 1)
		count(w, DIRECT_DOUBLED);

	if (is_attached(begin) && is_attached(end)) {
		bool settled = begin == end &&
			       direct_state_phase(begin) == DIRECT_ATTACHED;

		count(w, DIRECT_CHECKED);
		if (settled)
			count(w, DIRECT_SETTLED);
		if (!seen)
			count(w, DIRECT_MISSED);
		else if (settled && reached != BIT(direct_state_which(begin)))
			count(w, DIRECT_STALE);
	} else if (direct_state_phase(end) == DIRECT_BEFORE) {
		count(w, DIRECT_BEFORE_CALLS);
		if (seen)
			count(w, DIRECT_EARLY);
	} else if (direct_state_phase(begin) == DIRECT_AFTER) {
		count(w, DIRECT_AFTER_CALLS);
		if (seen)
			count(w, DIRECT_LATE);
	} else {
		count(w, DIRECT_UNCHECKED);
	}
}

static void call_target(struct direct_worker *w, unsigned int nr)
{
	/* Odd factor, 2^64 over the golden ratio: all bits change each call. */
	unsigned long a = w->count[DIRECT_CALLS] * 0x9e3779b97f4a7c15UL;
	unsigned long b = ~a, c = a >> 7, d = a << 5, e = a ^ nr;
	struct direct_record *record = &w->record;
	unsigned long begin, end, value;

	/*
	 * The trampoline and the traced function run on this thread's stack,
	 * so program order is all that @record needs, and the compiler cannot
	 * see into the indirect call.
	 */
	record->seen = 0;
	record->reached = 0;
	record->ran = 0;

	/*
	 * Pairs with the barriers in direct_state_set(). What the subject
	 * changed before the state was set, be it code or the pointer that the
	 * ftrace callback looks up, is in effect for this call. Code in
	 * particular: ftrace patches it with the help of IPIs to all CPUs,
	 * and only then modify() returns and the state is set.
	 */
	begin = smp_load_acquire(&direct_state);

	value = direct_targets[nr](record, a, b, c, d, e);

	/*
	 * Pairs with the barriers in direct_state_set(). If this call has
	 * seen something of a change that the subject is making, then this
	 * sample also sees that the change had begun. For pointers that is
	 * load-load order; for code, the CPU has taken the breakpoint or an
	 * IPI in between, both of which are serialising.
	 */
	smp_rmb();
	end = READ_ONCE(direct_state);

	judge(w, begin, end);
	if (record->ran != 1 || record->reached >= BIT(DIRECT_TRAMPOLINES) ||
	    value != direct_target_value(nr, a, b, c, d, e))
		count(w, DIRECT_CORRUPTED);
	count(w, DIRECT_CALLS);
}

static int worker_main(void *data)
{
	struct direct_worker *w = data;
	unsigned int nr = w->nr % w->targets;
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < CALLS_PER_ROUND; i++) {
			call_target(w, nr);
			if (++nr == w->targets)
				nr = 0;
		}
		/*
		 * ftrace waits for RCU-tasks, which waits for each thread to
		 * give up the CPU or to say that it might have. Without this a
		 * busy worker would hang every modify().
		 */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/*
 * Starts the workers that @request asks for, bound to the online CPUs in turn.
 * Returns 0 or a negative errno; direct_workers_stop() is needed in any case.
 */
int direct_workers_start(const struct direct_request *request)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	unsigned int i;

	memset(workers, 0, sizeof(workers));
	for (i = 0; i < request->workers; i++) {
		struct direct_worker *w = &workers[i];
		struct task_struct *task;

		w->nr = i;
		w->targets = request->targets;
		task = kthread_create(worker_main, w, "direct_worker/%u", i);
		if (IS_ERR(task))
			return PTR_ERR(task);
		w->task = task;
		nr_started = i + 1;

		/*
		 * Below all else, so that modify() is not kept waiting for the
		 * CPU by those who try to catch it out: more modifies, and as
		 * many calls, since modify() itself mostly waits.
		 */
		set_user_nice(task, MAX_NICE);
		kthread_bind(task, cpu);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	for (i = 0; i < nr_started; i++)
		wake_up_process(workers[i].task);
	return 0;
}

void direct_workers_stop(void)
{
	while (nr_started)
		kthread_stop(workers[--nr_started].task);
}

/* Sums over all workers. Exact once they have stopped, else a lower bound. */
unsigned long direct_workers_sum(enum direct_count which)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < DIRECT_WORKERS_MAX; i++)
		sum += READ_ONCE(workers[i].count[which]);
	return sum;
}

/* Whether each running worker has counted at least one @which. */
bool direct_workers_all_have(enum direct_count which)
{
	unsigned int i;

	for (i = 0; i < nr_started; i++)
		if (!READ_ONCE(workers[i].count[which]))
			return false;
	return true;
}
