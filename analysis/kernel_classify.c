#include <errno.h>

#include "analysis/kernel_index.h"
#include "analysis/kernel_rules.h"

const char *kernel_cause_name(enum kernel_cause cause)
{
	static const char *const names[N_CAUSES] = {
		[CAUSE_NONE] = "none",
		[CAUSE_MEDIA] = "media",
		[CAUSE_LINK] = "link",
		[CAUSE_TIMEOUT] = "timeout",
		[CAUSE_RESET] = "reset",
		[CAUSE_GONE] = "gone",
		[CAUSE_IO] = "io",
		[CAUSE_FILE_SYSTEM] = "file_system",
		[CAUSE_SPACE] = "space",
		[CAUSE_UNSUPPORTED] = "unsupported",
		[CAUSE_THERMAL] = "thermal",
		[CAUSE_POWER] = "power",
		[CAUSE_PROTECTION] = "protection",
		[CAUSE_HUNG] = "hung",
		[CAUSE_OOM] = "oom",
		[CAUSE_PCIE_CORRECTED] = "pcie_corrected",
		[CAUSE_PCIE_ERROR] = "pcie_error",
		[CAUSE_HEALTH] = "health",
		[CAUSE_CRASH] = "crash",
		[CAUSE_REMINDER] = "reminder",
		[CAUSE_BENIGN] = "benign",
		[CAUSE_DETAIL] = "detail",
	};

	return (size_t)cause < N_CAUSES ? names[cause] : "none";
}

bool kernel_cause_is_consequence(enum kernel_cause cause)
{
	return cause == CAUSE_IO || cause == CAUSE_FILE_SYSTEM || cause == CAUSE_RESET ||
	       cause == CAUSE_HUNG || cause == CAUSE_UNSUPPORTED;
}

bool kernel_cause_is_event(enum kernel_cause cause)
{
	return cause != CAUSE_NONE && cause != CAUSE_REMINDER && cause != CAUSE_BENIGN &&
	       cause != CAUSE_DETAIL;
}

/* What drivers mean by the errors that they print. */
static enum kernel_cause cause_of_errno(int error)
{
	switch (error) {
	case EILSEQ: /* CRC of mmc */
	case ENOLINK:
	case EPROTO:
	case ECOMM:
		return CAUSE_LINK;
	case ETIMEDOUT:
	case ETIME:
		return CAUSE_TIMEOUT;
	case ENOMEDIUM:
	case ENODEV:
	case ENXIO:
		return CAUSE_GONE;
	case EOPNOTSUPP:
		return CAUSE_UNSUPPORTED;
	case ENOSPC:
		return CAUSE_SPACE;
	case ENODATA: /* a critical medium error of the block layer */
	case EBADMSG:
		return CAUSE_MEDIA;
	default:
		return CAUSE_IO;
	}
}

static void clear(struct finding *f)
{
	f->rule = NULL;
	f->cause = CAUSE_NONE;
	f->severity = SEVERITY_INFO;
	f->kind = KERNEL_NODE_NONE;
	f->node[0] = f->alias[0] = '\0';
	f->sector = f->byte = f->block = KERNEL_NUMBER_NONE;
	f->is_lba = false;
	f->error = 0;
	f->times = 1;
	f->suppressed = 0;
}

static void take_rule(const struct kernel_rule *rule, struct finding *f)
{
	f->rule = rule;
	f->cause = rule->cause == CAUSE_OF_ERRNO ? cause_of_errno(f->error) : rule->cause;
	f->severity = rule->severity;
	f->kind = *f->node ? rule->kind : KERNEL_NODE_NONE;
	if (f->sector >= 0 && f->sector <= INT64_MAX / 512)
		f->byte = f->sector * 512;
}

void kernel_classify(const struct kernel_message *message, struct finding *ret)
{
	const char *text = message->text;
	struct kernel_pairs pairs;

	clear(ret);
	if (message->facility != 0)
		return;
	while (*text == ' ')
		text++;
	kernel_pairs_of_text(text, &pairs);
	for (size_t i = 0; i < n_kernel_rules; i++) {
		if (!kernel_index_may_match(i, &pairs))
			continue;
		if (kernel_pattern_match(kernel_rules[i].pattern, text, ret)) {
			take_rule(&kernel_rules[i], ret);
			ret->times = message->repeats ? message->repeats : 1;
			return;
		}
		/* A pattern that did not match to its end may have filled holes. */
		clear(ret);
	}
}
