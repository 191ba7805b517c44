// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/direct_target/: how a run is asked for and read out.
 *
 * run (write)	One line of key=value words: duration_ms, workers, targets and
 *		seed, and optionally settle_ms. Returns when the run is over: the
 *		bytes written, or the run's first error. -EINVAL: bad words,
 *		named on the console. -EBUSY: a run is on. -ENODEV: no subject.
 * progress	One line: modifies=N calls=N missed=N phase=NAME. Takes no lock.
 * result	key=value lines, with complete=1 last once the run is over. While
 *		it is on: what there is so far. Empty before the first run. `run`
 *		is the ordinal of the run, as a refused write leaves the result
 *		of the run before.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "target.h"

#define RUN_LINE_MAX	256

/*
 * Guards all below. Held for moments only, never over a run, so that the files
 * stay readable when a run hangs.
 */
static DEFINE_MUTEX(control_lock);
static const struct direct_subject *registered;
static bool busy;
static unsigned int runs;
static struct direct_request last_request;
static char last_subject[32];
static char last_era[16];

static struct dentry *control_dir;

int direct_subject_register(const struct direct_subject *subject)
{
	int err = 0;

	if (!subject->name || !subject->era || !subject->owner ||
	    !subject->attach || !subject->modify || !subject->detach)
		return -EINVAL;

	mutex_lock(&control_lock);
	if (registered)
		err = -EBUSY;
	else
		registered = subject;
	mutex_unlock(&control_lock);
	return err;
}
EXPORT_SYMBOL_GPL(direct_subject_register);

void direct_subject_unregister(const struct direct_subject *subject)
{
	mutex_lock(&control_lock);
	if (registered == subject)
		registered = NULL;
	mutex_unlock(&control_lock);
}
EXPORT_SYMBOL_GPL(direct_subject_unregister);

/* Begins a run with the registered subject, whose module gets pinned. */
static const struct direct_subject *
run_begin(const struct direct_request *request)
{
	const struct direct_subject *subject;

	mutex_lock(&control_lock);
	if (busy) {
		subject = ERR_PTR(-EBUSY);
	} else if (!registered || !try_module_get(registered->owner)) {
		subject = ERR_PTR(-ENODEV);
	} else {
		subject = registered;
		busy = true;
		runs++;
		last_request = *request;
		strscpy(last_subject, subject->name, sizeof(last_subject));
		strscpy(last_era, subject->era, sizeof(last_era));
	}
	mutex_unlock(&control_lock);
	return subject;
}

static int run_end(const struct direct_subject *subject)
{
	int err;

	mutex_lock(&control_lock);
	busy = false;
	err = direct_outcome.error;
	mutex_unlock(&control_lock);
	module_put(subject->owner);
	return err;
}

static ssize_t run_write(struct file *file, const char __user *from,
			 size_t len, loff_t *pos)
{
	const struct direct_subject *subject;
	struct direct_request request;
	char *line;
	int err;

	if (len > RUN_LINE_MAX) {
		pr_err("run: %zu bytes are more than %d\n", len, RUN_LINE_MAX);
		return -EINVAL;
	}
	line = memdup_user_nul(from, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	err = direct_request_parse(line, &request);
	kfree(line);
	if (err)
		return err;

	subject = run_begin(&request);
	if (IS_ERR(subject))
		return PTR_ERR(subject);
	direct_stress_run(&request, subject);
	err = run_end(subject);
	return err ?: len;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
	.llseek = noop_llseek,
};

static const char * const phase_names[] = {
	[DIRECT_IDLE] = "idle",
	[DIRECT_BEFORE] = "before",
	[DIRECT_ATTACHING] = "attaching",
	[DIRECT_ATTACHED] = "attached",
	[DIRECT_MODIFYING] = "modifying",
	[DIRECT_DETACHING] = "detaching",
	[DIRECT_AFTER] = "after",
};

static const char *phase_name(void)
{
	return phase_names[direct_state_phase(READ_ONCE(direct_state))];
}

static int progress_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "modifies=%lu calls=%lu missed=%lu phase=%s\n",
		   READ_ONCE(direct_outcome.modifies),
		   direct_workers_sum(DIRECT_CALLS),
		   direct_workers_sum(DIRECT_MISSED), phase_name());
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(progress);

