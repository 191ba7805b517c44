// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stress loop and its control through debugfs:
 *
 *   direct_target/run	     write "key=value ..." to run; returns at the end
 *   direct_target/progress  how far a run is, readable at any time
 *   direct_target/result    what the last run found, "key=value" lines
 */
#define pr_fmt(fmt) "direct_target: " fmt

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "target.h"

/* How long the workers call before attach and after detach. */
#define DETACHED_MS 50

/* Latencies kept; a longer run samples the first ones only. */
#define MAX_LATENCIES 65536

struct run_parameters {
	unsigned long duration_ms;
	unsigned long workers;
	unsigned long targets;
	unsigned long seed;
};

struct run_result {
	struct run_parameters parameters;
	struct target_counts counts;
	const char *subject;
	const char *era;
	u64 elapsed_ms;
	u64 modifies;
	u64 p50_ns;
	u64 p99_ns;
	u64 max_ns;
	int error;
	const char *failed_step;
	bool complete;
};

static DEFINE_MUTEX(run_lock);
static DEFINE_MUTEX(subject_lock);
static struct direct_subject *subject;
static struct run_result result;
static u64 *latencies;

/* Read without a lock, so that they can be read while a modify hangs. */
static const char *phase_name = "idle";
static u64 modifies;

int direct_target_register(struct direct_subject *new)
{
	int err = 0;

	mutex_lock(&subject_lock);
	if (subject)
		err = -EBUSY;
	else
		subject = new;
	mutex_unlock(&subject_lock);
	return err;
}
EXPORT_SYMBOL_GPL(direct_target_register);

void direct_target_unregister(struct direct_subject *old)
{
	mutex_lock(&subject_lock);
	if (subject == old)
		subject = NULL;
	mutex_unlock(&subject_lock);
}
EXPORT_SYMBOL_GPL(direct_target_unregister);

static struct direct_subject *get_subject(void)
{
	struct direct_subject *found;

	mutex_lock(&subject_lock);
	found = subject;
	if (found && !try_module_get(found->owner))
		found = NULL;
	mutex_unlock(&subject_lock);
	return found;
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void summarize_latencies(u64 count)
{
	count = min_t(u64, count, MAX_LATENCIES);
	if (!count)
		return;
	sort(latencies, count, sizeof(*latencies), compare_u64, NULL);
	result.p50_ns = latencies[count / 2];
	result.p99_ns = latencies[count - 1 - count / 100];
	result.max_ns = latencies[count - 1];
}

static void set_phase(const char *name)
{
	WRITE_ONCE(phase_name, name);
}

static int failed(const char *step, int err)
{
	if (!result.error) {
		result.error = err;
		result.failed_step = step;
	}
	return err;
}

/* Pauses of 0 to 3 ms, and in one of four cases none at all. */
static void pause(u64 *random)
{
	u64 r = target_random(random);

	if (r & 3)
		usleep_range((r >> 8) % 3000 + 1, (r >> 8) % 3000 + 100);
}

static void modify_for_a_while(struct direct_subject *under_test, u64 *random)
{
	unsigned long end = jiffies +
			    msecs_to_jiffies(result.parameters.duration_ms);
	unsigned int which = 0;

	while (time_before(jiffies, end)) {
		u64 started;
		int err;

		pause(random);
		which ^= 1;
		target_set_state(TARGET_MODIFYING, which);
		set_phase("modify");
		started = ktime_get_ns();
		err = under_test->modify(which);
		if (err) {
			target_set_state(TARGET_IN_TRANSITION, which);
			failed("modify", err);
			return;
		}
		if (result.modifies < MAX_LATENCIES)
			latencies[result.modifies] = ktime_get_ns() - started;
		target_set_state(TARGET_ATTACHED, which);
		set_phase("call");
		result.modifies++;
		WRITE_ONCE(modifies, result.modifies);
	}
}

static void stress(struct direct_subject *under_test)
{
	const struct run_parameters *parameters = &result.parameters;
	u64 random = parameters->seed | 1;
	u64 started = ktime_get_ns();
	int err;

	target_set_state(TARGET_DETACHED, 0);
	err = target_workers_start(parameters->workers, parameters->targets,
				   parameters->seed);
	if (err) {
		failed("start workers", err);
		return;
	}
	set_phase("before-attach");
	msleep(DETACHED_MS);

	target_set_state(TARGET_IN_TRANSITION, 0);
	set_phase("attach");
	err = under_test->attach(parameters->targets);
	if (err) {
		failed("attach", err);
	} else {
		target_set_state(TARGET_ATTACHED, 0);
		set_phase("call");
		modify_for_a_while(under_test, &random);

		target_set_state(TARGET_IN_TRANSITION, 0);
		set_phase("detach");
		err = under_test->detach();
		if (err) {
			failed("detach", err);
		} else {
			target_set_state(TARGET_DETACHED, 0);
			set_phase("after-detach");
			msleep(DETACHED_MS);
		}
	}
	target_workers_stop(&result.counts);
	result.elapsed_ms = div_u64(ktime_get_ns() - started, NSEC_PER_MSEC);
	summarize_latencies(result.modifies);
	result.complete = true;
	set_phase("idle");
}

static int parse_word(char *word, struct run_parameters *parameters)
{
	static const struct {
		const char *key;
		size_t offset;
		unsigned long min, max;
	} keys[] = {
		{ "duration_ms", offsetof(struct run_parameters, duration_ms),
		  1, 60 * 60 * 1000 },
		{ "workers", offsetof(struct run_parameters, workers), 1, 64 },
		{ "targets", offsetof(struct run_parameters, targets),
		  1, DIRECT_TARGET_MAX },
		{ "seed", offsetof(struct run_parameters, seed), 0, ULONG_MAX },
	};
	char *value = strchr(word, '=');
	unsigned long number;
	unsigned int i;

	if (!value)
		goto bad;
	*value++ = '\0';
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strcmp(word, keys[i].key))
			continue;
		if (kstrtoul(value, 10, &number) || number < keys[i].min ||
		    number > keys[i].max) {
			pr_err("run: %s=%s: must be a number from %lu to %lu\n",
			       word, value, keys[i].min, keys[i].max);
			return -EINVAL;
		}
		*(unsigned long *)((char *)parameters + keys[i].offset) = number;
		return 0;
	}
