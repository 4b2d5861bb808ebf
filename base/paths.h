/* Where things lie unless an option says otherwise. */
#pragma once

#ifdef FLASHSCOPE_ANDROID
/* There is no /run and no /var. /data/vendor belongs to what the vendor brings, /mnt/vendor lies in
 * memory; init makes the folders (init.rc/flashscoped.rc). */
#define DEFAULT_DATABASE    "/data/vendor/flashscope/flashscope.db"
#define DEFAULT_RUNTIME_DIR "/mnt/vendor/flashscope"
#define DEFAULT_MEMORY      "/mnt/vendor/flashscope-helper/monitors"
#else
#define DEFAULT_DATABASE    "/var/lib/flashscope/flashscope.db"
#define DEFAULT_RUNTIME_DIR "/run/flashscope"
#define DEFAULT_MEMORY      "/run/flashscope-helper.ufs" /* beside what is the daemon's */
#endif
