/* The wordings, from Linux 4.0 to 7.x. The first pattern that matches is taken, so what is special
 * stands before what is general. The language is that of kernel_pattern.c; how a line is added is
 * in HACKING.md, and tests/unit/kernel_lines.list has an example of each.
 *
 * Severity is that of what happened, not of the word or the level that the kernel printed:
 *   critical  a device or a file system is lost, or the machine stops
 *   error     data were not read or written, or a command was not answered
 *   warning   it went well in the end, or costs time alone
 *   info      tells something about an incident, and makes none by itself
 * A line of a kind that is no event (reminder, benign, detail) has info. */
#include "analysis/kernel_rules.h"

#include "base/macros.h"

#define INFO     SEVERITY_INFO
#define WARNING  SEVERITY_WARNING
#define ERROR    SEVERITY_ERROR
#define CRITICAL SEVERITY_CRITICAL

#define NONE    KERNEL_NODE_NONE
#define BLOCK   KERNEL_NODE_BLOCK
#define MMC     KERNEL_NODE_MMC
#define NVME    KERNEL_NODE_NVME
#define SCSI    KERNEL_NODE_SCSI
#define ATA     KERNEL_NODE_ATA
#define BUS     KERNEL_NODE_BUS
#define MMC_BUS KERNEL_NODE_MMC_BUS
#define OTHER   KERNEL_NODE_OTHER

/* end_request to 4.2, blk_update_request from 3.19 and again from 5.3, print_req_error between;
 * nothing from 5.18 on. */
#define REQ      "<blk_update_request: |print_req_error: |end_request: |>"
#define AT       " error, dev {node}, sector {sector}"
#define SD       "<sd|sr|st|scsi> {name}: [{node}] {any}"
#define UFS      "{name} {node}: "
#define EXT4     "EXT4-fs"
#define BTRFS_OF "(device {node}<)|: state| state>"