static const char * const count_names[DIRECT_COUNTS] = {
	[DIRECT_CALLS] = "calls",
	[DIRECT_CHECKED] = "checked",
	[DIRECT_SETTLED] = "settled",
	[DIRECT_UNCHECKED] = "unchecked",
	[DIRECT_BEFORE_CALLS] = "before",
	[DIRECT_AFTER_CALLS] = "after",
	[DIRECT_REACHED_0] = "reached_0",
	[DIRECT_REACHED_1] = "reached_1",
	[DIRECT_MISSED] = "missed",
	[DIRECT_DOUBLED] = "doubled",
	[DIRECT_STALE] = "stale",
	[DIRECT_EARLY] = "early",
	[DIRECT_LATE] = "late",
	[DIRECT_CORRUPTED] = "corrupted",
};

/* FROM-TO:COUNT,… in ns; `none` without samples. */
static void show_buckets(struct seq_file *seq)
{
	const char *separator = "";
	unsigned int next = 0;
	u64 from, to;
	u32 count;

	seq_puts(seq, "modify_ns_buckets=");
	while (direct_latency_bucket(&next, &from, &to, &count)) {
		seq_printf(seq, "%s%llu-%llu:%u", separator, from, to, count);
		separator = ",";
	}
	seq_puts(seq, next ? "\n" : "none\n");
}

static void show_run(struct seq_file *seq)
{
	struct direct_latency latency;
	unsigned int i;

	seq_printf(seq, "run=%u\n", runs);
	seq_printf(seq, "subject=%s\n", last_subject);
	seq_printf(seq, "era=%s\n", last_era);
	seq_printf(seq, "targets=%u\n", last_request.targets);
	seq_printf(seq, "workers=%u\n", last_request.workers);
	seq_printf(seq, "duration_ms=%u\n", last_request.duration_ms);
	seq_printf(seq, "settle_ms=%u\n", last_request.settle_ms);
	seq_printf(seq, "seed=%llu\n", last_request.seed);
	seq_printf(seq, "attached_ms=%u\n", direct_outcome.attached_ms);
	seq_printf(seq, "modifies=%lu\n", READ_ONCE(direct_outcome.modifies));

	for (i = 0; i < DIRECT_COUNTS; i++)
		seq_printf(seq, "%s=%lu\n", count_names[i],
			   direct_workers_sum(i));

	direct_latency_get(&latency);
	seq_printf(seq, "modify_ns_min=%llu\n", latency.min);
	seq_printf(seq, "modify_ns_mean=%llu\n", latency.mean);
	seq_printf(seq, "modify_ns_p50=%llu\n", latency.p50);
	seq_printf(seq, "modify_ns_p99=%llu\n", latency.p99);
	seq_printf(seq, "modify_ns_max=%llu\n", latency.max);
	show_buckets(seq);

	seq_printf(seq, "phase=%s\n", phase_name());
	seq_printf(seq, "errno=%d\n", -READ_ONCE(direct_outcome.error));
	seq_printf(seq, "failed_step=%s\n", direct_outcome.failed_step);
	if (!busy)
		seq_puts(seq, "complete=1\n");
}

static int result_show(struct seq_file *seq, void *unused)
{
	/* No run can begin or end meanwhile, so complete=1 tells no lies. */
	mutex_lock(&control_lock);
	if (runs)
		show_run(seq);
	mutex_unlock(&control_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static int __init direct_target_init(void)
{
	control_dir = debugfs_create_dir("direct_target", NULL);
	if (IS_ERR(control_dir))
		return PTR_ERR(control_dir);
	debugfs_create_file("run", 0200, control_dir, NULL, &run_fops);
	debugfs_create_file("progress", 0400, control_dir, NULL, &progress_fops);
	debugfs_create_file("result", 0400, control_dir, NULL, &result_fops);
	return 0;
}
module_init(direct_target_init);

static void __exit direct_target_exit(void)
{
	debugfs_remove(control_dir);
}
module_exit(direct_target_exit);

MODULE_DESCRIPTION("Traced functions with exact accounting of direct calls");
MODULE_LICENSE("GPL");
