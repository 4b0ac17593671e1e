// SPDX-License-Identifier: GPL-2.0-only
/* Tables, trees, ranges, work, interrupts, fences and memory, as a driver relies on them. */
#include <unistd.h>

#include "../unit.h"

/* In the place of sim/cards/card.c. */
pid_t sim_pid;

static void __attribute__((constructor)) set_pid(void)
{
	sim_pid = getpid();
}

/* --- tables by number ------------------------------------------------------------ */

TEST(numbers_are_the_lowest_free_ones)
{
	struct xarray xa;
	u32 id = 0;

	xa_init_flags(&xa, XA_FLAGS_ALLOC1);
	for (u32 i = 1; i <= 100; i++) {
		WORKS(xa_alloc(&xa, &id, &xa, xa_limit_31b, GFP_KERNEL));
		assert_int_equal(id, i);
	}
	assert_ptr_equal(xa_erase(&xa, 40), &xa);
	assert_null(xa_erase(&xa, 40));
	assert_ptr_equal(xa_erase(&xa, 7), &xa);
	WORKS(xa_alloc(&xa, &id, NULL, xa_limit_31b, GFP_KERNEL));
	assert_int_equal(id, 7);
	/* Reserved, and not there yet. */
	assert_null(xa_load(&xa, 7));
	xa_store(&xa, 7, &id, GFP_KERNEL);
	assert_ptr_equal(xa_load(&xa, 7), &id);
	WORKS(xa_alloc(&xa, &id, &xa, xa_limit_31b, GFP_KERNEL));
	assert_int_equal(id, 40);
	assert_int_equal(xa_alloc(&xa, &id, &xa, XA_LIMIT(1, 100), GFP_KERNEL),
			 -EBUSY);
	xa_destroy(&xa);
}

TEST(walks_are_in_order_and_see_changes)
{
	static const unsigned long at[] = { 90, 3, 17, 4 };
	struct xarray xa;
	unsigned long index, last = 0;
	unsigned int n = 0;
	void *entry;

	xa_init(&xa);
	for (unsigned int i = 0; i < ARRAY_SIZE(at); i++)
		xa_store(&xa, at[i], &xa, GFP_KERNEL);
	xa_store(&xa, 5, NULL, GFP_KERNEL);
	xa_for_each(&xa, index, entry) {
		assert_true(index > last);
		last = index;
		xa_erase(&xa, index);
		n++;
	}
	assert_int_equal(n, ARRAY_SIZE(at));
	xa_destroy(&xa);
}

/* --- trees -------------------------------------------------------------------------- */

#define KEYS	512

static struct key { struct rb_node node; int value; bool in; } keys[KEYS];

static int value_of(const struct rb_node *node)
{
	return rb_entry(node, struct key, node)->value;
}

static int key_order(struct rb_node *a, const struct rb_node *b)
{
	return value_of(a) - value_of(b);
}

static int key_find(const void *value, const struct rb_node *node)
{
	return *(const int *)value - value_of(node);
}

static void check_tree(const struct rb_root *root)
{
	struct rb_node *node = rb_first(root);
	struct key *key, *next;
	bool seen[KEYS] = { false };
	int n = 0;

	for (int i = 0; i < KEYS; i++) {
		assert_int_equal(!!rb_find(&i, root, key_find), keys[i].in);
		if (!keys[i].in)
			continue;
		assert_ptr_equal(node, &keys[i].node);
		node = rb_next(node);
		n++;
	}
	assert_null(node);
	rbtree_postorder_for_each_entry_safe(key, next, root, node) {
		assert_true(!key->node.left || seen[value_of(key->node.left)]);
		assert_true(!key->node.right || seen[value_of(key->node.right)]);
		seen[key->value] = true;
		n--;
	}
	assert_int_equal(n, 0);
}

