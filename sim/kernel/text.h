/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Text: the log, attributes, numbers in strings. */
#ifndef SIM_KERNEL_TEXT_H
#define SIM_KERNEL_TEXT_H

#include <stdio.h>

#include "device.h"
#include "file.h"

/* As a kernel's: error, warning, notice, and what only a developer wants. */
enum sim_level { SIM_ERR, SIM_WARN, SIM_INFO, SIM_DBG };

void sim_log(const struct device *dev, enum sim_level level, const char *fmt,
	     ...) __printf(3, 4);

/*
 * Of one place in the code, ten lines in five seconds, as a kernel's. How many were left out
 * is said with the next line, or at the end of the process.
 */
struct sim_limit {
	const char *function;
	u64 begin_ns;
	unsigned int lines, left_out;
	bool listed;
	struct sim_limit *next;
};

bool sim_may_log(struct sim_limit *limit, enum sim_level level);

#define sim_log_ratelimited(dev, level, ...)				\
	({ static struct sim_limit sim_limit = { .function = __func__ };	\
	   if (sim_may_log(&sim_limit, level))				\
		sim_log(dev, level, __VA_ARGS__); })

#define dev_err(dev, ...)	sim_log(dev, SIM_ERR, __VA_ARGS__)
#define dev_info(dev, ...)	sim_log(dev, SIM_INFO, __VA_ARGS__)
#define dev_info_ratelimited(dev, ...) \
	sim_log_ratelimited(dev, SIM_INFO, __VA_ARGS__)
#define dev_err_probe(dev, err, ...)					\
	({ int sim_err = (int)(err);					\
	   dev_err(dev, "error %d:\n", sim_err);			\
	   dev_err(dev, __VA_ARGS__);					\
	   sim_err; })
#define pci_info(pdev, ...)	dev_info(&(pdev)->dev, __VA_ARGS__)
#define drm_err(drm, ...)	sim_log((drm)->dev, SIM_ERR, __VA_ARGS__)
#define drm_err_ratelimited(drm, ...) \
	sim_log_ratelimited((drm)->dev, SIM_ERR, __VA_ARGS__)
#define drm_warn(drm, ...)	sim_log((drm)->dev, SIM_WARN, __VA_ARGS__)
#define drm_notice(drm, ...)	sim_log((drm)->dev, SIM_INFO, __VA_ARGS__)
#define drm_info(drm, ...)	sim_log((drm)->dev, SIM_INFO, __VA_ARGS__)
#define drm_dbg(drm, ...)	sim_log((drm)->dev, SIM_DBG, __VA_ARGS__)
#define drm_WARN_ON(drm, cond)						\
	({ bool sim_bad = (cond);					\
	   if (sim_bad)							\
		sim_log((drm)->dev, SIM_ERR, "%s\n", #cond);		\
	   sim_bad; })
#define WARN_ON_ONCE(cond)						\
	({ bool sim_bad = (cond);					\
	   if (sim_bad)							\
		sim_log(NULL, SIM_ERR, "%s\n", #cond);			\
	   sim_bad; })

int scnprintf(char *buf, size_t size, const char *fmt, ...) __printf(3, 4);
int sysfs_emit(char *buf, const char *fmt, ...) __printf(2, 3);
bool sysfs_streq(const char *a, const char *b);
int kstrtou64(const char *text, unsigned int base, u64 *value);
int kstrtoul(const char *text, unsigned int base, unsigned long *value);
ssize_t memory_read_from_buffer(void *to, size_t count, loff_t *pos,
				const void *from, size_t available);
#define is_valid_ether_addr(a)	(!((a)[0] & 1) && \
				 ((a)[0] | (a)[1] | (a)[2] | (a)[3] | (a)[4] | \
				  (a)[5]))
#define ether_addr_copy(to, from) memcpy(to, from, 6)
#define eth_random_addr(a)	(get_random_bytes(a, 6), \
				 (void)((a)[0] = ((a)[0] & 0xfe) | 2))
#define ETH_ALEN		6

/* Text into a buffer that the caller gives; what does not fit is lost. */
struct seq_file { char *buf; size_t size, count; void *private; };

void seq_printf(struct seq_file *s, const char *fmt, ...) __printf(2, 3);
#define seq_puts(s, text)	seq_printf(s, "%s", text)
#define seq_putc(s, c)		seq_printf(s, "%c", c)
#define seq_has_overflowed(s)	((s)->count == (s)->size)

struct sim_utsname { char release[65]; };
const struct sim_utsname *utsname(void);

/* --- a module: what the cards call, and show, of the one that there is --- */

#define MODULE_VERSION(text)	const char sim_module_version[] = text; \
				struct sim_unused
/* Parameters are what GAUDI_SIM_PARAMS says. */
#define module_param_named(name, variable, type, mode)			\
	static void __attribute__((constructor)) sim_param_##name(void)	\
	{								\
		sim_module_param(#name, #type, &(variable));		\
	}								\
	struct sim_unused
void sim_module_param(const char *name, const char *type, void *variable);
/* Bytes of the text, or -ENOENT. */
int sim_module_param_show(const char *name, char *text, size_t size);
/* Number @n's, or NULL. */
const char *sim_module_param_name(unsigned int n);

#define module_init(fn)		int sim_module_init(void) { return fn(); } \
				struct sim_unused
#define module_exit(fn)		void sim_module_exit(void) { fn(); } \
				struct sim_unused

/* --- tracepoints: none, but what the cards' model of time needs: ../host/clock.c --- */

#define GAUDI_TRACE_H
#define SIM_NO_TRACE(...)	((void)0)
#define trace_gaudi_cpucp		SIM_NO_TRACE
#define trace_gaudi_event		SIM_NO_TRACE
#define trace_gaudi_queue_push		SIM_NO_TRACE
void trace_gaudi_queue_done(struct device *dev, u32 qid, u32 slot);
void trace_gaudi_job_done(struct device *dev, u32 qid, struct dma_fence *fence);
#define trace_habanalabs_rreg32		SIM_NO_TRACE
#define trace_habanalabs_wreg32		SIM_NO_TRACE
#define trace_habanalabs_elbi_read	SIM_NO_TRACE
#define trace_habanalabs_elbi_write	SIM_NO_TRACE
#define trace_habanalabs_dma_alloc	SIM_NO_TRACE
#define trace_habanalabs_dma_free	SIM_NO_TRACE
#define trace_habanalabs_dma_map_page	SIM_NO_TRACE
#define trace_habanalabs_dma_unmap_page	SIM_NO_TRACE
#define trace_habanalabs_dma_map_page_enabled() false
#define trace_habanalabs_dma_unmap_page_enabled() false
#define trace_habanalabs_mmu_map	SIM_NO_TRACE
#define trace_habanalabs_mmu_unmap	SIM_NO_TRACE
#define trace_habanalabs_mmu_map_enabled() false
#define trace_habanalabs_mmu_unmap_enabled() false
#define trace_habanalabs_comms_protocol_cmd SIM_NO_TRACE
#define trace_habanalabs_comms_send_cmd	SIM_NO_TRACE
#define trace_habanalabs_comms_wait_status SIM_NO_TRACE
#define trace_habanalabs_comms_wait_status_done SIM_NO_TRACE

#endif /* SIM_KERNEL_TEXT_H */
