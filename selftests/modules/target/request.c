// SPDX-License-Identifier: GPL-2.0-only
/*
 * The words written to `run`.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "target.h"

#define DURATION_MS_MAX		(60 * 60 * 1000)
#define SETTLE_MS_MAX		(60 * 1000)
#define SETTLE_MS_DEFAULT	200

enum word {
	WORD_DURATION_MS,
	WORD_WORKERS,
	WORD_TARGETS,
	WORD_SEED,
	WORD_SETTLE_MS,
	WORDS,
};

static const struct {
	const char *key;
	u64 min;
	u64 max;
	bool required;
} words[WORDS] = {
	[WORD_DURATION_MS] = { "duration_ms", 1, DURATION_MS_MAX, true },
	[WORD_WORKERS] = { "workers", 1, DIRECT_WORKERS_MAX, true },
	[WORD_TARGETS] = { "targets", 1, DIRECT_TARGETS_MAX, true },
	[WORD_SEED] = { "seed", 0, U64_MAX, true },
	[WORD_SETTLE_MS] = { "settle_ms", 0, SETTLE_MS_MAX, false },
};

static int parse_word(char *word, u64 values[WORDS], unsigned long *given)
{
	char *number = word;
	char *key = strsep(&number, "=");
	unsigned int i;

	for (i = 0; i < WORDS; i++)
		if (!strcmp(key, words[i].key))
			break;
	if (i == WORDS) {
		pr_err("run: unknown key '%s'\n", key);
		return -EINVAL;
	}
	if (*given & BIT(i)) {
		pr_err("run: '%s' is given twice\n", key);
		return -EINVAL;
	}
	if (!number || kstrtoull(number, 10, &values[i])) {
		pr_err("run: '%s' wants a decimal number, not '%s'\n", key,
		       number ?: "");
		return -EINVAL;
	}
	if (values[i] < words[i].min || values[i] > words[i].max) {
		pr_err("run: '%s=%s' is not between %llu and %llu\n", key,
		       number, words[i].min, words[i].max);
		return -EINVAL;
	}
	*given |= BIT(i);
	return 0;
}

/*
 * Parses @line, which is written to. Returns 0, or -EINVAL with a line on the
 * console that names the word.
 */
int direct_request_parse(char *line, struct direct_request *request)
{
	u64 values[WORDS] = { [WORD_SETTLE_MS] = SETTLE_MS_DEFAULT };
	unsigned long given = 0;
	unsigned int i;
	char *word;
	int err;

	while ((word = strsep(&line, " \t\n"))) {
		if (!*word)
			continue;
		err = parse_word(word, values, &given);
		if (err)
			return err;
	}
	for (i = 0; i < WORDS; i++) {
		if (words[i].required && !(given & BIT(i))) {
			pr_err("run: '%s' is missing\n", words[i].key);
			return -EINVAL;
		}
	}

	request->duration_ms = values[WORD_DURATION_MS];
	request->workers = values[WORD_WORKERS];
	request->targets = values[WORD_TARGETS];
	request->seed = values[WORD_SEED];
	request->settle_ms = values[WORD_SETTLE_MS];
	return 0;
}
