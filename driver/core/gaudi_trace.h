/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints beside mainline's: messages, jobs, events. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gaudi

#if !defined(GAUDI_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GAUDI_TRACE_H

#include <linux/dma-fence.h>
#include <linux/tracepoint.h>

TRACE_EVENT(gaudi_cpucp,
	TP_PROTO(struct device *dev, u32 opcode, int err, u64 result, u64 ns),
	TP_ARGS(dev, opcode, err, result, ns),
	TP_STRUCT__entry(
		__string(dname, dev_name(dev))
		__field(u32, opcode)
		__field(int, err)
		__field(u64, result)
		__field(u64, ns)
	),
	TP_fast_assign(
		__assign_str(dname);
		__entry->opcode = opcode;
		__entry->err = err;
		__entry->result = result;
		__entry->ns = ns;
	),
	TP_printk("%s: opcode %#x: %d, result %#llx, %llu ns",
		  __get_str(dname), __entry->opcode, __entry->err,
		  __entry->result, __entry->ns)
);

TRACE_EVENT(gaudi_event,
	TP_PROTO(struct device *dev, u32 id, u32 ctl),
	TP_ARGS(dev, id, ctl),
	TP_STRUCT__entry(
		__string(dname, dev_name(dev))
		__field(u32, id)
		__field(u32, ctl)
	),
	TP_fast_assign(
		__assign_str(dname);
		__entry->id = id;
		__entry->ctl = ctl;
	),
	TP_printk("%s: event %u, ctl %#x", __get_str(dname), __entry->id,
		  __entry->ctl)
);

TRACE_EVENT(gaudi_queue_push,
	TP_PROTO(struct device *dev, u32 qid, u64 addr, u32 len),
	TP_ARGS(dev, qid, addr, len),
	TP_STRUCT__entry(
		__string(dname, dev_name(dev))
		__field(u32, qid)
		__field(u64, addr)
		__field(u32, len)
	),
	TP_fast_assign(
		__assign_str(dname);
		__entry->qid = qid;
		__entry->addr = addr;
		__entry->len = len;
	),
	TP_printk("%s: queue %u: %u bytes at %#llx", __get_str(dname),
		  __entry->qid, __entry->len, __entry->addr)
);

TRACE_EVENT(gaudi_queue_done,
	TP_PROTO(struct device *dev, u32 qid, u32 slot),
	TP_ARGS(dev, qid, slot),
	TP_STRUCT__entry(
		__string(dname, dev_name(dev))
		__field(u32, qid)
		__field(u32, slot)
	),
	TP_fast_assign(
		__assign_str(dname);
		__entry->qid = qid;
		__entry->slot = slot;
	),
	TP_printk("%s: queue %u: slot %u", __get_str(dname), __entry->qid,
		  __entry->slot)
);

TRACE_EVENT(gaudi_job_done,
	TP_PROTO(struct device *dev, u32 qid, struct dma_fence *fence),
	TP_ARGS(dev, qid, fence),
	TP_STRUCT__entry(
		__string(dname, dev_name(dev))
		__field(u32, qid)
		__field(u64, seq)
	),
	TP_fast_assign(
		__assign_str(dname);
		__entry->qid = qid;
		__entry->seq = fence->seqno;
	),
	TP_printk("%s: queue %u: a job of CS %llu", __get_str(dname),
		  __entry->qid, __entry->seq)
);

#endif /* GAUDI_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE gaudi_trace
#include <trace/define_trace.h>