bad:
	pr_err("run: %s: not a known key=value\n", word);
	return -EINVAL;
}

static ssize_t run_write(struct file *file, const char __user *buffer,
			 size_t length, loff_t *offset)
{
	struct run_parameters parameters = {
		.duration_ms = 10000,
		.workers = 2,
		.targets = 1,
	};
	struct direct_subject *under_test;
	char line[256], *rest = line, *word;
	ssize_t err = length;

	if (length >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buffer, length))
		return -EFAULT;
	line[length] = '\0';
	while ((word = strsep(&rest, " \n"))) {
		if (*word && parse_word(word, &parameters))
			return -EINVAL;
	}

	if (!mutex_trylock(&run_lock))
		return -EBUSY;
	under_test = get_subject();
	if (!under_test) {
		err = -ENODEV;
		goto unlock;
	}
	memset(&result, 0, sizeof(result));
	result.parameters = parameters;
	result.subject = under_test->name;
	result.era = under_test->era;
	WRITE_ONCE(modifies, 0);
	stress(under_test);
	if (result.error)
		err = result.error;
	module_put(under_test->owner);
unlock:
	mutex_unlock(&run_lock);
	return err;
}

static const struct file_operations run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = run_write,
	.llseek = noop_llseek,
};

static int progress_show(struct seq_file *seq, void *unused)
{
	struct target_counts counts;

	target_workers_sum(&counts);
	seq_printf(seq, "modifies=%llu calls=%llu missed=%llu phase=%s\n",
		   READ_ONCE(modifies), counts.calls, counts.missed,
		   READ_ONCE(phase_name));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(progress);

static int result_show(struct seq_file *seq, void *unused)
{
	const struct target_counts *counts = &result.counts;

	if (!mutex_trylock(&run_lock))
		return -EBUSY;
	if (!result.complete) {
		mutex_unlock(&run_lock);
		return -ENODATA;
	}
	seq_printf(seq, "subject=%s\n", result.subject);
	seq_printf(seq, "era=%s\n", result.era);
	seq_printf(seq, "workers=%lu\n", result.parameters.workers);
	seq_printf(seq, "targets=%lu\n", result.parameters.targets);
	seq_printf(seq, "seed=%lu\n", result.parameters.seed);
	seq_printf(seq, "duration_ms=%llu\n", result.elapsed_ms);
	seq_printf(seq, "modifies=%llu\n", result.modifies);
	seq_printf(seq, "modify_p50_ns=%llu\n", result.p50_ns);
	seq_printf(seq, "modify_p99_ns=%llu\n", result.p99_ns);
	seq_printf(seq, "modify_max_ns=%llu\n", result.max_ns);
	seq_printf(seq, "calls=%llu\n", counts->calls);
	seq_printf(seq, "checked=%llu\n", counts->checked);
	seq_printf(seq, "unchecked=%llu\n", counts->unchecked);
	seq_printf(seq, "missed=%llu\n", counts->missed);
	seq_printf(seq, "doubled=%llu\n", counts->doubled);
	seq_printf(seq, "stale=%llu\n", counts->stale);
	seq_printf(seq, "late=%llu\n", counts->late);
	seq_printf(seq, "corrupted=%llu\n", counts->corrupted);
	seq_printf(seq, "errno=%d\n", -result.error);
	seq_printf(seq, "failed_step=%s\n",
		   result.failed_step ? result.failed_step : "none");
	seq_puts(seq, "complete=1\n");
	mutex_unlock(&run_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(result);

static struct dentry *directory;

static int __init target_init(void)
{
	latencies = vmalloc(MAX_LATENCIES * sizeof(*latencies));
	if (!latencies)
		return -ENOMEM;
	directory = debugfs_create_dir("direct_target", NULL);
	debugfs_create_file("run", 0200, directory, NULL, &run_fops);
	debugfs_create_file("progress", 0400, directory, NULL, &progress_fops);
	debugfs_create_file("result", 0400, directory, NULL, &result_fops);
	return 0;
}
module_init(target_init);

static void __exit target_exit(void)
{
	debugfs_remove_recursive(directory);
	vfree(latencies);
}
module_exit(target_exit);

MODULE_DESCRIPTION("Traced functions, their callers and exact accounting");
MODULE_LICENSE("GPL");