/* clang-format off */
const struct kernel_rule kernel_rules[] = {
/* Block layer: block/blk-core.c (blk_errors), block/blk-mq.c, fs/buffer.c, block/bio.c */
{"rpmb-read",            REQ "I/O error, dev {rpmb}, sector {sector}",                           CAUSE_BENIGN, INFO, BLOCK, "a plain read of RPMB, which always fails"},
{"rpmb-buffer",          "Buffer I/O error on <device|dev> {rpmb}, ",                            CAUSE_BENIGN, INFO, BLOCK, "a plain read of RPMB, which always fails"},
{"floppy-absent",        REQ "I/O error, dev {floppy}, sector",                                  CAUSE_BENIGN, INFO, BLOCK, "no floppy"},
{"block-io-discard",     REQ "I/O" AT " op 0x{hex}:(<DISCARD|SECURE_ERASE|WRITE_ZEROES|WRITE_SAME>)", CAUSE_IO, WARNING, BLOCK, "discard or erase failed"},
{"block-io-flush",       REQ "I/O" AT " op 0x{hex}:(FLUSH)",                                     CAUSE_IO, ERROR, BLOCK, "cache flush failed"},
{"block-io",             REQ "I/O" AT,                                                           CAUSE_IO, ERROR, BLOCK, "I/O error"},
{"block-medium",         REQ "critical medium" AT,                                               CAUSE_MEDIA, ERROR, BLOCK, "medium error"},
{"block-target-discard", REQ "critical target" AT " op 0x{hex}:(<DISCARD|SECURE_ERASE|WRITE_ZEROES|WRITE_SAME>)", CAUSE_UNSUPPORTED, INFO, BLOCK, "the device refuses discard or erase"},
{"block-target",         REQ "critical target" AT,                                               CAUSE_IO, ERROR, BLOCK, "the device refused a command"},
{"block-unsupported",    REQ "operation not supported" AT,                                       CAUSE_UNSUPPORTED, INFO, BLOCK, "command not supported"},
{"block-timeout",        REQ "timeout" AT,                                                       CAUSE_TIMEOUT, ERROR, BLOCK, "request timed out"},
{"block-space",          REQ "critical space allocation" AT,                                     CAUSE_SPACE, ERROR, BLOCK, "no space left on a thin device"},
{"block-transport",      REQ "recoverable transport" AT,                                         CAUSE_LINK, ERROR, BLOCK, "transport error"},
{"block-reservation",    REQ "<critical nexus|reservation conflict>" AT,                         CAUSE_IO, WARNING, BLOCK, "reserved by another host"},
{"block-protection",     REQ "protection" AT,                                                    CAUSE_MEDIA, ERROR, BLOCK, "protection information does not match"},
{"block-offline",        REQ "device offline" AT,                                                CAUSE_GONE, ERROR, BLOCK, "device offline"},
{"block-duration",       REQ "duration limit" AT,                                                CAUSE_TIMEOUT, WARNING, BLOCK, "duration limit exceeded"},
{"block-resource",       REQ "<kernel resource|device resource|nonblocking retry|dm internal retry|zone open resource|zone active resource|invalid>" AT, CAUSE_IO, WARNING, BLOCK, "request could not be queued"},
{"buffer-lost-write",    "Buffer I/O error on dev {node}, logical block {block}, lost",          CAUSE_IO, ERROR, BLOCK, "buffer I/O error, write lost"},
{"buffer-io",            "Buffer I/O error on <device|dev> {node}, logical block {block}",       CAUSE_IO, ERROR, BLOCK, "buffer I/O error"},
{"buffer-lost-page",     "lost page write due to I/O error on {node}",                           CAUSE_IO, ERROR, BLOCK, "write lost"},
{"buffer-read-page",     "buffer_io_error: I/O error, dev {node}",                               CAUSE_IO, ERROR, BLOCK, "buffer I/O error"},
{"partition-unreadable", "{node}: unable to read partition table",                               CAUSE_IO, ERROR, BLOCK, "partition table cannot be read"},
{"partition-rdb",        "Dev {node}: unable to read RDB block",                                 CAUSE_IO, ERROR, BLOCK, "partition table cannot be read"},
{"access-beyond",        "{any}attempt to access beyond end of device {node}: ",                 CAUSE_FILE_SYSTEM, ERROR, BLOCK, "access beyond the end of the device"},
{"access-beyond-head",   "{any}attempt to access beyond end of device$",                         CAUSE_DETAIL, INFO, NONE, "access beyond the end of the device"},
{"access-beyond-at",     "{node}: rw={num}, <want=|sector=|block=>",                             CAUSE_FILE_SYSTEM, ERROR, BLOCK, "access beyond the end of the device"},
{"inode-writeback",      "VFS: Dirty inode writeback failed for block device {node} (err={errno})", CAUSE_IO, ERROR, BLOCK, "writeback failed"},
{"root-unavailable",     "VFS: Cannot open root device {any}: error {errno}",                    CAUSE_GONE, CRITICAL, NONE, "root device cannot be opened"},
{"root-panic",           "VFS: Unable to mount root fs",                                         CAUSE_GONE, CRITICAL, NONE, "root file system cannot be mounted"},
{"suppressed",           "<blk_|print_req_error|end_request|buffer_io_error|bio_check_eod|handle_bad_sector|quiet_error|scsi_|sd_|nvme_|ata_|mmc|sdhci|cqhci|dw_mci|ufshcd|EXT4-fs|ext4|__ext4|jbd2|f2fs|F2FS-fs|btrfs|BTRFS|end_bio|xfs_|XFS|dm_|crypt_|aer_|pcie_|md_|raid>{any}: {suppressed} <callbacks|messages> suppressed", CAUSE_DETAIL, INFO, NONE, "lines were suppressed"},

/* SCSI, also UFS and USB: drivers/scsi/{sd,scsi_lib,scsi_error,scsi_logging}.c, usb/storage/uas.c */
{"scsi-flush-gone",      SD "Synchronize Cache(<10|16>) failed: Result: hostbyte=<DID_NO_CONNECT|DID_BAD_TARGET|0x01|0x04>", CAUSE_GONE, WARNING, BLOCK, "cache flush to a device that is gone"},
{"scsi-flush",           SD "Synchronize Cache(<10|16>) failed",                                 CAUSE_IO, ERROR, BLOCK, "cache flush failed"},
{"scsi-no-connect",      SD "Result: hostbyte=<DID_NO_CONNECT|0x01|DID_BAD_TARGET|0x04>", CAUSE_GONE, ERROR, BLOCK, "device does not answer"},
{"scsi-timed-out",       SD "Result: hostbyte=<DID_TIME_OUT|0x03>",                       CAUSE_TIMEOUT, ERROR, BLOCK, "command timed out"},
{"scsi-parity",          SD "Result: hostbyte=<DID_PARITY|DID_SOFT_ERROR|DID_TRANSPORT|0x06|0x0b|0x0e>", CAUSE_LINK, ERROR, BLOCK, "transport error"},
{"scsi-reset-result",    SD "Result: hostbyte=<DID_RESET|DID_ABORT|0x08|0x05>",           CAUSE_RESET, WARNING, BLOCK, "command lost in a reset"},
{"scsi-medium-host",     SD "Result: hostbyte=DID_MEDIUM_ERROR",                          CAUSE_MEDIA, ERROR, BLOCK, "medium error"},
{"scsi-failed",          SD "Result: ",                                                   CAUSE_DETAIL, INFO, BLOCK, "command failed"},
{"scsi-hardware",        SD "Sense Key : Hardware Error",                                        CAUSE_MEDIA, ERROR, BLOCK, "the drive reports a hardware error"},
{"scsi-recovered",       SD "Sense Key : Recovered Error",                                       CAUSE_MEDIA, WARNING, BLOCK, "the drive has recovered an error"},
{"scsi-illegal",         SD "Sense Key : Illegal Request",                                       CAUSE_UNSUPPORTED, INFO, BLOCK, "the device does not know a command"},
{"scsi-protected",       SD "Sense Key : Data Protect",                                          CAUSE_IO, ERROR, BLOCK, "write protected"},
{"scsi-aborted",         SD "Sense Key : Aborted Command",                                       CAUSE_LINK, WARNING, BLOCK, "the device aborted a command"},
{"scsi-sense",           SD "<Sense Key : |Add. Sense: |CDB: |Sense not available>",             CAUSE_DETAIL, INFO, BLOCK, "sense data"},
{"scsi-no-cache-page",   SD "<No Caching mode page found|Assuming drive cache: |Asking for cache data failed|Incomplete mode parameter data>", CAUSE_BENIGN, INFO, BLOCK, "the device does not tell of its cache"},
{"uas-abort",            SD "<uas_eh_abort_handler|data cmplt err|cmd cmplt err>",               CAUSE_TIMEOUT, WARNING, BLOCK, "USB command aborted"},
{"scsi-unaligned",       SD "Unaligned partial completion",                                      CAUSE_LINK, WARNING, BLOCK, "a transfer ended too early"},
{"scsi-waited",          "<sd|scsi> {node}: {any}timing out command, waited {num}s",             CAUSE_TIMEOUT, ERROR, SCSI, "command timed out"},
{"scsi-rejecting",       "<sd|scsi> {node}: rejecting I/O to <offline|dead> device",             CAUSE_GONE, ERROR, SCSI, "I/O to an offline device"},
{"scsi-offlined",        "<sd|scsi> {node}: Device offlined - not ready after error recovery",   CAUSE_GONE, CRITICAL, SCSI, "device was taken offline"},
{"scsi-reset-occurred",  "<sd|scsi> {node}: Power-on or device reset occurred",                  CAUSE_RESET, INFO, SCSI, "device was reset"},
{"uas-reset",            "scsi {node}: uas_eh_device_reset_handler",                             CAUSE_RESET, WARNING, SCSI, "USB device reset"},
{"usb-reset",            "usb {node}: reset <SuperSpeed Plus|SuperSpeed|high-speed|high speed|full-speed> {any}USB device number", CAUSE_RESET, INFO, BUS, "USB device reset"},
{"usb-descriptor",       "usb {node}: device descriptor read/<64|all|8>, error {errno}",         CAUSE_OF_ERRNO, INFO, BUS, "USB device does not answer"},

/* libata: drivers/ata/libata-{core,eh,scsi,sata}.c, libahci.c */
{"ata-frozen",           "{node=ata}: exception Emask 0x{hex} {any}frozen",                      CAUSE_TIMEOUT, WARNING, ATA, "commands were not answered"},
{"ata-exception",        "{node=ata}: exception Emask 0x",                                       CAUSE_DETAIL, INFO, ATA, "error handling began"},
{"ata-media",            "{node=ata}: error: {word} <UNC|IDNF|AMNF> ",                                CAUSE_MEDIA, ERROR, ATA, "uncorrectable sector"},
{"ata-crc",              "{node=ata}: error: {word} ICRC ",                                           CAUSE_LINK, WARNING, ATA, "CRC error of the link"},
{"ata-abort",            "{node=ata}: error: {word} ABRT ",                                           CAUSE_IO, WARNING, ATA, "the drive aborted a command"},
{"ata-status",           "{node=ata}: <status: {|failed command: |cmd |SError: {|device reported invalid CHS>", CAUSE_DETAIL, INFO, ATA, "of a failed command"},
{"ata-result",           "res {any}Emask 0x{hex} (",                                             CAUSE_DETAIL, INFO, NONE, "of a failed command"},
{"ata-fatal",            "{node=ata}: irq_stat 0x{hex}, <interface fatal error|host bus error|connection status changed|PHY RDY changed>", CAUSE_LINK, ERROR, ATA, "link error"},
{"ata-irq",              "{node=ata}: irq_stat 0x",                                              CAUSE_DETAIL, INFO, ATA, "interrupt status"},
{"ata-hard-reset",       "{node=ata}: <hard|soft> resetting <link|port>",                        CAUSE_RESET, WARNING, ATA, "link reset"},
{"ata-comreset",         "{node=ata}: <COMRESET|SRST|softreset|hardreset> failed (errno={errno})", CAUSE_LINK, ERROR, ATA, "link reset failed"},
{"ata-comreset-text",    "{node=ata}: <COMRESET|SRST|softreset|hardreset> failed (",             CAUSE_LINK, ERROR, ATA, "link reset failed"},
{"ata-gave-up",          "{node=ata}: reset failed, giving up",                                  CAUSE_GONE, CRITICAL, ATA, "link was given up"},
{"ata-retry",            "{node=ata}: reset failed <(errno=|, retrying>",                        CAUSE_LINK, WARNING, ATA, "link reset failed"},
{"ata-slow",             "{node=ata}: <link is slow to respond|port is slow to respond|device not ready>", CAUSE_LINK, WARNING, ATA, "device is slow to respond"},
{"ata-link-down",        "{node=ata}: SATA link down",                                           CAUSE_LINK, INFO, ATA, "no link"},
{"ata-limit",            "{node=ata}: limiting <SATA link |>speed to ",                          CAUSE_LINK, WARNING, ATA, "link was slowed down"},
{"ata-ncq",              "{node=ata}: NCQ disabled due to excessive errors",                     CAUSE_LINK, WARNING, ATA, "queueing was switched off"},
{"ata-qc-timeout",       "{node=ata}: qc timeout (cmd 0x",                                       CAUSE_TIMEOUT, ERROR, ATA, "command timed out"},
{"ata-qc-timeout-after", "{node=ata}: qc timeout after {num} <msecs|ms> (cmd 0x",                CAUSE_TIMEOUT, ERROR, ATA, "command timed out"},
{"ata-identify",         "{node=ata}: failed to IDENTIFY (",                                     CAUSE_IO, ERROR, ATA, "device does not identify itself"},
{"ata-revalidate",       "{node=ata}: revalidation failed (errno={errno})",                      CAUSE_LINK, ERROR, ATA, "device is not the same after a reset"},
{"ata-disabled",         "{node=ata}: <disabled|disable device|detaching (SCSI>",                CAUSE_GONE, CRITICAL, ATA, "device was given up"},
{"ata-log-page",         "{node=ata}: <failed to get |failed to read |READ LOG DMA EXT failed|failed to set |Read log |failed to enable >", CAUSE_UNSUPPORTED, INFO, ATA, "command not supported"},

/* NVMe: drivers/nvme/host/{pci,core,multipath}.c */
{"nvme-pci-function",    "nvme {node}: pci function {alias}$",                                   CAUSE_BENIGN, INFO, NVME, "where the controller is"},
{"nvme-polled",          "nvme {node}: I/O {any}QID {num} timeout, completion polled",           CAUSE_TIMEOUT, WARNING, NVME, "an interrupt was lost"},
{"nvme-timeout",         "nvme {node}: I/O {any}QID {num} timeout, ",                            CAUSE_TIMEOUT, ERROR, NVME, "command timed out"},
{"nvme-no-answer",       "nvme {node}: controller is down; will reset: CSTS=0xffffffff",         CAUSE_LINK, ERROR, NVME, "controller does not answer on PCIe"},
{"nvme-down",            "nvme {node}: controller is down; will reset",                          CAUSE_RESET, ERROR, NVME, "controller failed"},
{"nvme-no-answer-4",     "nvme {node}: Failed status: 0xffffffff, reset controller",             CAUSE_LINK, ERROR, NVME, "controller does not answer on PCIe"},
{"nvme-down-4",          "nvme {node}: Failed status: 0x{hex}, reset controller",                CAUSE_RESET, ERROR, NVME, "controller failed"},
{"nvme-power-hint",      "nvme {node}: Does your device have a faulty power saving mode enabled?", CAUSE_DETAIL, INFO, NVME, "advice of the kernel"},
{"nvme-power-hint-try",  "nvme {node}: Try \"",                                                  CAUSE_DETAIL, INFO, NVME, "advice of the kernel"},
{"nvme-removing",        "nvme {node}: Removing after probe failure status: {errno}",            CAUSE_GONE, CRITICAL, NVME, "device removed"},
{"nvme-disabling",       "nvme {node}: Disabling device after reset failure: {errno}",           CAUSE_GONE, CRITICAL, NVME, "device disabled"},
{"nvme-not-ready",       "nvme {node}: Device not ready; aborting ",                             CAUSE_TIMEOUT, ERROR, NVME, "controller does not get ready"},
{"nvme-shutdown",        "nvme {node}: Device shutdown incomplete",                              CAUSE_TIMEOUT, WARNING, NVME, "controller does not shut down"},
{"nvme-abort-status",    "nvme {node}: Abort status: 0x",                                        CAUSE_DETAIL, INFO, NVME, "answer to an abort"},
{"nvme-identify",        "nvme {node}: <Identify Controller|Identify namespace|Reading CAP|Reading VS> failed (", CAUSE_IO, ERROR, NVME, "controller does not identify itself"},
{"nvme-resetting",       "nvme {node}: <resetting controller|restart after slot reset|frozen state error detected, reset controller>", CAUSE_RESET, WARNING, NVME, "controller was reset"},
{"nvme-optional",        "nvme {node}: <Identify Descriptors failed|failed to set APST feature|could not set timestamp|Could not set timestamp|Failed to configure AEN|failed to set host mem>", CAUSE_UNSUPPORTED, INFO, NVME, "command not supported"},
{"nvme-subnqn",          "nvme {node}: missing or invalid SUBNQN field",                         CAUSE_BENIGN, INFO, NVME, "identity data are incomplete"},
{"nvme-unsafe-buffer",   "nvme {node}: using unchecked data buffer",                             CAUSE_BENIGN, INFO, NVME, "a program sends its own commands"},
{"nvme-media",           "{node=nvme}: {any}(0x{hex}) @ LBA {lba}, {num} blocks, {any}(sct 0x2 / sc 0x", CAUSE_MEDIA, ERROR, BLOCK, "medium error"},
{"nvme-path",            "{node=nvme}: {any}(0x{hex}) @ LBA {lba}, {num} blocks, {any}(sct 0x3 / sc 0x", CAUSE_LINK, ERROR, BLOCK, "path error"},
{"nvme-lba-invalid",     "{node=nvme}: {any}(0x{hex}) @ LBA {lba}, {num} blocks, {any}(sct 0x0 / sc 0x<1)|2)|b)>", CAUSE_UNSUPPORTED, INFO, BLOCK, "the device does not know a command"},
{"nvme-lba",             "{node=nvme}: {any}(0x{hex}) @ LBA {lba}, {num} blocks, {any}(sct 0x",   CAUSE_IO, ERROR, BLOCK, "command failed"},
{"nvme-admin-invalid",   "{node=nvme}: {any}(0x{hex}), {any}(sct 0x<0 / sc 0x1)|0 / sc 0x2)|0 / sc 0xb)|1 / sc 0x9)>", CAUSE_UNSUPPORTED, INFO, NVME, "the device does not know a command"},
{"nvme-admin",           "{node=nvme}: {any}(0x{hex}), {any}(sct 0x",                            CAUSE_IO, WARNING, NVME, "command failed"},
{"nvme-no-path",         "block {node=nvme}: no <usable|available> path - failing I/O",          CAUSE_GONE, ERROR, BLOCK, "no path to the device"},
{"nvme-requeue",         "block {node=nvme}: no <usable|available> path - requeuing I/O",        CAUSE_GONE, WARNING, BLOCK, "no path to the device for now"},

/* PCIe: drivers/pci/pcie/{aer,dpc,err}.c, drivers/pci/hotplug/pciehp_*.c, drivers/pci/pci.c */
{"aer-corrected",        "{name} {node}: <AER: |>PCIe Bus Error: severity=Correct",              CAUSE_PCIE_CORRECTED, WARNING, BUS, "corrected error"},
{"aer-non-fatal",        "{name} {node}: <AER: |>PCIe Bus Error: severity=Uncorrect<ed|able> (Non-Fatal)", CAUSE_PCIE_ERROR, ERROR, BUS, "uncorrected error"},
{"aer-fatal",            "{name} {node}: <AER: |>PCIe Bus Error: severity=Uncorrect<ed|able> (Fatal)", CAUSE_PCIE_ERROR, CRITICAL, BUS, "fatal error"},
{"aer-received",         "pcieport {node}: <AER: |><Multiple |><Correct|Uncorrect>{any}error <message |>received",       CAUSE_DETAIL, INFO, BUS, "an error was reported"},
{"aer-failed",           "pcieport {node}: <AER: |>device recovery failed",                      CAUSE_PCIE_ERROR, CRITICAL, BUS, "device was not recovered"},
{"aer-recovered",        "pcieport {node}: <AER: |>device recovery successful",                  CAUSE_RESET, INFO, BUS, "device was recovered"},
{"dpc",                  "pcieport {node}: DPC: containment event",                              CAUSE_PCIE_ERROR, ERROR, BUS, "link was cut off after an error"},
{"pciehp-down",          "pcieport {node}: pciehp: Slot({any}): Link Down",                      CAUSE_LINK, ERROR, BUS, "link down"},
{"pciehp-gone",          "pcieport {node}: pciehp: Slot({any}): Card not present",               CAUSE_GONE, WARNING, BUS, "card was pulled"},
{"pci-retrain",          "{name} {node}: broken device, retraining non-functional downstream link", CAUSE_LINK, WARNING, BUS, "link does not train"},
{"pci-power",            "{name} {node}: <can't|Unable to> change power state from D3cold to D0", CAUSE_DETAIL, INFO, BUS, "device does not wake"},
/* Of an error that the firmware handles first there is no other line, and which kind it is, is said by a line behind
 * it alone, of those that were not corrected. */
{"aer-firmware",         "{name} {node}: <AER: |>aer_layer=",                                    CAUSE_PCIE_CORRECTED, WARNING, BUS, "error that the firmware has told of"},
{"aer-firmware-error",   "{name} {node}: <AER: |>aer_uncor_severity: 0x",                        CAUSE_PCIE_ERROR, ERROR, BUS, "uncorrected error that the firmware has told of"},
{"aer-firmware-bits",    "{name} {node}: <AER: |>aer_status: 0x{hex}, aer_mask: 0x",             CAUSE_DETAIL, INFO, BUS, "error registers"},
{"aer-device",           "{name} {name}: <AER: |>device [{hex}:{hex}] error status/mask=",       CAUSE_DETAIL, INFO, NONE, "error registers"},
{"aer-bit",              "{name} {name}: <AER: |><[ |[>{num}] ",                                 CAUSE_DETAIL, INFO, NONE, "error registers"},

/* MMC: drivers/mmc/core/{core,block,mmc,mmc_ops,sd}.c, drivers/mmc/host/{sdhci,cqhci-core,dw_mmc}.c */
{"sdhci-timeout",        "{node=mmc}: Timeout waiting for hardware <cmd |>interrupt",            CAUSE_TIMEOUT, ERROR, MMC, "command timeout"},
{"sdhci-dump",           "{node=mmc}: <sdhci: |sdhci_msm: |cqhci: ===|cqhci: Caps:|cqhci: Config:|cqhci: Int |cqhci: Dev|cqhci: SSC|cqhci: DCMD|cqhci: RED|cqhci: Resp|cqhci: TDL|cqhci: Doorbell|cqhci: Vendor>", CAUSE_DETAIL, INFO, MMC, "registers"},
{"sdhci-dump-old",       "sdhci: <===|Sys |Blk |Argument|Present|Power|Wake|Timeout|Int |AC12|ACmd|Caps|Cmd|Host|ADMA|Resp>", CAUSE_DETAIL, INFO, NONE, "registers"},
{"sdhci-got-interrupt",  "{node=mmc}: Got <data|command> interrupt 0x{hex} even though no",      CAUSE_LINK, WARNING, MMC, "unexpected interrupt"},
{"sdhci-adma",           "{node=mmc}: ADMA error",                                               CAUSE_LINK, ERROR, MMC, "ADMA error of the host"},
{"sdhci-unexpected",     "{node=mmc}: Unexpected interrupt 0x",                                  CAUSE_LINK, WARNING, MMC, "unexpected interrupt"},
{"sdhci-reset",          "{node=mmc}: Reset 0x{hex} never completed",                            CAUSE_RESET, ERROR, MMC, "host does not reset"},
{"sdhci-inhibit",        "{node=mmc}: Controller never released inhibit bit",                    CAUSE_TIMEOUT, ERROR, MMC, "host stays busy"},
{"sdhci-clock",          "{node=mmc}: Internal clock never stabilised",                          CAUSE_LINK, ERROR, MMC, "clock of the host does not run"},
{"mmc-busy",             "{node=mmc}: Card stuck being busy",                                    CAUSE_TIMEOUT, ERROR, MMC, "card stays busy"},
{"mmc-stuck",            "{node=mmc}: Card stuck in <programming|wrong> state",                  CAUSE_TIMEOUT, ERROR, BLOCK, "card stuck in a wrong state"},
{"mmc-stuck-host",       "{name} {node}: Card stuck in <programming|wrong> state",               CAUSE_TIMEOUT, ERROR, MMC_BUS, "card stuck in a wrong state"},
{"mmc-flush",            "{node=mmc}: cache flush error {errno}",                                CAUSE_OF_ERRNO, ERROR, MMC, "cache flush failed"},
{"mmc-reset",            "{node=mmc}: tried to <HW|SW> reset card, got error {errno}",           CAUSE_RESET, ERROR, MMC, "hardware reset failed"},
{"mmc-recovery",         "{node=mmc}: recovery failed",                                          CAUSE_GONE, CRITICAL, BLOCK, "recovery failed: device lost"},
{"mmc-status",           "{node=mmc}: error {errno} requesting status",                          CAUSE_OF_ERRNO, ERROR, BLOCK, "status request failed"},
{"mmc-status-host",      "{name} {node}: error {errno} requesting status",                       CAUSE_OF_ERRNO, ERROR, MMC_BUS, "status request failed"},
{"mmc-status-retry",     "{node=mmc}: error {errno} sending status command, retrying",           CAUSE_OF_ERRNO, WARNING, BLOCK, "status command failed, tried again"},
{"mmc-status-abort",     "{node=mmc}: error {errno} sending status command, aborting",           CAUSE_OF_ERRNO, ERROR, BLOCK, "status command failed"},
{"mmc-transfer",         "{node=mmc}: error {errno} transferring data, sector {sector}, nr {num}", CAUSE_OF_ERRNO, ERROR, BLOCK, "transfer failed"},
{"mmc-command",          "{node=mmc}: error {errno} sending <read/write|stop|r/w cmd> command",  CAUSE_OF_ERRNO, ERROR, BLOCK, "command failed"},
{"mmc-command-crc",      "{node=mmc}: response CRC error sending r/w cmd command",               CAUSE_LINK, WARNING, BLOCK, "CRC error of a response"},
{"mmc-command-timeout",  "{node=mmc}: timed out sending r/w cmd command",                        CAUSE_TIMEOUT, ERROR, BLOCK, "command timeout"},
{"mmc-single",           "{node=mmc}: retrying <using single block read|write|because a re-tune was needed>", CAUSE_DETAIL, INFO, BLOCK, "tried again"},
{"mmc-cqe-recovery",     "{node=mmc}: running CQE recovery",                                     CAUSE_RESET, WARNING, MMC, "command queue was recovered"},
{"mmc-cqe-failed",       "{node=mmc}: CQE recovery failed",                                      CAUSE_RESET, ERROR, BLOCK, "command queue was not recovered"},
{"cqhci-timeout",        "{node=mmc}: cqhci: timeout for tag {num}",                             CAUSE_TIMEOUT, ERROR, MMC, "command timeout"},
{"cqhci-halt",           "{node=mmc}: cqhci: <Failed to halt|Failed to clear tasks|Failed to disable>", CAUSE_RESET, ERROR, MMC, "command queue does not stop"},
{"cqhci-error",          "{node=mmc}: cqhci: <error IRQ status|spurious TCN>",                   CAUSE_LINK, WARNING, MMC, "error of the command queue"},
{"mmc-no-medium",        "{node=mmc}: error -123 whilst initialising",                           CAUSE_BENIGN, INFO, MMC, "no card"},
{"mmc-init",             "{node=mmc}: error {errno} whilst initialising",                        CAUSE_OF_ERRNO, ERROR, MMC, "card cannot be initialized"},
{"mmc-resume",           "{node=mmc}: error {errno} during resume",                              CAUSE_OF_ERRNO, ERROR, MMC, "card does not resume"},
{"mmc-runtime",          "{node=mmc}: error {errno} doing <runtime resume|aggressive suspend>",  CAUSE_OF_ERRNO, ERROR, MMC, "card does not suspend or resume"},
{"mmc-power-up",         "{node=mmc}: card never left busy state",                               CAUSE_TIMEOUT, ERROR, MMC, "card stays busy"},
{"mmc-block-size",       "{node=mmc}: unable to set block size to {num}: {errno}",               CAUSE_OF_ERRNO, ERROR, BLOCK, "command failed"},
{"mmc-erase",            "mmc_erase: <group start|group end|erase> error {errno}",               CAUSE_DETAIL, INFO, NONE, "of an erase that failed"},
{"mmc-pulled",           "{node=mmc}: Card removed during transfer",                             CAUSE_GONE, ERROR, MMC, "card was pulled while it was in use"},
{"mmc-resetting",        "{node=mmc}: Resetting controller",                                     CAUSE_RESET, INFO, MMC, "host was reset"},
{"mmc-removed",          "{node=mmc}: card {name} removed",                                      CAUSE_GONE, INFO, MMC, "card removed"},
{"mmc-speed",            "{node=mmc}: <mmc_select_|mmc_hs|switch to >",                         CAUSE_LINK, WARNING, MMC, "speed could not be set"},
{"mmc-tuning",           "{node=mmc}: <tuning execution failed: |Tuning failed|Re-tuning failed>", CAUSE_LINK, WARNING, MMC, "tuning failed"},
{"mmc-unexpected",       "{node=mmc}: unexpected status 0x{hex} after switch",                   CAUSE_LINK, WARNING, MMC, "switch failed"},
{"mmc-optional",         "{node=mmc}: <power class selection|Failed to enable CQE|Skipping voltage switch|Enabling HPI failed|Cache is supported, but failed|Packed event failed|unrecognised>", CAUSE_UNSUPPORTED, INFO, MMC, "feature not supported"},
{"mmc-name",             "{alias=mmcblk}: {node=mmc}:{hex} {any}iB",                             CAUSE_BENIGN, INFO, MMC, "which card the disk is"},
{"mmc-host-name",        "{node=mmc}: SDHCI controller on {any}[{alias}] using",                 CAUSE_BENIGN, INFO, MMC, "which controller the host is"},
{"dw-mmc-timeout",       "mmc_host {node=mmc}: Timeout sending command",                         CAUSE_TIMEOUT, ERROR, MMC, "command timeout"},
{"dw-mmc-busy",          "<dwmmc|dw_mmc>{name} {node}: Busy; trying anyway",                     CAUSE_TIMEOUT, WARNING, MMC_BUS, "host stays busy"},
{"sunxi-mmc",            "sunxi-mmc {node}: <smc|data error, sending stop>",                     CAUSE_LINK, WARNING, MMC_BUS, "transfer failed"},
{"mtk-mmc",              "mtk-msdc {node}: {any}<cmd_error|data_error>={errno}",                 CAUSE_OF_ERRNO, WARNING, MMC_BUS, "transfer failed"},
{"tmio-timeout",         "<renesas_sdhi|sh_mobile_sdhi|tmio>{name} {node}: timeout waiting for hardware interrupt", CAUSE_TIMEOUT, ERROR, MMC_BUS, "command timeout"},

/* UFS: drivers/ufs/core/ufshcd.c (drivers/scsi/ufs to 5.18) */
{"ufs-hibern8",          UFS "ufshcd_uic_hibern8_<enter|exit>: hibern8 <enter|exit> failed. ret = {errno}", CAUSE_LINK, ERROR, BUS, "link does not change into or out of hibern8"},
{"ufs-eh-fatal",         UFS "ufshcd_err_handler started; HBA state eh_fatal",                   CAUSE_LINK, CRITICAL, BUS, "error handler started, link broken"},
{"ufs-eh-broken",        UFS "ufshcd_err_handler started; {any}link is broken",                  CAUSE_LINK, CRITICAL, BUS, "error handler started, link broken"},
{"ufs-eh",               UFS "ufshcd_err_handler started",                                       CAUSE_RESET, ERROR, BUS, "error handler started"},
{"ufs-eh-done",          UFS "ufshcd_err_handler finished; HBA state operational",               CAUSE_RESET, INFO, BUS, "error handler succeeded"},
{"ufs-eh-failed",        UFS "ufshcd_err_handler finished; HBA state ",                          CAUSE_GONE, CRITICAL, BUS, "error handler failed"},
{"ufs-power-mode",       UFS "<ufshcd_dme_change_power_mode|ufshcd_change_power_mode>: power mode change failed {errno}", CAUSE_LINK, ERROR, BUS, "power mode change failed"},
{"ufs-gear",             UFS "{name}: Failed setting power mode, err = {errno}",                 CAUSE_LINK, ERROR, BUS, "power mode change failed"},
{"ufs-pwr-ctrl",         UFS "pwr ctrl cmd 0x{hex} <with mode 0x|failed, host upmcrs>",          CAUSE_LINK, ERROR, BUS, "link command failed"},
{"ufs-uic-timeout",      UFS "uic cmd 0x{hex} with arg3 0x{hex} completion timeout",             CAUSE_TIMEOUT, ERROR, BUS, "link command timed out"},
{"ufs-dme",              UFS "dme-<set|get|peer-set|peer-get>: attr-id",                         CAUSE_LINK, WARNING, BUS, "link attribute failed"},
{"ufs-abort",            UFS "ufshcd_abort: Device abort task at tag {num}",                     CAUSE_TIMEOUT, ERROR, BUS, "command timed out, abort"},
{"ufs-abort-silent",     UFS "ufshcd_<abort|try_to_abort_task>: no response from device. tag = {num}, err {errno}", CAUSE_TIMEOUT, ERROR, BUS, "device does not answer an abort"},
{"ufs-task-timeout",     UFS "<__|>ufshcd_issue_tm_cmd: task management cmd 0x{hex} timed-out",  CAUSE_TIMEOUT, ERROR, BUS, "task management command timed out"},
{"ufs-doorbell",         UFS "ufshcd_wait_for_doorbell_clr: timedout waiting for doorbell to clear", CAUSE_TIMEOUT, WARNING, BUS, "commands are not done in time"},
{"ufs-abort-lost",       UFS "ufshcd_abort: cmd was completed, but without a notifying intr",    CAUSE_TIMEOUT, WARNING, BUS, "an interrupt was lost"},
{"ufs-abort-failed",     UFS "ufshcd_<abort|try_to_abort_task>: {any}<failed|Failed>",           CAUSE_RESET, ERROR, BUS, "abort failed"},
{"ufs-device-reset",     UFS "ufshcd_eh_device_reset_handler: failed with err {errno}",          CAUSE_RESET, ERROR, BUS, "device reset failed"},
{"ufs-host-reset",       UFS "ufshcd_eh_host_reset_handler: reset in progress",                  CAUSE_RESET, WARNING, BUS, "host was reset"},
{"ufs-host-init",        UFS "ufshcd_<reset_and_restore|host_reset_and_restore>: Host init failed {errno}", CAUSE_LINK, CRITICAL, BUS, "host cannot be restored"},
{"ufs-link-startup",     UFS "link startup failed {errno}",                                      CAUSE_LINK, ERROR, BUS, "link startup failed"},
{"ufs-link-recovery",    UFS "ufshcd_link_recovery: link recovery failed, err {errno}",          CAUSE_LINK, CRITICAL, BUS, "link cannot be restored"},
{"ufs-controller",       UFS "<Controller enable failed|Controller not ready to accept UIC commands|Host controller not ready>", CAUSE_LINK, ERROR, BUS, "host controller is not ready"},
{"ufs-stop",             UFS "ufshcd_hba_stop: Controller disable failed",                       CAUSE_LINK, ERROR, BUS, "host controller does not stop"},
{"ufs-ocs",              UFS "OCS error from controller",                                        CAUSE_LINK, ERROR, BUS, "host controller reports an error"},
{"ufs-nop",              UFS "ufshcd_verify_dev_init: NOP OUT failed {errno}",                   CAUSE_OF_ERRNO, ERROR, BUS, "device does not answer"},
{"ufs-dev-cmd",          UFS "ufshcd_wait_for_dev_cmd: dev_cmd request timedout",                CAUSE_TIMEOUT, ERROR, BUS, "device command timed out"},
{"ufs-query-timeout",    UFS "ufshcd_query_{name}: {any}err = -<110|11>",                        CAUSE_TIMEOUT, WARNING, BUS, "query timed out"},
{"ufs-query",            UFS "ufshcd_query_{name}: {any}<failed|Failed>",                        CAUSE_UNSUPPORTED, INFO, BUS, "query was refused"},
{"ufs-errors",           UFS "ufshcd_check_errors: saved_err",                                   CAUSE_LINK, WARNING, BUS, "link error"},
{"ufs-wlun",             "ufs_device_wlun {node}: <START_STOP failed for power mode|ufshcd_wl_resume failed|ufshcd_wl_suspend failed|ufshcd_wl_runtime_suspend failed|ufshcd_wl_runtime_resume failed>", CAUSE_TIMEOUT, ERROR, SCSI, "device does not suspend or resume"},
{"ufs-bkops",            UFS "ufshcd_bkops_exception_event_handler: device raised urgent BKOPS exception", CAUSE_HEALTH, WARNING, BUS, "device asks for time to clean up"},
{"ufs-history",          UFS "<pa_err|dl_err|nl_err|tl_err|dme_err|auto_hibern8_err|fatal_err|link_startup_fail|resume_fail|suspend_fail|wlun|dev_reset|host_reset|task_abort|No record of>", CAUSE_DETAIL, INFO, BUS, "history of the driver"},
{"ufs-state",            UFS "<UFS Host state|outstanding reqs|saved_err|Device power mode|PM in progress|Auto BKOPS|Clk gate|error handling flags|last intr|last_hibern8|Host capabilities|quirks=|ufshcd_print_|No active UIC command|ufshcd_intr: Unhandled interrupt|UPIU[|[RX, TX]>", CAUSE_DETAIL, INFO, BUS, "state of the host"},
{"ufs-registers",        "host_regs: ",                                                          CAUSE_DETAIL, INFO, NONE, "registers"},

/* ext4 and jbd2: fs/ext4/super.c, fs/jbd2/{journal,commit}.c */
{"ext4-reminder",        EXT4 " ({node}): error count since last fsck: {num}",                   CAUSE_REMINDER, INFO, BLOCK, "stored errors, told again each day"},
{"ext4-reminder-time",   EXT4 " ({node}): <initial|last> error at time {num}",                   CAUSE_DETAIL, INFO, BLOCK, "when a stored error was"},
{"ext4-aborted",         EXT4 " error (device {node}): {any}Detected aborted journal",           CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system stopped: journal aborted"},
{"ext4-journal-aborted", EXT4 " error (device {node}) in {any}Journal has aborted",              CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system stopped: journal aborted"},
{"ext4-error",           EXT4 " error (device {node})",                                          CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file system error"},
{"ext4-end-bio",         EXT4 " warning (device {node}): ext4_end_bio:{num}: I/O error {num} writing to inode", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file-system write error"},
{"ext4-directory",       EXT4 " warning (device {node}): {any}reading directory block",    CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file-system read error"},
{"ext4-warning",         EXT4 " warning (device {node})",                                        CAUSE_FILE_SYSTEM, WARNING, BLOCK, "file system warning"},
{"ext4-read-only",       EXT4 " ({node}): Remounting filesystem read-only",                      CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system is read-only now"},
{"ext4-lost",            EXT4 " ({node}): <Delayed block allocation failed|failed to convert unwritten|This should not happen!!>", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "data were not written"},
{"ext4-superblock",      EXT4 " ({node}): <I/O error while writing superblock|previous I/O error to superblock detected|unable to read superblock|error loading journal>", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "superblock or journal cannot be read or written"},
{"ext4-descriptors",     EXT4 " ({node}): <ext4_check_descriptors: |group descriptors corrupted|can't read group descriptor>", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "group descriptors cannot be read or are wrong"},
{"ext4-with-errors",     EXT4 " ({node}): warning: mounting fs with errors",                     CAUSE_FILE_SYSTEM, WARNING, BLOCK, "mounted with errors in it"},
{"ext4-orphan",          EXT4 " ({node}): Inode {num} ({any}): orphan list check failed",        CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file system error"},
{"jbd2-abort",           "Aborting journal on device {journal}.",                                CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "journal aborted"},
{"jbd2-superblock",      "JBD2: Error {errno} detected when updating journal superblock for {journal}.", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "journal cannot be written"},
{"jbd2-superblock-io",   "JBD2: I/O error when updating journal superblock for {journal}.",      CAUSE_FILE_SYSTEM, ERROR, BLOCK, "journal cannot be written"},
{"jbd2-flush",           "JBD2: Detected IO errors while flushing file data on {journal}$", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "data were not written"},
{"jbd2-flush-errno",     "JBD2: Detected IO errors {errno} while flushing file data on {journal}$", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "data were not written"},
{"jbd2-recovery",        "JBD2: <recovery failed|IO error -|Failed to read block at offset|journal checksum error|Invalid checksum recovering|no valid journal superblock found>", CAUSE_FILE_SYSTEM, ERROR, NONE, "journal cannot be replayed"},

/* f2fs, xfs, btrfs, fat and the read-only ones */
{"f2fs-stopped",         "F2FS-fs ({node}): Stopped filesystem due to reason: {num}",            CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system stopped"},
{"f2fs-read-only",       "F2FS-fs ({node}): Remounting filesystem read-only",                    CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system is read-only now"},
{"f2fs-no-checkpoint",   "F2FS-fs ({node}): Failed to get valid F2FS checkpoint",                CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "no valid checkpoint"},
{"f2fs-damaged",         "F2FS-fs ({node}): {any}<run fsck|Run fsck|access invalid blkaddr|Bitmap was wrongly|inconsistent |corrupted |Corrupted |Mismatch valid blocks>", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file system error"},
{"f2fs-checksum",        "F2FS-fs ({node}): <invalid crc value|invalid crc_offset|Invalid log sectorsize|Magic Mismatch|Can't find valid F2FS filesystem in >", CAUSE_FILE_SYSTEM, INFO, BLOCK, "one of two copies is not valid"},
{"f2fs-io",              "F2FS-fs ({node}): {any}<I/O error|IO error|EIO>",                      CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file-system I/O error"},
{"xfs-shutdown",         "XFS ({node}): {any}<Shutting down filesystem|shutting down filesystem|has been shut down>", CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system stopped"},
{"xfs-log",              "XFS ({node}): log I/O error {errno}",                                  CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "journal cannot be written"},
{"xfs-metadata",         "XFS ({node}): metadata I/O error",                                     CAUSE_FILE_SYSTEM, ERROR, BLOCK, "metadata cannot be read or written"},
{"xfs-writeback",        "XFS ({node}): <writeback error on |page discard on page|failing async write>", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "data were not written"},
{"xfs-corrupt",          "XFS ({node}): <Metadata |metadata |Internal error|Corruption >", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file system error"},
{"xfs-hint",             "XFS ({node}): <Unmount and run xfs_repair|Please |First >",            CAUSE_DETAIL, INFO, BLOCK, "advice of the kernel"},
{"btrfs-stored",         "BTRFS info (device {name}<)|: state| state>{any}bdev /dev/{node} errs: ", CAUSE_REMINDER, INFO, BLOCK, "stored errors, told at each mount"},
{"btrfs-device",         "BTRFS error (device {name}<)|: state| state>{any}bdev /dev/{node} errs: ", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file-system I/O error"},
{"btrfs-lost-write",     "BTRFS warning (device {name}<)|: state| state>{any}lost page write due to <IO|I/O> error on /dev/{node}", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "write lost"},
{"btrfs-read-only",      "BTRFS info " BTRFS_OF "{any}forced readonly",                          CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system is read-only now"},
{"btrfs-aborted",        "BTRFS: <error|Transaction aborted> " BTRFS_OF "{any}errno={errno}",    CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system stopped"},
{"btrfs-checksum",       "BTRFS warning " BTRFS_OF "{any}csum failed",                           CAUSE_FILE_SYSTEM, ERROR, BLOCK, "checksum of data does not match"},
{"btrfs-critical",       "BTRFS critical " BTRFS_OF,                                             CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system error"},
{"btrfs-error",          "BTRFS error " BTRFS_OF,                                                CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file system error"},
{"btrfs-warning",        "BTRFS warning " BTRFS_OF,                                              CAUSE_FILE_SYSTEM, WARNING, BLOCK, "file system warning"},
{"fat-read-only",        "<FAT-fs|exFAT-fs> ({node}): Filesystem has been set read-only",        CAUSE_FILE_SYSTEM, CRITICAL, BLOCK, "file system is read-only now"},
{"fat-unclean",          "<FAT-fs|exFAT-fs> ({node}): Volume was not properly unmounted",        CAUSE_FILE_SYSTEM, INFO, BLOCK, "not unmounted"},
{"fat-error",            "<FAT-fs|exFAT-fs> ({node}): <error|Directory bread|FAT read failed|unable to read|bread failed>", CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file system error"},
{"squashfs",             "SQUASHFS error: ",                                                     CAUSE_FILE_SYSTEM, ERROR, NONE, "file system cannot be read"},
{"erofs",                "erofs: (device {node}): {any}<failed|corrupted>",                      CAUSE_FILE_SYSTEM, ERROR, BLOCK, "file system cannot be read"},

/* Device mapper and RAID: drivers/md/ */
{"dm-verity",            "device-mapper: verity: {node}: <data|metadata> block {block} is corrupted", CAUSE_MEDIA, ERROR, BLOCK, "what was read is not what was written"},
{"dm-fec",               "device-mapper: verity-fec: {node}: FEC {num}: failed to correct",      CAUSE_MEDIA, ERROR, BLOCK, "what was read could not be put right"},
{"dm-fec-corrected",     "device-mapper: verity-fec: {node}: FEC {num}: corrected {num} errors", CAUSE_MEDIA, WARNING, BLOCK, "what was read was put right"},
{"dm-integrity",         "device-mapper: integrity: {node}: Checksum failed at sector 0x{hex}",  CAUSE_MEDIA, ERROR, BLOCK, "what was read is not what was written"},
{"dm-crypt",             "device-mapper: crypt: {node}: INTEGRITY AEAD ERROR, sector {sector}",  CAUSE_MEDIA, ERROR, BLOCK, "what was read is not what was written"},
{"dm-pool-full",         "device-mapper: thin: {node}: <no free data space available|switching pool to out-of-data-space mode|no free metadata space>", CAUSE_SPACE, ERROR, BLOCK, "pool is full"},
{"dm-pool-low",          "device-mapper: thin: {node}: reached low water mark",                  CAUSE_SPACE, WARNING, BLOCK, "pool is nearly full"},
{"dm-pool-failed",       "device-mapper: thin: {node}: switching pool to <read-only|failure> mode", CAUSE_SPACE, CRITICAL, BLOCK, "pool has stopped"},
{"dm-pool-metadata",     "device-mapper: <thin|cache>: {node}: metadata operation '{any}' failed: error = {errno}", CAUSE_OF_ERRNO, ERROR, BLOCK, "metadata cannot be read or written"},
{"dm-path",              "device-mapper: multipath: {node}: Failing path {name}",                CAUSE_GONE, WARNING, BLOCK, "a path has failed"},
{"md-disk",              "md/<raid10|raid1|raid>:{name}: Disk failure on {node}, disabling device", CAUSE_GONE, CRITICAL, BLOCK, "disk was taken out of a RAID"},
{"md-uncorrectable",     "md/<raid10|raid1|raid>:{name}: read error not correctable (sector {sector} on {node})", CAUSE_MEDIA, ERROR, BLOCK, "sector lost in a RAID"},
{"md-corrected",         "md/<raid10|raid1|raid>:{name}: read error corrected (",                CAUSE_MEDIA, WARNING, NONE, "RAID has put a sector right"},
{"md-rescheduled",       "md/<raid10|raid1>:{name}: {node}: rescheduling sector {block}",        CAUSE_IO, WARNING, BLOCK, "read failed, tried at another disk"},
{"md-redirected",        "md/<raid10|raid1>:{name}: {any}redirecting sector ",                   CAUSE_DETAIL, INFO, NONE, "read of another disk"},
{"md-superblock",        "md: super_written gets error=",                                        CAUSE_DETAIL, INFO, NONE, "of a write that failed"},

/* Heat: drivers/thermal/thermal_core.c, arch/x86/kernel/cpu/mce/therm_throt.c; and what a machine
 * goes down for by itself, whose reason stands in parentheses: kernel/reboot.c (from 5.14; "reboot"
 * from 6.15), called by drivers/thermal, drivers/regulator/{core,irq_helpers}.c and others */
{"thermal-critical",     "thermal {node}: {any}critical temperature reached",                    CAUSE_THERMAL, CRITICAL, OTHER, "critical temperature"},
{"thermal-critical-old", "critical temperature reached",                                         CAUSE_THERMAL, CRITICAL, NONE, "critical temperature"},
{"protection-thermal",   "<reboot: |>HARDWARE PROTECTION <shutdown|reboot> (Temperature too high)", CAUSE_THERMAL, CRITICAL, NONE, "goes down, for it is too hot"},
{"protection-power",     "<reboot: |>HARDWARE PROTECTION {any}<oltage|urrent|egulator>",         CAUSE_POWER, CRITICAL, NONE, "goes down for a fault of its power"},
{"hardware-protection",  "<reboot: |>HARDWARE PROTECTION",                                       CAUSE_PROTECTION, CRITICAL, NONE, "goes down to protect its hardware"},
{"thermal-throttle",     "<mce: |>{node=CPU}: <Core|Package> temperature <is |>above threshold", CAUSE_THERMAL, WARNING, OTHER, "CPU is throttled"},

/* Nothing moves: kernel/{hung_task,watchdog,workqueue}.c, kernel/rcu/tree_stall.h */
{"hung-journal",         "INFO: task jbd2/{journal}:{num} blocked for more than {num} seconds",  CAUSE_HUNG, ERROR, BLOCK, "journal hung"},
{"hung-task",            "INFO: task {any} blocked for more than {num} seconds",                 CAUSE_HUNG, ERROR, NONE, "task hung"},
{"hung-io",              "INFO: task {any} blocked in I/O wait for more than {num} seconds",     CAUSE_HUNG, ERROR, NONE, "task hung in I/O"},
{"hung-writeback",       "Workqueue: writeback {word} (flush-{node})",                           CAUSE_DETAIL, INFO, BLOCK, "writeback hung"},
{"hung-tainted",         "<Not tainted|Tainted: >",                                              CAUSE_DETAIL, INFO, NONE, "which kernel it is"},
{"hung-hint",            "\"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\"",                 CAUSE_DETAIL, INFO, NONE, "advice of the kernel"},
{"hung-state",           "task:{any} state:{word} ",                                             CAUSE_DETAIL, INFO, NONE, "state of a task"},
{"hung-state-old",       "{word} <D|R|S> {num} {num} {num} 0x",                                  CAUSE_DETAIL, INFO, NONE, "state of a task"},
{"soft-lockup",          "<NMI watchdog: |watchdog: |>BUG: soft lockup - CPU#",                  CAUSE_HUNG, CRITICAL, NONE, "a CPU stands still"},
{"hard-lockup",          "<NMI watchdog: |watchdog: |>Watchdog detected hard LOCKUP",            CAUSE_HUNG, CRITICAL, NONE, "a CPU stands still"},
{"rcu-stall",            "<rcu: |>INFO: rcu_{any}detected <stalls|expedited stalls>",            CAUSE_HUNG, ERROR, NONE, "a CPU does not get on"},
{"rcu-self",             "<rcu: |>INFO: rcu_{any}self-detected stall",                           CAUSE_HUNG, ERROR, NONE, "a CPU does not get on"},
{"workqueue-lockup",     "BUG: workqueue lockup",                                                CAUSE_HUNG, ERROR, NONE, "kernel work does not get on"},
{"watchdog-device",      "watchdog: {node=watchdog}: watchdog did not stop!",                    CAUSE_HUNG, WARNING, OTHER, "watchdog is still running"},

/* Memory: mm/{oom_kill,page_alloc,memcontrol}.c */
{"oom-cgroup",           "Memory cgroup out of memory: <Killed|Kill> process",                   CAUSE_OOM, WARNING, NONE, "a process was killed for its memory limit"},
{"oom",                  "Out of memory< (oom_kill_allocating_task)|>: <Killed|Kill> process", CAUSE_OOM, ERROR, NONE, "a process was killed for memory"},
{"oom-panic",            "Kernel panic - not syncing: Out of memory",                            CAUSE_OOM, CRITICAL, NONE, "no memory left"},
{"oom-detail",           "<oom_reaper: |oom-kill:|Killed process >",                             CAUSE_DETAIL, INFO, NONE, "of a killed process"},
{"oom-invoked",          "{any} invoked oom-killer:",                                            CAUSE_DETAIL, INFO, NONE, "of a killed process"},
{"page-allocation",      "{any}: page allocation failure: order:",                               CAUSE_OOM, WARNING, NONE, "memory could not be had"},

/* The end: kernel/panic.c, arch/<all of them>/ */
{"panic-end",            "---[ end Kernel panic",                                                CAUSE_DETAIL, INFO, NONE, "end of a panic"},
{"panic",                "Kernel panic - not syncing",                                           CAUSE_CRASH, CRITICAL, NONE, "kernel panic"},
{"oops-fault",           "<Unable to handle kernel |BUG: unable to handle |BUG: kernel NULL pointer dereference>", CAUSE_CRASH, CRITICAL, NONE, "kernel fault"},
{"oops",                 "<Internal error: |Oops: >",                                            CAUSE_CRASH, CRITICAL, NONE, "kernel oops"},
{"oops-x86",             "<general protection fault|stack segment>{any}: {hex} [#{num}]",        CAUSE_CRASH, CRITICAL, NONE, "kernel fault"},
{"oops-opcode",          "invalid opcode: {hex} [#{num}]",                                       CAUSE_DETAIL, INFO, NONE, "of a kernel bug"},
{"kernel-bug",           "kernel BUG at ",                                                       CAUSE_CRASH, CRITICAL, NONE, "kernel bug"},
{"kernel-warning",       "WARNING: CPU: {num} PID: {num} at ",                                   CAUSE_CRASH, WARNING, NONE, "kernel warning"},
{"kernel-warning-cpu",   "WARNING: {any}at {any}, CPU#{num}: ",                                  CAUSE_CRASH, WARNING, NONE, "kernel warning"},
};
/* clang-format on */

const size_t n_kernel_rules = ARRAY_SIZE(kernel_rules);
