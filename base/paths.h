/* Where things lie unless an option says otherwise. */
#pragma once

/* CMAKE_INSTALL_LOCALSTATEDIR and CMAKE_INSTALL_RUNSTATEDIR: units, script and man pages name them
 * as well. */
#ifndef FLASHSCOPE_LOCALSTATEDIR
#define FLASHSCOPE_LOCALSTATEDIR "/var"
#endif
#ifndef FLASHSCOPE_RUNSTATEDIR
#define FLASHSCOPE_RUNSTATEDIR "/run"
#endif

#ifdef FLASHSCOPE_ANDROID
/* There is no /run and no /var. /data/vendor belongs to what the vendor brings, /mnt/vendor lies in
 * memory; init makes the folders (init.rc/flashscoped.rc). */
#define DEFAULT_DATABASE    "/data/vendor/flashscope/flashscope.db"
#define DEFAULT_RUNTIME_DIR "/mnt/vendor/flashscope"
#define DEFAULT_MEMORY      "/mnt/vendor/flashscope-helper/monitors"
#else
#define DEFAULT_DATABASE    FLASHSCOPE_LOCALSTATEDIR "/lib/flashscope/flashscope.db"
#define DEFAULT_RUNTIME_DIR FLASHSCOPE_RUNSTATEDIR "/flashscope"
/* Beside what is the daemon's. */
#define DEFAULT_MEMORY      FLASHSCOPE_RUNSTATEDIR "/flashscope-helper.ufs"
#endif

/* What ExecStop= of flashscoped.service leaves. */
#define STOP_NOTE FLASHSCOPE_RUNSTATEDIR "/flashscope-stop"
