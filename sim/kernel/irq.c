// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Interrupts: one thread for each, since a card raises one in the middle of an
 * access that a thread of the driver makes, with locks that the handler takes.
 */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"

#define MOST_IRQS	64

static struct irq {
	pthread_mutex_t lock;
	pthread_cond_t cond;		/* its thread has ended, or does not run */
	int calls;			/* of the thread, while it slept */
	irqreturn_t (*handler)(int irq, void *arg);
	irqreturn_t (*thread)(int irq, void *arg);
	void *arg;
	unsigned int disabled;
	bool used, raised, woken, runs, stop, sleeps;
} irqs[MOST_IRQS] = {
	[0 ... MOST_IRQS - 1] = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.cond = PTHREAD_COND_INITIALIZER,
	},
};

/* The lock is held, but while a function runs. */
static void irq_turn(struct irq *irq, int n)
{
	bool raised = irq->raised, woken = irq->woken;
	irqreturn_t rc = IRQ_HANDLED;

	irq->raised = false;
	irq->woken = false;
	irq->runs = true;
	pthread_mutex_unlock(&irq->lock);
	if (raised)
		rc = irq->handler(n, irq->arg);
	if (woken || rc == IRQ_WAKE_THREAD)
		irq->thread(n, irq->arg);
	pthread_mutex_lock(&irq->lock);
	irq->runs = false;
	pthread_cond_broadcast(&irq->cond);
}

/*
 * The lock is held, and let go. The thread is not woken while it would only wait for the
 * lock, and it is the only one that sleeps so: a condition variable takes three system calls
 * more for each interrupt.
 */
static void call_and_unlock(struct irq *irq)
{
	bool sleeps = irq->sleeps;

	irq->sleeps = false;
	if (sleeps)
		__atomic_add_fetch(&irq->calls, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&irq->lock);
	if (sleeps)
		syscall(SYS_futex, &irq->calls, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* The lock is held, but while it sleeps. */
static void irq_sleep(struct irq *irq)
{
	int calls = irq->calls;

	irq->sleeps = true;
	pthread_mutex_unlock(&irq->lock);
	syscall(SYS_futex, &irq->calls, FUTEX_WAIT_PRIVATE, calls, NULL);
	pthread_mutex_lock(&irq->lock);
}

static void *irq_main(void *arg)
{
	struct irq *irq = arg;

	pthread_mutex_lock(&irq->lock);
	while (!irq->stop) {
		if (!irq->disabled && (irq->raised || irq->woken))
			irq_turn(irq, irq - irqs);
		else
			irq_sleep(irq);
	}
	irq->used = false;
	pthread_cond_broadcast(&irq->cond);
	pthread_mutex_unlock(&irq->lock);
	return NULL;
}

int request_threaded_irq(int n, irqreturn_t (*handler)(int irq, void *arg),
			 irqreturn_t (*thread)(int irq, void *arg),
			 unsigned long flags, const char *name, void *arg)
{
	struct irq *irq = &irqs[n];

	pthread_mutex_lock(&irq->lock);
	irq->handler = handler;
	irq->thread = thread;
	irq->arg = arg;
	irq->disabled = !!(flags & IRQF_NO_AUTOEN);
	irq->raised = false;
	irq->woken = false;
	irq->stop = false;
	irq->used = true;
	pthread_mutex_unlock(&irq->lock);
	sim_thread_start(irq_main, irq);
	return 0;
}

void free_irq(int n, void *arg)
{
	struct irq *irq = &irqs[n];

	pthread_mutex_lock(&irq->lock);
	irq->stop = true;
	call_and_unlock(irq);
	pthread_mutex_lock(&irq->lock);
	while (irq->used)
		pthread_cond_wait(&irq->cond, &irq->lock);
	pthread_mutex_unlock(&irq->lock);
}

void enable_irq(int n)
{
	struct irq *irq = &irqs[n];

	pthread_mutex_lock(&irq->lock);
	irq->disabled--;
	call_and_unlock(irq);
}

void disable_irq(int n)
{
	struct irq *irq = &irqs[n];

	pthread_mutex_lock(&irq->lock);
	irq->disabled++;
	while (irq->runs)
		pthread_cond_wait(&irq->cond, &irq->lock);
	pthread_mutex_unlock(&irq->lock);
}

static void irq_ask(struct irq *irq, bool *what)
{
	pthread_mutex_lock(&irq->lock);
	*what = true;
	call_and_unlock(irq);
}

void irq_wake_thread(int n, void *arg)
{
	irq_ask(&irqs[n], &irqs[n].woken);
}

void sim_irq_raise(int n)
{
	irq_ask(&irqs[n], &irqs[n].raised);
}
