/* What sysfs says of PCI functions and their links, taken apart.
 * Kernel: Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-aer_stats,
 * drivers/pci/pci-sysfs.c, drivers/pci/probe.c */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hw.h"
#include "base/parse.h"
#include "base/text.h"

#define PCI_ADDRESS_MAX 20 /* "0000:01:00.0"; domains of bridges made by software have 5 digits */

/* Base class and subclass. */
#define PCI_CLASS_STORAGE 0x0100 /* the base class alone */
#define PCI_CLASS_AHCI    0x0106
#define PCI_CLASS_NVME    0x0108
#define PCI_CLASS_UFS     0x0109
#define PCI_CLASS_BRIDGE  0x0604
#define PCI_CLASS_SD      0x0805

/* Whether the text is the address of a function: domain:bus:device.function in hexadecimal. */
bool pci_is_address(struct slice text);

/* Base class and subclass of the function in dir, or -errno. */
int pci_class(struct hw *hw, const char *dir);

/* What a class is, for people ("NVMe controller"); "PCI function" for others and for an error. */
const char *pci_class_name(int class);

/* The address of the first function of the class; -ENOENT when there is none. */
int pci_find_class(struct hw *hw, int class, char address[PCI_ADDRESS_MAX]);

/* Speed of a lane, "8.0 GT/s PCIe" or by older kernels "8 GT/s", in millions of transfers a second
 * (8000). -ENODATA for "Unknown": no link, a speed that the kernel does not know, or no device.
 * -EINVAL. */
int pci_parse_speed(const char *text, int64_t *ret_mtps);

/* The speed of a generation of PCIe in millions of transfers a second, 0 when there is none. */
int64_t pci_speed_of_generation(uint32_t generation);

/* Number of lanes. -ENODEV when the configuration space reads as all ones: the device is gone.
 * -ENODATA where it has no link. -EINVAL. */
int pci_parse_width(const char *text, int64_t *ret_lanes);

/* The total of a file of error counters, a name and a number in each line, and appends the names
 * of the errors that have happened to kinds. -EBADMSG without a total. */
int pci_parse_aer(struct slice text, int64_t *ret_total, struct text *kinds);

/* The word in brackets of a list to choose from: "default performance [powersave]". -EINVAL. */
int pci_parse_chosen(struct slice text, struct slice *ret_word);

/* Whether the function is awake, by the words of power_state (since Linux 5.11) and
 * power/runtime_status, NULL where there is no such file: 1, or 0 when it sleeps and a read of its
 * registers would wake it; -ENODATA when the kernel does not know, or in words that are not known
 * here. */
int pci_is_awake(const char *power_state, const char *runtime_status);

/* Where the function of a directory of sysfs is plugged in, without the numbers of buses, which
 * depend on what else is plugged in ("path:pci0000:00/1c.0/00.0"); and what it is ("144d:a80a", or
 * ""), since the next one in the slot is another one. "" when that does not fit: what is cut would
 * be that of others too. */
void pci_identity(const char *dir, const char *ids, char *buf, size_t size);

/* The limit that the device tree sets for the links below the port or host bridge in dir, in
 * millions of transfers a second; 0 for none. */
int64_t pci_speed_limit(struct hw *hw, const char *dir);
