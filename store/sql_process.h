/* What SQLite is told once, for the whole process. */
#pragma once

/* Before the first connection; sql_open() calls it. Threads may call it at the same time. */
void sql_process_begin(void);
