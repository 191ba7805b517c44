// SPDX-License-Identifier: GPL-2.0-only
/*
 * A histogram of durations with a bounded relative error: each power of two is
 * cut into 16 buckets. Any number of samples fits.
 */

#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "target.h"

#define SUB_BITS	4
#define SUB_BUCKETS	(1U << SUB_BITS)
#define BUCKETS		((64 - SUB_BITS + 1) * SUB_BUCKETS)

static struct {
	u64 samples;
	u64 sum;
	u64 min;
	u64 max;
	u32 bucket[BUCKETS];
} durations;

/* Values below 16 have a bucket each; from there on 16 buckets an octave. */
static unsigned int bucket_of(u64 ns)
{
	unsigned int shift;

	if (ns < SUB_BUCKETS)
		return ns;
	shift = fls64(ns) - 1 - SUB_BITS;
	return (shift << SUB_BITS) + (unsigned int)(ns >> shift);
}

static u64 bucket_begin(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < SUB_BUCKETS)
		return bucket;
	shift = (bucket >> SUB_BITS) - 1;
	return (u64)(SUB_BUCKETS + (bucket & (SUB_BUCKETS - 1))) << shift;
}

static u64 bucket_end(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < SUB_BUCKETS)
		return bucket;
	shift = (bucket >> SUB_BITS) - 1;
	return ((u64)(SUB_BUCKETS + (bucket & (SUB_BUCKETS - 1)) + 1) << shift) - 1;
}

void direct_latency_reset(void)
{
	memset(&durations, 0, sizeof(durations));
}

void direct_latency_add(u64 ns)
{
	durations.min = durations.samples ? min(durations.min, ns) : ns;
	durations.max = max(durations.max, ns);
	durations.sum += ns;
	durations.samples++;
	durations.bucket[bucket_of(ns)]++;
}

static u64 percentile(unsigned int percent)
{
	u64 rank = div_u64(durations.samples * percent + 99, 100);
	u64 passed = 0;
	unsigned int i;

	for (i = 0; i < BUCKETS; i++) {
		passed += durations.bucket[i];
		if (passed && passed >= rank)
			return min(bucket_end(i), durations.max);
	}
	return durations.max;
}

void direct_latency_get(struct direct_latency *latency)
{
	u64 samples = durations.samples;

	latency->min = durations.min;
	latency->mean = samples ? div64_u64(durations.sum, samples) : 0;
	latency->p50 = percentile(50);
	latency->p99 = percentile(99);
	latency->max = durations.max;
}

/*
 * Gives the first bucket from *@next on that has samples, and sets *@next to the
 * one after it. False: there are no more.
 */
bool direct_latency_bucket(unsigned int *next, u64 *from, u64 *to, u32 *count)
{
	unsigned int i;

	for (i = *next; i < BUCKETS; i++) {
		if (!durations.bucket[i])
			continue;
		*from = bucket_begin(i);
		*to = bucket_end(i);
		*count = durations.bucket[i];
		*next = i + 1;
		return true;
	}
	return false;
}