TEST(trees_stay_in_order)
{
	struct rb_root root = RB_ROOT;

	for (int i = 0; i < KEYS; i++)
		keys[i] = (struct key) { .value = i };
	for (int round = 0; round < 4000; round++) {
		struct key *key = &keys[get_random_u32() % KEYS];

		if (key->in)
			rb_erase(&key->node, &root);
		else
			assert_null(rb_find_add(&key->node, &root, key_order));
		key->in = !key->in;
		if (round % 200 == 0)
			check_tree(&root);
	}
	check_tree(&root);
}

/* --- ranges ----------------------------------------------------------------------- */

#define PLACES	256

/* Against a map of what is taken. */
TEST(ranges_do_not_overlap)
{
	static struct drm_mm_node nodes[64];
	bool taken[PLACES] = { false };
	struct drm_mm_node *pos;
	struct drm_mm mm;
	u64 start, end, holes;

	drm_mm_init(&mm, 1000, PLACES);
	for (int round = 0; round < 5000; round++) {
		struct drm_mm_node *node = &nodes[get_random_u32() % 64];
		bool is_free = true;
		u64 i;

		if (node->size) {
			for (i = 0; i < node->size; i++)
				taken[node->start - 1000 + i] = false;
			drm_mm_remove_node(node);
			node->size = 0;
		} else {
			node->start = 1000 + get_random_u32() % PLACES;
			node->size = 1 + get_random_u32() % 12;
			for (i = 0; i < node->size; i++)
				is_free &= node->start - 1000 + i < PLACES &&
					   !taken[node->start - 1000 + i];
			assert_int_equal(drm_mm_reserve_node(&mm, node),
					 is_free ? 0 : -ENOSPC);
			for (i = 0; i < node->size && is_free; i++)
				taken[node->start - 1000 + i] = true;
			if (!is_free)
				node->size = 0;
		}
		holes = 0;
		drm_mm_for_each_hole(pos, &mm, start, end) {
			for (; start < end; start++, holes++)
				assert_false(taken[start - 1000]);
		}
		for (i = 0; i < PLACES; i++)
			holes += taken[i];
		assert_int_equal(holes, PLACES);
	}
}

TEST(the_smallest_hole_is_taken)
{
	struct drm_mm_node wall[2] = {
		{ .start = 10, .size = 1 }, { .start = 20, .size = 1 },
	};
	struct drm_mm_node node = { .size = 0 }, odd = { .size = 0 };
	struct drm_mm mm;

	drm_mm_init(&mm, 0, 100);
	WORKS(drm_mm_reserve_node(&mm, &wall[0]));
	WORKS(drm_mm_reserve_node(&mm, &wall[1]));
	WORKS(drm_mm_insert_node_generic(&mm, &node, 5, 0, 0,
					 DRM_MM_INSERT_BEST));
	assert_int_equal(node.start, 11);
	/* Not a power of two. */
	WORKS(drm_mm_insert_node_generic(&mm, &odd, 30, 7, 0,
					 DRM_MM_INSERT_BEST));
	assert_int_equal(odd.start, 21);
	assert_int_equal(drm_mm_insert_node_generic(&mm, &(struct drm_mm_node){},
						    60, 1, 0,
						    DRM_MM_INSERT_BEST),
			 -ENOSPC);
}

/* --- work --------------------------------------------------------------------------- */

static int count;
static bool is_open;

static void counts(struct work_struct *work)
{
	__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
}

static void waits(struct work_struct *work)
{
	while (!__atomic_load_n(&is_open, __ATOMIC_SEQ_CST))
		usleep_range(100, 200);
	counts(work);
}

static void let_go(bool yes)
{
	__atomic_store_n(&is_open, yes, __ATOMIC_SEQ_CST);
}

static pid_t flusher;

static void *flushes(void *work)
{
	__atomic_store_n(&flusher, gettid(), __ATOMIC_SEQ_CST);
	return flush_work(work) ? work : NULL;
}

