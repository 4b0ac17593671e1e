// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether callbacks of the system core are registered without data of theirs.
 * Stable kernels changed it, too.
 */
#include <linux/syscore_ops.h>

void probe(void);

#if PROBE
static int probe_suspend(void)
{
	return 0;
}

static struct syscore_ops probe_ops = {
	.suspend = probe_suspend,
};

void probe(void)
{
	register_syscore_ops(&probe_ops);
}
#else
static int probe_suspend(void *data)
{
	return 0;
}

static const struct syscore_ops probe_ops = {
	.suspend = probe_suspend,
};

static struct syscore probe_core = {
	.ops = &probe_ops,
};

void probe(void)
{
	register_syscore(&probe_core);
}
#endif
