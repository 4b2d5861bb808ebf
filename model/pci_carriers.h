/* The PCI functions that carry storage, and the ports above them.
 *
 * A chain of functions goes from the root port down to the drive. Counted from the drive, each even
 * one is the lower end of a link and has the upper end above it; a switch is two functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"

#define PCI_CARRIERS_MAX 128
#define PCI_NO_PORT      SIZE_MAX

struct pci_carrier {
	char dir[HW_PATH_MAX]; /* "sys/devices/pci0000:00/0000:00:1c.0" */
	size_t port;           /* index of the function above, PCI_NO_PORT for none */
	bool is_lower_end;     /* of a link to that port */
};

struct pci_carriers {
	struct pci_carrier *v; /* a port before what lies below it */
	size_t n;
	int n_on_bus; /* functions of any kind, or the error of listing the bus */
};

/* 0 also when there is none; -ENOMEM, -EMFILE and others when one may be hidden by it. Those beyond
 * PCI_CARRIERS_MAX are left out. The caller releases with pci_carriers_done(). */
int pci_carriers_find(struct hw *hw, struct pci_carriers *ret);
void pci_carriers_done(struct pci_carriers *carriers);

/* The limit of the device tree for the link above carrier i, in millions of transfers a second; 0
 * for none, and for what is not the lower end of a link. */
int64_t pci_carrier_speed_limit(struct hw *hw, const struct pci_carriers *carriers, size_t i);