/* Returns when the thread waits for the work: the kernel has it asleep. */
static void flushed_by(struct work_struct *work, pthread_t *thread)
{
	char path[64], state = 0;
	FILE *file;
	pid_t tid;

	flusher = 0;
	WORKS(pthread_create(thread, NULL, flushes, work));
	while (!(tid = __atomic_load_n(&flusher, __ATOMIC_SEQ_CST)))
		usleep_range(100, 200);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	while (state != 'S') {
		usleep_range(100, 200);
		file = fopen(path, "r");
		assert_non_null(file);
		assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
		fclose(file);
	}
}

TEST(work_runs_once_for_each_time_it_waits)
{
	struct workqueue_struct *wq = alloc_ordered_workqueue("test", 0);
	struct work_struct slow, fast;
	pthread_t thread;
	void *waited;

	count = 0;
	let_go(false);
	INIT_WORK(&slow, waits);
	INIT_WORK(&fast, counts);
	assert_true(queue_work(wq, &slow));
	assert_true(queue_work(wq, &fast));
	/* It waits behind the slow one. */
	assert_false(queue_work(wq, &fast));
	flushed_by(&fast, &thread);
	let_go(true);
	pthread_join(thread, &waited);
	assert_non_null(waited);
	assert_int_equal(count, 2);
	assert_false(flush_work(&fast));
	let_go(false);
	assert_true(queue_work(wq, &slow));
	assert_true(queue_work(wq, &fast));
	assert_true(cancel_work_sync(&fast));
	let_go(true);
	destroy_workqueue(wq);
	assert_int_equal(count, 3);
}

static void frees(struct work_struct *work)
{
	free(work);
	counts(NULL);
}

TEST(work_may_free_itself)
{
	struct workqueue_struct *wq = alloc_workqueue("test", 0, 0);

	count = 0;
	for (int i = 0; i < 100; i++) {
		struct work_struct *work = malloc(sizeof(*work));

		INIT_WORK(work, frees);
		assert_true(queue_work(wq, work));
	}
	destroy_workqueue(wq);
	assert_int_equal(count, 100);
}

TEST(delayed_work_can_be_moved)
{
	struct workqueue_struct *wq = alloc_workqueue("test", 0, 0);
	struct delayed_work work;

	count = 0;
	INIT_DELAYED_WORK(&work, counts);
	assert_true(queue_delayed_work(wq, &work, 1000000));
	assert_false(queue_delayed_work(wq, &work, 1));
	assert_true(mod_delayed_work(wq, &work, 1));
	while (!__atomic_load_n(&count, __ATOMIC_SEQ_CST))
		usleep_range(100, 200);
	assert_false(cancel_delayed_work_sync(&work));
	assert_true(queue_delayed_work(wq, &work, 1000000));
	/* It may have run before it was waited for. */
	flush_delayed_work(&work);
	assert_int_equal(count, 2);
	assert_true(queue_delayed_work(wq, &work, 1000000));
	assert_true(cancel_delayed_work_sync(&work));
	destroy_workqueue(wq);
	assert_int_equal(count, 2);
}

/* --- fences ------------------------------------------------------------------------- */

static void fence_end(struct dma_fence *fence)
{
	counts(NULL);
}

static const struct dma_fence_ops fence_ops = { .release = fence_end };

static void fence_called(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	counts(NULL);
}

static void *signal_later(void *fence)
{
	msleep(20);
	dma_fence_signal_timestamp(fence, 4711);
	return NULL;
}

