/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What driver/tests needs of KUnit, and of a kernel beyond sim/kernel, in a process: the
 * compiler includes this before each of these files. Names and meanings are KUnit's.
 */
#ifndef SIM_KUNIT_H
#define SIM_KUNIT_H

#include <setjmp.h>
#include <stdio.h>

struct kunit {
	void *priv;
	bool failed;
	jmp_buf end;		/* where an assertion that does not hold goes */
	struct device dev;	/* what goes with the test belongs to it */
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	void (*exit)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(fn)		{ fn, #fn }
#define KUNIT_CASE_SLOW(fn)	KUNIT_CASE(fn)
void sim_kunit_add(const struct kunit_suite *suite);
#define kunit_test_suite(suite)						\
	static void __attribute__((constructor)) sim_kunit_##suite(void)	\
	{								\
		sim_kunit_add(&(suite));				\
	}								\
	struct sim_unused

struct kunit *kunit_get_current_test(void);
/* Does not return if @fatal. */
__printf(6, 7)
void sim_kunit_failed(struct kunit *test, bool fatal, const char *file,
		      int line, const char *what, const char *fmt, ...);

#define kunit_kzalloc(test, size, gfp)	devm_kzalloc(&(test)->dev, size, gfp)
#define kunit_add_action_or_reset(test, fn, arg) \
	devm_add_action_or_reset(&(test)->dev, fn, arg)

#define sim_kunit(test, fatal, held, what, ...)				\
do {									\
	if (!(held))							\
		sim_kunit_failed(test, fatal, __FILE__, __LINE__, what,	\
				 __VA_ARGS__);				\
} while (0)
#define sim_kunit_cmp(test, fatal, a, op, b, ...)			\
do {									\
	__auto_type sim_a = (a);					\
	__auto_type sim_b = (b);					\
									\
	sim_kunit(test, fatal, sim_a op sim_b, #a " " #op " " #b,	\
		  __VA_ARGS__);						\
} while (0)

#define KUNIT_EXPECT_EQ(test, a, b)	sim_kunit_cmp(test, false, a, ==, b, " ")
#define KUNIT_EXPECT_NE(test, a, b)	sim_kunit_cmp(test, false, a, !=, b, " ")
#define KUNIT_EXPECT_LT(test, a, b)	sim_kunit_cmp(test, false, a, <, b, " ")
#define KUNIT_EXPECT_LE(test, a, b)	sim_kunit_cmp(test, false, a, <=, b, " ")
#define KUNIT_EXPECT_GT(test, a, b)	sim_kunit_cmp(test, false, a, >, b, " ")
#define KUNIT_EXPECT_GE(test, a, b)	sim_kunit_cmp(test, false, a, >=, b, " ")
#define KUNIT_EXPECT_PTR_EQ(test, a, b)	KUNIT_EXPECT_EQ(test, a, b)
#define KUNIT_EXPECT_EQ_MSG(test, a, b, ...) \
	sim_kunit_cmp(test, false, a, ==, b, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(test, x, ...) \
	sim_kunit(test, false, x, #x, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(test, x, ...) \
	sim_kunit(test, false, !(x), "not " #x, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(test, x)	KUNIT_EXPECT_TRUE_MSG(test, x, " ")
#define KUNIT_EXPECT_FALSE(test, x)	KUNIT_EXPECT_FALSE_MSG(test, x, " ")
#define KUNIT_EXPECT_NULL(test, x)	KUNIT_EXPECT_FALSE(test, x)
#define KUNIT_EXPECT_NOT_NULL(test, x)	KUNIT_EXPECT_TRUE(test, x)
#define KUNIT_EXPECT_STREQ(test, a, b)	KUNIT_EXPECT_TRUE(test, !strcmp(a, b))
#define KUNIT_ASSERT_EQ(test, a, b)	sim_kunit_cmp(test, true, a, ==, b, " ")
#define KUNIT_ASSERT_LT(test, a, b)	sim_kunit_cmp(test, true, a, <, b, " ")
#define KUNIT_ASSERT_TRUE(test, x)	sim_kunit(test, true, x, #x, " ")
#define KUNIT_ASSERT_FALSE(test, x)	sim_kunit(test, true, !(x), "not " #x, " ")
#define KUNIT_ASSERT_NOT_NULL(test, x)	KUNIT_ASSERT_TRUE(test, x)
#define KUNIT_FAIL(test, ...)		sim_kunit(test, false, false, "no way", \
						  __VA_ARGS__)

/* --- of a kernel --- */

#define phys_to_virt(addr)	((void *)(uintptr_t)(addr))
#define strstarts(text, start)	(!strncmp(text, start, strlen(start)))

static inline u64 get_random_u64(void)
{
	return (u64)get_random_u32() << 32 | get_random_u32();
}

static inline u32 get_random_u32_below(u32 end)
{
	return get_random_u32() % end;
}

static inline u32 get_random_u32_inclusive(u32 least, u32 most)
{
	return least + get_random_u32_below(most - least + 1);
}

#endif /* SIM_KUNIT_H */
