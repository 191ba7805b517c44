// SPDX-License-Identifier: GPL-2.0-only
/* Kernel threads that call the traced functions and judge each call. */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "target.h"

struct worker {
	struct direct_record record;
	struct target_counts counts;
	struct task_struct *task;
	unsigned int targets;
	u64 random;
} ____cacheline_aligned_in_smp;

/*
 * Guards the array against readers of the progress. Never held while the
 * kernel attaches, modifies or detaches: that may hang for ever.
 */
static DEFINE_MUTEX(workers_lock);
static struct worker *workers;
static unsigned int nr_workers;

static unsigned long target_state;

/*
 * Only the run changes the state. The full barriers on both sides make the
 * change visible before the kernel starts to attach, modify or detach, and
 * never visible before it has returned. A worker that reads the same word
 * before and after a call thus made the whole call while the word held.
 */
void target_set_state(enum target_phase phase, unsigned int which)
{
	unsigned long seq = target_state >> TARGET_SEQ_SHIFT;

	smp_mb();
	WRITE_ONCE(target_state, (seq + 1) << TARGET_SEQ_SHIFT |
				 (unsigned long)phase << TARGET_PHASE_SHIFT |
				 (which & TARGET_WHICH_MASK));
	smp_mb();
}

static void judge(struct worker *worker, unsigned long before,
		  unsigned long after)
{
	enum target_phase first = target_phase(before);
	enum target_phase last = target_phase(after);
	struct target_counts *counts = &worker->counts;
	unsigned int seen = READ_ONCE(worker->record.seen);
	unsigned int which = READ_ONCE(worker->record.which);

	if (first == TARGET_DETACHED && before == after) {
		counts->checked++;
		if (seen)
			counts->late++;
		return;
	}

	/* Between two attached states the run may have detached, never here. */
	if (first < TARGET_ATTACHED || last < TARGET_ATTACHED) {
		counts->unchecked++;
		return;
	}

	counts->checked++;
	if (!seen)
		counts->missed++;
	else if (seen > 1)
		counts->doubled++;
	else if (before == after && first == TARGET_ATTACHED &&
		 which != (before & TARGET_WHICH_MASK))
		counts->stale++;
}

static void call_once(struct worker *worker, unsigned int index)
{
	struct direct_record *record = &worker->record;
	unsigned long value = (unsigned long)target_random(&worker->random);
	unsigned long before, after, result;

	WRITE_ONCE(record->seen, 0);
	WRITE_ONCE(record->entered, 0);

	before = READ_ONCE(target_state);
	smp_mb();
	result = READ_ONCE(target_functions[index])(record, value);
	smp_mb();
	after = READ_ONCE(target_state);

	judge(worker, before, after);
	if (READ_ONCE(record->entered) != 1 ||
	    result != target_expected(index, value))
		worker->counts.corrupted++;
	WRITE_ONCE(worker->counts.calls, worker->counts.calls + 1);
}

static int work(void *data)
{
	struct worker *worker = data;
	unsigned int index = 0;

	while (!kthread_should_stop()) {
		unsigned int n;

		for (n = 0; n < 64; n++) {
			call_once(worker, index);
			if (++index >= worker->targets)
				index = 0;
		}
		/*
		 * ftrace waits for RCU-tasks. A thread that never passes a
		 * quiescent state would have it wait for ever.
		 */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static unsigned int next_cpu(unsigned int cpu)
{
	cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

static void sum_all(struct target_counts *sum)
{
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < nr_workers; i++) {
		struct target_counts *counts = &workers[i].counts;

		sum->calls += READ_ONCE(counts->calls);
		sum->checked += READ_ONCE(counts->checked);
		sum->unchecked += READ_ONCE(counts->unchecked);
		sum->missed += READ_ONCE(counts->missed);
		sum->doubled += READ_ONCE(counts->doubled);
		sum->stale += READ_ONCE(counts->stale);
		sum->late += READ_ONCE(counts->late);
		sum->corrupted += READ_ONCE(counts->corrupted);
	}
}

/* kthread_stop() also waits, so that the counts are final. */
static void stop_all(struct target_counts *sum)
{
	unsigned int i;

	for (i = 0; i < nr_workers; i++)
		kthread_stop(workers[i].task);
	sum_all(sum);
	nr_workers = 0;
	kfree(workers);
	workers = NULL;
}

int target_workers_start(unsigned int count, unsigned int targets, u64 seed)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);
	struct target_counts ignored;
	unsigned int i;
	int err = 0;

	mutex_lock(&workers_lock);
	workers = kcalloc(count, sizeof(*workers), GFP_KERNEL);
	if (!workers) {
		err = -ENOMEM;
		goto out;
	}

	for (i = 0; i < count; i++) {
		struct worker *worker = &workers[i];
		struct task_struct *task;

		worker->targets = targets;
		/* xorshift never leaves zero: the low bit keeps it away. */
		worker->random = (seed + i) * 0x9e3779b97f4a7c15ULL | 1;
		task = kthread_create(work, worker, "direct_target/%u", i);
		if (IS_ERR(task)) {
			err = PTR_ERR(task);
			stop_all(&ignored);
			goto out;
		}
		kthread_bind(task, cpu);
		cpu = next_cpu(cpu);
		worker->task = task;
		nr_workers++;
	}
	for (i = 0; i < nr_workers; i++)
		wake_up_process(workers[i].task);
out:
	mutex_unlock(&workers_lock);
	return err;
}

/* Gives back what the workers counted in all. */
void target_workers_stop(struct target_counts *sum)
{
	mutex_lock(&workers_lock);
	stop_all(sum);
	mutex_unlock(&workers_lock);
}

/* May run beside the workers: each count is one word that one worker writes. */
void target_workers_sum(struct target_counts *sum)
{
	mutex_lock(&workers_lock);
	sum_all(sum);
	mutex_unlock(&workers_lock);
}