TEST(fences_end_once)
{
	struct dma_fence fence, other, *both[] = { &other, &fence };
	struct dma_fence_cb first, second;
	spinlock_t lock;
	pthread_t thread;
	u32 index = 9;

	count = 0;
	spin_lock_init(&lock);
	dma_fence_init(&fence, &fence_ops, &lock, 1, 1);
	dma_fence_init(&other, &fence_ops, &lock, 2, 1);
	assert_int_equal(dma_fence_wait_timeout(&fence, true, 0), 0);
	assert_int_equal(dma_fence_wait_timeout(&fence, true, 2), 0);
	WORKS(dma_fence_add_callback(&fence, &first, fence_called));
	WORKS(dma_fence_add_callback(&fence, &second, fence_called));
	assert_true(dma_fence_remove_callback(&fence, &first));
	pthread_create(&thread, NULL, signal_later, &fence);
	assert_true(dma_fence_wait_any_timeout(both, 2, true,
					       MAX_SCHEDULE_TIMEOUT, &index) > 0);
	assert_int_equal(index, 1);
	pthread_join(thread, NULL);
	assert_int_equal(count, 1);
	assert_int_equal(dma_fence_timestamp(&fence), 4711);
	assert_int_equal(dma_fence_signal_timestamp(&fence, 1), -EINVAL);
	assert_int_equal(dma_fence_add_callback(&fence, &first, fence_called),
			 -ENOENT);
	assert_int_equal(dma_fence_get_status(&fence), 1);
	assert_int_equal(dma_fence_get_status(&other), 0);
	dma_fence_put(dma_fence_get(&fence));
	dma_fence_put(&fence);
	assert_int_equal(count, 2);
}

/* --- timeouts ----------------------------------------------------------------------- */

static bool arrived;
static unsigned int settled;

static bool has_arrived(void)
{
	return arrived;
}

/* What was late comes while the cards get time for it. */
static void arrives(void)
{
	arrived = true;
	settled++;
}

static void does_not_arrive(void)
{
	settled++;
}

TEST(a_timeout_gives_the_cards_time)
{
	bool there;

	settled = 0;
	sim_settle = does_not_arrive;
	assert_int_equal(read_poll_timeout(has_arrived, there, there, 10, 100, true),
			 -ETIMEDOUT);
	assert_int_equal(settled, 1);
	sim_settle = arrives;
	assert_int_equal(read_poll_timeout(has_arrived, there, there, 0, 10, false),
			 -ETIMEDOUT);
	assert_int_equal(settled, 1);
	WORKS(read_poll_timeout(has_arrived, there, there, 10, 100, true));
	assert_int_equal(settled, 2);
	sim_settle = NULL;
}

/* --- interrupts ------------------------------------------------------------------- */

static struct {
	unsigned int handled, ran;
	irqreturn_t says;
	pthread_t where;	/* the handler ran */
} irq_seen;

static irqreturn_t irq_handler(int irq, void *arg)
{
	assert_ptr_equal(arg, &irq_seen);
	irq_seen.handled++;
	irq_seen.where = pthread_self();
	return irq_seen.says;
}

static irqreturn_t irq_thread(int irq, void *arg)
{
	__atomic_add_fetch(&irq_seen.ran, 1, __ATOMIC_RELEASE);
	return IRQ_HANDLED;
}

TEST(handlers_run_where_the_card_raises)
{
	irq_seen.says = IRQ_HANDLED;
	sim_irq_raise(5);
	WORKS(request_threaded_irq(5, irq_handler, irq_thread, IRQF_NO_AUTOEN,
				   "test", &irq_seen));
	enable_irq(5);
	assert_int_equal(irq_seen.handled, 0);
	sim_irq_raise(5);
	assert_int_equal(irq_seen.handled, 1);
	assert_true(pthread_equal(irq_seen.where, pthread_self()));
	/* It comes late, and once. */
	disable_irq(5);
	sim_irq_raise(5);
	sim_irq_raise(5);
	assert_int_equal(irq_seen.handled, 1);
	irq_seen.says = IRQ_WAKE_THREAD;
	enable_irq(5);
	assert_int_equal(irq_seen.handled, 2);
	while (!__atomic_load_n(&irq_seen.ran, __ATOMIC_ACQUIRE))
		sim_sleep_ns(NSEC_PER_MSEC);
	disable_irq(5);
	assert_int_equal(irq_seen.ran, 1);
	free_irq(5, &irq_seen);
	sim_irq_raise(5);
	assert_int_equal(irq_seen.handled, 2);
}

