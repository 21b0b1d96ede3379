// The arguments and answers of the watched functions, as types. In: calls, by PHP's thread; orders, by that of the agent. Out: a file of
// JSON without any value of the server's.
//
// Made by tierup for one run.

#ifndef TIERUP_CALLS_H
#define TIERUP_CALLS_H

#include <stdbool.h>

// For the agent. Between `calls_stop` and `calls_start`, no call is noted.
void calls_start(void);
// False if the file could not be written.
bool calls_stop(const char *file);
void calls_end(void);
// In a forked child, before another thread is there.
void calls_forked(void);

#endif
