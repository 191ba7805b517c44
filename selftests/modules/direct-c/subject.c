// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C subject: attaches its trampolines to the functions of direct_target.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "direct_c.h"

/* Enough for workers to make calls, on a slow emulator too. */
#define PAUSE_MS	5

enum sabotage {
	SABOTAGE_NONE,
	SABOTAGE_PAUSE,
	SABOTAGE_DOUBLE,
	SABOTAGE_CORRUPT,
	SABOTAGE_STALE,
	SABOTAGE_LATE,
};

static const char * const sabotage_names[] = {
	[SABOTAGE_NONE] = "none",
	[SABOTAGE_PAUSE] = "pause",
	[SABOTAGE_DOUBLE] = "double",
	[SABOTAGE_CORRUPT] = "corrupt",
	[SABOTAGE_STALE] = "stale",
	[SABOTAGE_LATE] = "late",
};

static char *sabotage = "none";
module_param(sabotage, charp, 0444);
MODULE_PARM_DESC(sabotage,
		 "Break a promise, to prove that its check can fail: pause (modify detaches and attaches: missed), double (two hits a call: doubled), corrupt (an argument is lost: corrupted), stale (modify does nothing: stale), late (detach does nothing: late, and early in the next run), none (default)");

static enum sabotage sabotaged;

static unsigned long trampoline(unsigned int which)
{
	switch (sabotaged) {
	case SABOTAGE_DOUBLE:
		return (unsigned long)(which ? direct_c_twice_1 :
					       direct_c_twice_0);
	case SABOTAGE_CORRUPT:
		return (unsigned long)(which ? direct_c_forgetful_1 :
					       direct_c_forgetful_0);
	default:
		return (unsigned long)(which ? direct_c_trampoline_1 :
					       direct_c_trampoline_0);
	}
}

/* As given to subject_attach(), for SABOTAGE_PAUSE to attach again. */
static const unsigned long *target_ips;
static unsigned int target_nr;

static int subject_attach(const unsigned long *ips, unsigned int nr)
{
	target_ips = ips;
	target_nr = nr;

	/* SABOTAGE_LATE has left the run before attached. */
	if (sabotaged == SABOTAGE_LATE)
		attachment_detach();
	return attachment_attach(ips, nr, trampoline(0));
}

static int subject_modify(unsigned int which)
{
	int err;

	if (which >= DIRECT_TRAMPOLINES)
		return -EINVAL;
	if (sabotaged == SABOTAGE_STALE)
		return 0;
	if (sabotaged == SABOTAGE_PAUSE) {
		err = attachment_detach();
		if (err)
			return err;
		msleep(PAUSE_MS);
		return attachment_attach(target_ips, target_nr,
					 trampoline(which));
	}
	return attachment_modify(trampoline(which));
}

static int subject_detach(void)
{
	if (sabotaged == SABOTAGE_LATE)
		return 0;
	return attachment_detach();
}

static struct direct_subject subject = {
	.name = "c",
	.owner = THIS_MODULE,
	.attach = subject_attach,
	.modify = subject_modify,
	.detach = subject_detach,
};

static int __init direct_c_init(void)
{
	int found = sysfs_match_string(sabotage_names, sabotage);

	if (found < 0) {
		pr_err("sabotage: unknown value '%s'\n", sabotage);
		return -EINVAL;
	}
	sabotaged = found;
	if (sabotaged != SABOTAGE_NONE)
		pr_info("sabotage=%s: its check must fail\n", sabotage);

	subject.era = attachment_era;
	return direct_subject_register(&subject);
}
module_init(direct_c_init);

static void __exit direct_c_exit(void)
{
	direct_subject_unregister(&subject);
	/*
	 * Only SABOTAGE_LATE leaves something to detach. The workers were
	 * stopped at the end of the run, so nobody is in a trampoline.
	 */
	attachment_detach();
}
module_exit(direct_c_exit);

MODULE_DESCRIPTION("Attaches direct trampolines in C to the functions of direct_target");
MODULE_LICENSE("GPL");