/* --- memory ------------------------------------------------------------------------- */

TEST(what_is_not_there_is_a_fault)
{
	char *p = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct page *pages[2];
	char text[16];

	assert_true(p != MAP_FAILED);
	munmap(p + PAGE_SIZE, PAGE_SIZE);
	memset(p, 'x', PAGE_SIZE);
	memset(text, 'y', sizeof(text));
	assert_int_equal(copy_from_user(text, p + PAGE_SIZE - 6, 16), 10);
	assert_memory_equal(text, "xxxxxx\0\0\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(copy_to_user(p + PAGE_SIZE, text, 1), 1);
	assert_int_equal(copy_to_user(NULL, text, 16), 16);
	assert_int_equal(pin_user_pages_fast((uintptr_t)p, 2, FOLL_WRITE,
					     pages), 1);
	assert_ptr_equal(pages[0], p);
	assert_int_equal(pin_user_pages_fast((uintptr_t)p + PAGE_SIZE, 1,
					     FOLL_WRITE, pages), -EFAULT);
	munmap(p, PAGE_SIZE);
}

TEST(pages_in_a_row_are_one_segment)
{
	char *p = mmap(NULL, 8 * PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sg_append_table table = { };
	struct page *pages[8];

	for (int i = 0; i < 8; i++)
		pages[i] = (struct page *)(p + (i < 5 ? i : i + 1) * PAGE_SIZE);
	WORKS(sg_alloc_append_table_from_pages(&table, pages, 8, 100,
					       8 * PAGE_SIZE - 300, 3 * PAGE_SIZE,
					       0, GFP_KERNEL));
	/* Up to three pages, and a gap behind the fifth. */
	assert_int_equal(table.sgt.nents, 3);
	assert_int_equal(table.sgt.sgl[0].offset, 100);
	assert_int_equal(table.sgt.sgl[0].length, 3 * PAGE_SIZE - 100);
	assert_int_equal(table.sgt.sgl[1].length, 2 * PAGE_SIZE);
	assert_ptr_equal(table.sgt.sgl[2].page, pages[5]);
	assert_int_equal(table.sgt.sgl[2].length, 3 * PAGE_SIZE - 200);
	sg_free_append_table(&table);
	munmap(p, 8 * PAGE_SIZE);
}

TEST(memory_for_the_card_is_zeroed)
{
	dma_addr_t dma, again;
	char *p = dma_alloc_coherent(NULL, 5000, &dma, GFP_KERNEL);

	assert_non_null(p);
	assert_true(sim_dma_is_coherent(dma, 8192));
	assert_false(sim_dma_is_coherent((uintptr_t)&dma, 1));
	memset(p, 1, 8192);
	dma_free_coherent(NULL, 5000, p, dma);
	p = dma_alloc_coherent(NULL, 8192, &again, GFP_KERNEL);
	assert_int_equal(again, dma);
	assert_null(memchr_inv(p, 0, 8192));
	dma_free_coherent(NULL, 8192, p, again);
}

/* --- numbers in strings ---------------------------------------------------------------- */

TEST(numbers_are_read_whole)
{
	unsigned long value;

	WORKS(kstrtoul("12\n", 0, &value));
	assert_int_equal(value, 12);
	WORKS(kstrtoul("0x10", 0, &value));
	assert_int_equal(value, 16);
	assert_int_equal(kstrtoul("12 ", 0, &value), -EINVAL);
	assert_int_equal(kstrtoul("-1", 0, &value), -EINVAL);
	assert_int_equal(kstrtoul("", 0, &value), -EINVAL);
	assert_int_equal(kstrtoul("99999999999999999999", 0, &value), -ERANGE);
	assert_int_equal(crc32_le(~0u, "123456789", 9), 0x340bc6d9);
}
