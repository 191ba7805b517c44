// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching a trampoline to many functions, in the three eras of the API.
 */

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/module.h>

#include "direct_c.h"

/*
 * What is attached: @nr functions at @ips, all to @trampoline. @stuck: detach
 * has failed, so any of them may or may not be.
 */
static struct {
	const unsigned long *ips;
	unsigned int nr;
	unsigned long trampoline;
	bool stuck;
} attached;

#if defined(DIRECT_API_SINGLE)

const char * const attachment_era = "single";

/* Detaches the first @nr. Goes on after an error, and returns the first. */
static int detach_first(const unsigned long *ips, unsigned int nr,
			unsigned long trampoline)
{
	unsigned int i;
	int first = 0;
	int err;

	for (i = 0; i < nr; i++) {
		err = unregister_ftrace_direct(ips[i], trampoline);
		if (!first)
			first = err;
	}
	return first;
}

static int api_attach(const unsigned long *ips, unsigned int nr,
		      unsigned long trampoline)
{
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++) {
		err = register_ftrace_direct(ips[i], trampoline);
		if (err) {
			detach_first(ips, i, trampoline);
			return err;
		}
	}
	return 0;
}

static int api_modify(unsigned long trampoline)
{
	unsigned int i;
	int err;

	for (i = 0; i < attached.nr; i++) {
		err = modify_ftrace_direct(attached.ips[i], attached.trampoline,
					   trampoline);
		if (err)
			goto undo;
	}
	return 0;
undo:
	/* All functions must have the same trampoline, or detach fails. */
	while (i--)
		modify_ftrace_direct(attached.ips[i], trampoline,
				     attached.trampoline);
	return err;
}

static int api_detach(void)
{
	return detach_first(attached.ips, attached.nr, attached.trampoline);
}

#elif defined(DIRECT_API_MULTI) || defined(DIRECT_API_OPS)

static struct ftrace_ops direct_ops;

#ifdef DIRECT_API_MULTI

const char * const attachment_era = "multi";

#define api_register(addr)	register_ftrace_direct_multi(&direct_ops, addr)
#define api_modify(addr)	modify_ftrace_direct_multi(&direct_ops, addr)
#define api_unregister(addr)	unregister_ftrace_direct_multi(&direct_ops, addr)

#else

const char * const attachment_era = "ops";

#define api_register(addr)	register_ftrace_direct(&direct_ops, addr)
#define api_modify(addr)	modify_ftrace_direct(&direct_ops, addr)
#define api_unregister(addr)	\
	unregister_ftrace_direct(&direct_ops, addr, false)

#endif

/*
 * Frees the filter, as direct_ops goes away with the module. By a reset, which
 * all trees export; ftrace_free_filter() they do not.
 */
static void drop_filter(void)
{
	ftrace_set_filter(&direct_ops, NULL, 0, 1);
}

static int api_attach(const unsigned long *ips, unsigned int nr,
		      unsigned long trampoline)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = ftrace_set_filter_ip(&direct_ops, ips[i], 0, 0);
	if (!err)
		err = api_register(trampoline);
	if (err)
		drop_filter();
	return err;
}

static int api_detach(void)
{
	int err = api_unregister(attached.trampoline);

	if (!err)
		drop_filter();
	return err;
}

#else
#error "build with DIRECT_API=single, multi or ops: the era of include/linux/ftrace.h"
#endif

/* Attaches @trampoline to the @nr functions at @ips: all of them or none. */
int attachment_attach(const unsigned long *ips, unsigned int nr,
		      unsigned long trampoline)
{
	int err;

	if (attached.nr)
		return -EBUSY;
	err = api_attach(ips, nr, trampoline);
	if (err)
		return err;
	attached.ips = ips;
	attached.nr = nr;
	attached.trampoline = trampoline;
	return 0;
}

/* Makes all attached functions call @trampoline. */
int attachment_modify(unsigned long trampoline)
{
	int err;

	if (!attached.nr)
		return -EINVAL;
	err = api_modify(trampoline);
	if (!err)
		attached.trampoline = trampoline;
	return err;
}

/*
 * Detaches all. If that fails, functions may go on calling the trampolines, and
 * ftrace may go on using its ops: the module then stays for ever and attaches
 * no more, as either would crash the kernel in a place that tells nothing.
 */
int attachment_detach(void)
{
	int err;

	if (!attached.nr)
		return 0;
	if (attached.stuck)
		return -EBUSY;
	err = api_detach();
	if (err) {
		attached.stuck = true;
		__module_get(THIS_MODULE);
		return err;
	}
	attached.nr = 0;
	return 0;
}
