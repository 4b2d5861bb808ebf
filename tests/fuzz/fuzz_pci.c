/* What sysfs says of PCI functions and their links: speeds, widths, error counters, power, the
 * policy, and paths that an identity is made of. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "model/pci.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_link(const char *text)
{
	int64_t mtps = 0, lanes = 0;
	int r_speed = pci_parse_speed(text, &mtps), r_width = pci_parse_width(text, &lanes);

	check(r_speed < 0 ? mtps == 0 : mtps > 0 && mtps <= 1000000);
	check(r_width < 0 ? lanes == 0 : lanes >= 0 && lanes <= 32);
}

static void check_errors(struct slice text)
{
	char buf[64];
	struct text kinds = TEXT_IN(buf);
	int64_t total = -1;
	int r = pci_parse_aer(text, &total, &kinds);

	check(r == 0 ? total >= 0 : total == -1);
	check(kinds.len < sizeof(buf) && buf[kinds.len] == '\0');
}

static void check_choice(struct slice text)
{
	struct slice word;

	if (pci_parse_chosen(text, &word) < 0)
		return;
	check(word.len && word.p >= text.p && word.p + word.len < text.p + text.len);
	check(!memchr(word.p, ']', word.len));
}

static void check_place(const char *path)
{
	char identity[64], address[PCI_ADDRESS_MAX];

	pci_identity(path, "144d:a80a", identity, sizeof(identity));
	check(!identity[0] || !strncmp(identity, "path:", strlen("path:")));
	check(strlen(identity) < sizeof(identity));
	/* What is taken for an address has room where addresses are kept. */
	if (pci_is_address(slice_of(path)))
		check(slice_copy(slice_of(path), address, sizeof(address)) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	check_errors((struct slice){text, size});
	check_choice((struct slice){text, size});
	text[size] = '\0';
	check_link(text);
	check_place(text);
	check(pci_is_awake(text, NULL) <= 1 && pci_is_awake("D0", text) <= 1);
	/* A device that says that it sleeps never counts as awake. */
	check(pci_is_awake("D3cold", text) != 1);
	free(text);
	return 0;
}
