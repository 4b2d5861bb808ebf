#include "analysis/log_links.h"

#include <string.h>

#include "analysis/incident_parts.h"
#include "base/parse.h"

/* "host0" and "0:0:0:0" begin with the number of a host behind their prefix. */
static bool host_number(struct slice word, size_t prefix, int64_t *ret)
{
	struct slice rest = {word.p + prefix, word.len - prefix}, number;

	return word.len > prefix && slice_until(&rest, ':', &number) &&
	       parse_i64_slice(number, ret) == 0 && *ret >= 0;
}

/* "scsi host0: DRIVER" */
static void take_host(struct log_links *links, struct slice rest)
{
	struct slice word, driver;
	int64_t host;

	if (!slice_token(&rest, &word) || word.len < 5 || memcmp(word.p, "host", 4) != 0 ||
	    !host_number(word, 4, &host) || !slice_token(&rest, &driver))
		return;
	if (slice_is(driver, "ufshcd")) {
		links->is_many = links->is_many || (links->has_host && links->host != host);
		links->host = host;
		links->has_host = true;
	} else if (links->has_host && links->host == host) {
		links->has_host = false;
	}
}

/* "DRIVER NAME: ..." of a driver for UFS: "ufshcd-qcom 1d84000.ufshc:", "ufshcd 0000:00:03.0:" */
static void take_controller(struct log_links *links, struct slice rest)
{
	struct slice name;

	if (!slice_token(&rest, &name) || name.len < 2 || name.len > NODE_NAME_MAX ||
	    name.p[--name.len] != ':')
		return;
	if (*links->controller && !slice_is(name, links->controller))
		links->is_many = true;
	(void)slice_copy(name, links->controller, sizeof(links->controller));
}

/* "sd 0:0:0:0: [sda] Attached SCSI disk"; who got the name last has it. */
static void take_disk(struct log_links *links, struct slice rest)
{
	struct slice address, name, attached;
	int64_t host;
	size_t i = 0;

	if (!slice_token(&rest, &address) || !host_number(address, 0, &host) ||
	    !slice_token(&rest, &name) || !slice_token(&rest, &attached) ||
	    !slice_is(attached, "Attached") || name.len < 3 || name.p[0] != '[' ||
	    name.p[name.len - 1] != ']')
		return;
	name = (struct slice){name.p + 1, name.len - 2};
	while (i < links->n_disks && !slice_is(name, links->disks[i].name))
		i++;
	if (i == LOG_LINKS_DISKS_MAX ||
	    slice_copy(name, links->disks[i].name, sizeof(links->disks[i].name)) < 0)
		return;
	links->disks[i].host = host;
	links->n_disks = MAX(links->n_disks, i + 1);
}

void log_links_take(struct log_links *links, const struct kernel_message *message)
{
	struct slice rest = slice_of(message->text), word;

	if (message->facility || !slice_token(&rest, &word))
		return;
	if (slice_is(word, "scsi"))
		take_host(links, rest);
	else if (slice_is(word, "sd"))
		take_disk(links, rest);
	else if (word.len >= 6 && !memcmp(word.p, "ufshcd", 6))
		take_controller(links, rest);
}

bool log_links_find(void *arg, const char *name, char *out)
{
	const struct log_links *links = arg;
	char disk[NODE_NAME_MAX];

	if (links->is_many || !links->has_host || !*links->controller)
		return false;
	incidents_plain_name(name, disk);
	for (size_t i = 0; i < links->n_disks; i++) {
		if (strcmp(links->disks[i].name, disk) != 0 || links->disks[i].host != links->host)
			continue;
		memcpy(out, links->controller, sizeof(links->controller));
		return true;
	}
	return false;
}
