#include "analysis/kernel_rules.h"

#include "base/macros.h"

const struct kernel_rule kernel_rules[] = {
	{"block-io", "I/O error, dev {node}, sector {sector}", CAUSE_IO, SEVERITY_ERROR,
	 KERNEL_NODE_BLOCK, "I/O error"},
};
const size_t n_kernel_rules = ARRAY_SIZE(kernel_rules);

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
	       cause == CAUSE_HUNG;
}

bool kernel_cause_is_event(enum kernel_cause cause)
{
	return cause != CAUSE_NONE && cause != CAUSE_REMINDER && cause != CAUSE_BENIGN &&
	       cause != CAUSE_DETAIL;
}

static void clear(struct finding *f)
{
	f->rule = NULL;
	f->cause = CAUSE_NONE;
	f->severity = SEVERITY_INFO;
	f->kind = KERNEL_NODE_NONE;
	f->node[0] = f->alias[0] = '\0';
	f->sector = f->byte = f->block = KERNEL_NUMBER_NONE;
	f->error = 0;
	f->count = 1;
	f->at_least = false;
}

bool kernel_pattern_match(const char *pattern, const char *text, struct finding *finding)
{
	(void)pattern;
	(void)text;
	clear(finding);
	return false;
}

void kernel_classify(const struct kernel_message *message, struct finding *ret)
{
	(void)message;
	clear(ret);
}
