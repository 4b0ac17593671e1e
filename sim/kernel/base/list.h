/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Lists: rings of two pointers, stacks that several threads push to, queues. */
#ifndef SIM_KERNEL_LIST_H
#define SIM_KERNEL_LIST_H

#include "types.h"

struct list_head { struct list_head *next, *prev; };

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head;
	head->prev = head;
}

static inline void sim_list_insert(struct list_head *node,
				   struct list_head *prev,
				   struct list_head *next)
{
	node->prev = prev;
	node->next = next;
	prev->next = node;
	next->prev = node;
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	sim_list_insert(node, head, head->next);
}

static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	sim_list_insert(node, head->prev, head);
}

static inline void list_del(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	node->next = NULL;
	node->prev = NULL;
}

static inline void list_del_init(struct list_head *node)
{
	list_del(node);
	INIT_LIST_HEAD(node);
}

static inline void list_move(struct list_head *node, struct list_head *head)
{
	list_del(node);
	list_add(node, head);
}

static inline void list_move_tail(struct list_head *node,
				  struct list_head *head)
{
	list_del(node);
	list_add_tail(node, head);
}

static inline bool list_empty(const struct list_head *head)
{
	return READ_ONCE(head->next) == head;
}

static inline bool list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

static inline size_t list_count_nodes(const struct list_head *head)
{
	const struct list_head *node;
	size_t n = 0;

	for (node = head->next; node != head; node = node->next)
		n++;
	return n;
}

/* Between prev and next, neighbours. */
static inline void sim_list_splice(struct list_head *from,
				   struct list_head *prev,
				   struct list_head *next)
{
	if (list_empty(from))
		return;
	from->next->prev = prev;
	prev->next = from->next;
	from->prev->next = next;
	next->prev = from->prev;
	INIT_LIST_HEAD(from);
}

static inline void list_splice_init(struct list_head *from,
				    struct list_head *head)
{
	sim_list_splice(from, head, head->next);
}

static inline void list_splice_tail_init(struct list_head *from,
					 struct list_head *head)
{
	sim_list_splice(from, head->prev, head);
}

#define list_entry(node, type, member)	container_of(node, type, member)
#define list_first_entry(head, type, member) \
	list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) \
	list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member) \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))
#define list_next_entry(pos, member) \
	list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_prev_entry(pos, member) \
	list_entry((pos)->member.prev, __typeof__(*(pos)), member)
#define list_prepare_entry(pos, head, member) \
	((pos) ?: list_entry(head, __typeof__(*(pos)), member))
#define list_for_each_entry(pos, head, member)				\
	for ((pos) = list_first_entry(head, __typeof__(*(pos)), member);\
	     &(pos)->member != (head); (pos) = list_next_entry(pos, member))
#define list_for_each_entry_reverse(pos, head, member)			\
	for ((pos) = list_last_entry(head, __typeof__(*(pos)), member);	\
	     &(pos)->member != (head); (pos) = list_prev_entry(pos, member))
#define list_for_each_entry_continue(pos, head, member)			\
	for ((pos) = list_next_entry(pos, member);			\
	     &(pos)->member != (head); (pos) = list_next_entry(pos, member))
#define list_for_each_entry_safe(pos, n, head, member)			\
	for ((pos) = list_first_entry(head, __typeof__(*(pos)), member),\
	     (n) = list_next_entry(pos, member);			\
	     &(pos)->member != (head);					\
	     (pos) = (n), (n) = list_next_entry(n, member))

/* --- many push, one takes all --- */

struct llist_node { struct llist_node *next; };
struct llist_head { struct llist_node *first; };

static inline void init_llist_head(struct llist_head *head)
{
	head->first = NULL;
}

static inline bool llist_add(struct llist_node *node, struct llist_head *head)
{
	struct llist_node *first = READ_ONCE(head->first);

	do {
		node->next = first;
	} while (!__atomic_compare_exchange_n(&head->first, &first, node, false,
					      __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	return !first;
}

static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	return __atomic_exchange_n(&head->first, NULL, __ATOMIC_SEQ_CST);
}

static inline struct llist_node *llist_reverse_order(struct llist_node *node)
{
	struct llist_node *next, *done = NULL;

	for (; node; node = next) {
		next = node->next;
		node->next = done;
		done = node;
	}
	return done;
}

#define sim_llist_entry(node, type, member) \
	((node) ? container_of(node, type, member) : NULL)
#define llist_for_each_entry(pos, node, member)				\
	for ((pos) = sim_llist_entry(node, __typeof__(*(pos)), member);	\
	     (pos);							\
	     (pos) = sim_llist_entry((pos)->member.next,		\
				     __typeof__(*(pos)), member))

/* --- one puts, one gets --- */

#define DECLARE_KFIFO(name, type, count) \
	struct { unsigned int in, out; type data[count]; } name
#define INIT_KFIFO(fifo)	((fifo).in = (fifo).out = 0)
#define kfifo_put(fifo, value)						\
	((fifo)->in - (fifo)->out < ARRAY_SIZE((fifo)->data) ?		\
	 ((fifo)->data[(fifo)->in % ARRAY_SIZE((fifo)->data)] = (value),\
	  __atomic_store_n(&(fifo)->in, (fifo)->in + 1, __ATOMIC_RELEASE),\
	  1) : 0)
#define kfifo_get(fifo, to)						\
	(__atomic_load_n(&(fifo)->in, __ATOMIC_ACQUIRE) != (fifo)->out ?\
	 (*(to) = (fifo)->data[(fifo)->out % ARRAY_SIZE((fifo)->data)],	\
	  __atomic_store_n(&(fifo)->out, (fifo)->out + 1,		\
			   __ATOMIC_RELEASE), 1) : 0)

#endif /* SIM_KERNEL_LIST_H */
