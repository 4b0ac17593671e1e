// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Interrupts: one thread for each, since a card raises one in the middle of an
 * access that a thread of the driver makes, with locks that the handler takes.
 */
#include "kernel.h"

#define MOST_IRQS	64

static struct irq {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	irqreturn_t (*handler)(int irq, void *arg);
	irqreturn_t (*thread)(int irq, void *arg);
	void *arg;
	unsigned int disabled;
	bool used, raised, woken, runs, stop;
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

static void *irq_main(void *arg)
{
	struct irq *irq = arg;

	pthread_mutex_lock(&irq->lock);
	while (!irq->stop) {
		if (!irq->disabled && (irq->raised || irq->woken))
			irq_turn(irq, irq - irqs);
		else
			pthread_cond_wait(&irq->cond, &irq->lock);
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
	pthread_cond_broadcast(&irq->cond);
	while (irq->used)
		pthread_cond_wait(&irq->cond, &irq->lock);
	pthread_mutex_unlock(&irq->lock);
}

void enable_irq(int n)
{
	struct irq *irq = &irqs[n];

	pthread_mutex_lock(&irq->lock);
	irq->disabled--;
	pthread_cond_broadcast(&irq->cond);
	pthread_mutex_unlock(&irq->lock);
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
	pthread_cond_broadcast(&irq->cond);
	pthread_mutex_unlock(&irq->lock);
}

void irq_wake_thread(int n, void *arg)
{
	irq_ask(&irqs[n], &irqs[n].woken);
}

void sim_irq_raise(int n)
{
	irq_ask(&irqs[n], &irqs[n].raised);
}
