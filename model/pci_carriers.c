#include "model/pci_carriers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "model/node_file.h"
#include "model/pci.h"

#define CHAIN_MAX 16

static size_t find(const struct pci_carriers *carriers, const char *dir)
{
	for (size_t i = 0; i < carriers->n; i++)
		if (!strcmp(carriers->v[i].dir, dir))
			return i;
	return PCI_NO_PORT;
}

static int add(struct pci_carriers *carriers, const char *dir, size_t port, bool is_lower_end)
{
	struct pci_carrier *grown = realloc(carriers->v, (carriers->n + 1) * sizeof(*carriers->v));

	if (!grown)
		return -ENOMEM;
	carriers->v = grown;

	struct pci_carrier *carrier = &grown[carriers->n++];

	*carrier = (struct pci_carrier){.port = port, .is_lower_end = is_lower_end};
	snprintf(carrier->dir, sizeof(carrier->dir), "%s", dir);
	return 0;
}

/* Adds the functions along a path of sysfs, from the root port down to the last one. */
static int add_chain(struct pci_carriers *carriers, const char *path)
{
	size_t ends[CHAIN_MAX], n = 0, port = PCI_NO_PORT;
	char dir[HW_PATH_MAX];
	int r = 0;

	for (const char *start = path, *end; *start && n < CHAIN_MAX; start = end + (*end == '/')) {
		end = start + strcspn(start, "/");
		if (pci_is_address((struct slice){start, (size_t)(end - start)}))
			ends[n++] = (size_t)(end - path);
	}
	for (size_t i = 0; i < n && r >= 0; i++) {
		size_t index;

		snprintf(dir, sizeof(dir), "%.*s", (int)ends[i], path);
		index = find(carriers, dir);
		if (index == PCI_NO_PORT && carriers->n == PCI_CARRIERS_MAX)
			return 0;
		if (index == PCI_NO_PORT) {
			index = carriers->n;
			r = add(carriers, dir, port, i > 0 && (n - 1 - i) % 2 == 0);
		}
		port = index;
	}
	return r;
}

/* The functions below which a class has devices. A USB controller carries disks as well, but its
 * link says nothing of them. */
static int add_of_class(struct hw *hw, struct pci_carriers *carriers, const char *class_dir)
{
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char path[HW_PATH_MAX];
	int r = search_error(hw_list(hw, &names, "", "%s", class_dir));

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		r = hw_real_path(hw, path, sizeof(path), "%s/%s", class_dir, names.v[i]);
		if (r >= 0 && !strstr(path, "/usb"))
			r = add_chain(carriers, path);
		r = is_want(r) ? r : 0;
	}
	return r;
}

/* Controllers of storage by their class code, with or without a disk. Returns how many functions
 * there are. */
static int add_controllers(struct hw *hw, struct pci_carriers *carriers)
{
	static const char dir[] = "sys/bus/pci/devices";
	CLEANUP(hw_names_done) struct hw_names names = {0};
	char path[HW_PATH_MAX];
	int r = hw_list(hw, &names, "", "%s", dir);

	for (size_t i = 0; i < names.n && r >= 0; i++) {
		r = hw_real_path(hw, path, sizeof(path), "%s/%s", dir, names.v[i]);

		int class = r < 0 ? r : pci_class(hw, path);

		if (class >= 0 && ((class & 0xff00) == PCI_CLASS_STORAGE || class == PCI_CLASS_SD))
			r = add_chain(carriers, path);
		else
			r = is_want(class) ? class : 0;
	}
	return r < 0 ? r : (int)names.n;
}

int pci_carriers_find(struct hw *hw, struct pci_carriers *ret)
{
	CLEANUP(pci_carriers_done) struct pci_carriers carriers = {0};
	int r;

	carriers.n_on_bus = add_controllers(hw, &carriers);
	r = is_want(carriers.n_on_bus) ? carriers.n_on_bus : 0;
	if (r >= 0)
		r = add_of_class(hw, &carriers, "sys/class/nvme");
	if (r >= 0)
		r = add_of_class(hw, &carriers, "sys/class/block");
	if (r < 0)
		return r;
	*ret = carriers;
	carriers = (struct pci_carriers){0};
	return 0;
}

void pci_carriers_done(struct pci_carriers *carriers)
{
	free(carriers->v);
	*carriers = (struct pci_carriers){0};
}

/* That of a root port may stand in the node of the host bridge, which lies above in sysfs. */
int64_t pci_carrier_speed_limit(struct hw *hw, const struct pci_carriers *carriers, size_t i)
{
	const struct pci_carrier *port;
	char dir[HW_PATH_MAX];
	int64_t mtps;

	if (!carriers->v[i].is_lower_end)
		return 0;
	port = &carriers->v[carriers->v[i].port];
	mtps = pci_speed_limit(hw, port->dir);
	snprintf(dir, sizeof(dir), "%s", port->dir);
	for (char *slash; !mtps && port->port == PCI_NO_PORT && (slash = strrchr(dir, '/'));) {
		*slash = '\0';
		mtps = pci_speed_limit(hw, dir);
	}
	return mtps;
}
