/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the Rust subject needs of C: Kbuild has bindgen read this.
 */

#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "direct_target.h"
