/* Messages between the daemon and flashscope-helper, one packet each, over a Unix socket. With
 * WIRE_TICK and WIRE_RESCAN of sampling/wire.h these are all that a daemon can ask for: groups by
 * their number, never a path, a device or a command.
 *
 *   daemon  HELLO            its version, and a digest of its field tables
 *   helper  HELLO            the same of its own; or REFUSED with the reason, and it hangs up
 *   helper  PROBED           of each collector that it samples
 *   daemon  TICK, RESCAN     at any time
 *   daemon  MONITOR          the policy of the UFS monitor, and until when a mark asks for it
 *   daemon  LOG              once: the kernel's log, open for reading
 *   daemon  RECORDS          once: what a kernel before has left (model/crash_records.h)
 *   helper  ROWS             for each group of a TICK, once, at the latest after GATHER_MS
 *   helper  NODE             a device does not answer, or answers again
 *   helper  ACCOUNT          of its workers, when it has changed
 *   helper  MONITORED        what became of the monitors, when it has changed
 *   helper  LOGGED           with the descriptor beside it (SCM_RIGHTS), or why there is none
 *   helper  GATHERED         the same: a file in memory
 *
 * Both are built from one source and run on one machine, so numbers go as they stand in memory; the
 * HELLO keeps two apart that were not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/catalog.h"
#include "sampling/wire.h"

#define WIRE_TEXT_MAX 256

struct wire_hello {
	char version[32];
	int64_t digest; /* of the field tables, wire_digest() */
};

struct wire_refused {
	char reason[WIRE_TEXT_MAX];
};

/* Node "" and group -1: the probe of the collector. */
struct wire_node {
	bool hung; /* false: it answers again, or */
	bool gone; /* its device went, and nobody knows whether it would answer */
	size_t collector;
	int group; /* index of the catalog; one of the collector */
	int64_t since_ms;
	char node[NODE_NAME_MAX];
};

struct wire_account {
	int64_t n_workers;  /* processes that wait for devices */
	int64_t n_restarts; /* of these: started in place of one that died or hung */
	int64_t n_left;     /* processes that the kernel holds */
	int64_t cpu_us;     /* of all of them */
};

/* Whether the UFS host driver measures each request: docs/UFS-MONITOR.md. */
enum ufs_monitor {
	UFS_MONITOR_AUTO,   /* as on for a host with one hardware queue, as marked for others */
	UFS_MONITOR_ON,     /* switched on, again when it was switched off by anybody */
	UFS_MONITOR_MARKED, /* while a mark asks for it */
	UFS_MONITOR_OFF,    /* never written to, but to put back what was switched on before */
	N_UFS_MONITORS,
};

struct wire_monitor {
	enum ufs_monitor policy;
	/* On the boot clock: until when a mark asks for it, 0: none does. Whoever switches the
	 * monitor keeps to it, since a daemon that hangs says nothing any more. */
	int64_t asked_until_ms;
};

struct wire_monitored {
	int64_t n_hosts;  /* with a monitor */
	int64_t n_wanted; /* of these: that the policy wants on */
	int64_t n_on;     /* that are on, whoever did it */
	int64_t n_ours;   /* that the helper has switched on and will put back */
	int64_t n_again;  /* times that one was found off which had been switched on */
	/* Why one that is wanted could not be switched on, 0 or -errno. -ESRCH: who keeps them has
	 * died, and the next one is not there yet. */
	int error;
};

/* Of LOGGED and GATHERED: whether a descriptor is beside it. */
struct wire_logged {
	int error; /* 0 or -errno */
};

/* A number for what can be asked and answered: the same only for the same groups and fields. */
int64_t wire_digest(const struct catalog *catalog);

/* Encoders and decoders as in sampling/wire.h. */
size_t wire_put_hello(uint8_t *packet, const struct wire_hello *hello);
size_t wire_put_refused(uint8_t *packet, const struct wire_refused *refused);
size_t wire_put_node(uint8_t *packet, const struct wire_node *node);
size_t wire_put_account(uint8_t *packet, const struct wire_account *account);
size_t wire_put_monitor(uint8_t *packet, const struct wire_monitor *monitor);
size_t wire_put_monitored(uint8_t *packet, const struct wire_monitored *monitored);
size_t wire_put_log(uint8_t *packet);
size_t wire_put_logged(uint8_t *packet, const struct wire_logged *logged);
size_t wire_put_records(uint8_t *packet);
size_t wire_put_gathered(uint8_t *packet, const struct wire_logged *gathered);

MUST_CHECK int wire_get_hello(const uint8_t *packet, size_t len, struct wire_hello *ret);
MUST_CHECK int wire_get_refused(const uint8_t *packet, size_t len, struct wire_refused *ret);
MUST_CHECK int wire_get_node(const uint8_t *packet, size_t len, const struct catalog *catalog,
			     struct wire_node *ret);
MUST_CHECK int wire_get_account(const uint8_t *packet, size_t len, struct wire_account *ret);
MUST_CHECK int wire_get_monitor(const uint8_t *packet, size_t len, struct wire_monitor *ret);
MUST_CHECK int wire_get_monitored(const uint8_t *packet, size_t len, struct wire_monitored *ret);
MUST_CHECK int wire_get_logged(const uint8_t *packet, size_t len, struct wire_logged *ret);
MUST_CHECK int wire_get_gathered(const uint8_t *packet, size_t len, struct wire_logged *ret);
