// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Interrupts: a handler takes no lock that is held for long, nor one that is held while a
 * register is accessed, so it runs in the thread in which the card raises it, as on a
 * processor that is interrupted. What it leaves to do has a thread.
 */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"

#define MOST_IRQS	64

static struct irq {
	pthread_mutex_t lock;
	pthread_cond_t cond;		/* the handler, or the thread's turn, has ended */
	int calls;			/* of the thread, while it slept */
	irqreturn_t (*handler)(int irq, void *arg);
	irqreturn_t (*thread)(int irq, void *arg);
	void *arg;
	unsigned int disabled;
	bool used, raised, handled;	/* handled: the handler runs */
	bool woken, runs, stop, sleeps;	/* of the thread */
} irqs[MOST_IRQS] = {
	[0 ... MOST_IRQS - 1] = {
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.cond = PTHREAD_COND_INITIALIZER,
	},
};

/*
 * The lock is held, but while the handler runs. One thread at a time is in it: what is raised
 * meanwhile is left to that one.
 */
static void irq_handle(struct irq *irq)
{
	irqreturn_t rc;

	if (irq->handled)
		return;
	irq->handled = true;
	while (irq->raised && irq->used && !irq->disabled) {
		irq->raised = false;
		pthread_mutex_unlock(&irq->lock);
		rc = irq->handler(irq - irqs, irq->arg);
		pthread_mutex_lock(&irq->lock);
		irq->woken |= rc == IRQ_WAKE_THREAD;
	}
	irq->handled = false;
	pthread_cond_broadcast(&irq->cond);
}

/* The same. */
static void irq_turn(struct irq *irq)
{
	irq->woken = false;
	irq->runs = true;
	pthread_mutex_unlock(&irq->lock);
	irq->thread(irq - irqs, irq->arg);
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
	bool sleeps = irq->sleeps &&
		      (irq->stop || (irq->woken && !irq->disabled));

	if (sleeps) {
		irq->sleeps = false;
		__atomic_add_fetch(&irq->calls, 1, __ATOMIC_RELAXED);
	}
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
		if (!irq->disabled && irq->woken)
			irq_turn(irq);
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
	while (irq->used || irq->handled)
		pthread_cond_wait(&irq->cond, &irq->lock);
	pthread_mutex_unlock(&irq->lock);
}

void enable_irq(int n)
{
	struct irq *irq = &irqs[n];

	pthread_mutex_lock(&irq->lock);
	irq->disabled--;
	irq_handle(irq);
	call_and_unlock(irq);
}

void disable_irq(int n)
{
	struct irq *irq = &irqs[n];

	pthread_mutex_lock(&irq->lock);
	irq->disabled++;
	while (irq->runs || irq->handled)
		pthread_cond_wait(&irq->cond, &irq->lock);
	pthread_mutex_unlock(&irq->lock);
}

void sim_irq_raise(int n)
{
	struct irq *irq = &irqs[n];

	pthread_mutex_lock(&irq->lock);
	irq->raised = true;
	irq_handle(irq);
	call_and_unlock(irq);
}
