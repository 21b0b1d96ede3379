// The types of the watched functions' arguments and answers. In: calls, from PHP's thread; commands, from the agent's.
// Out: a JSON file without any value of the server's.
//
// Made by tierup for one run.

#ifndef TIERUP_CALLS_H
#define TIERUP_CALLS_H

#include <stdbool.h>

// For the agent. Between `calls_stop` and `calls_start`, no call is noted.
void calls_start(void);
// Returns false if the file could not be written.
bool calls_stop(const char *file);
void calls_end(void);
// Must be called in a forked child, before it has another thread.
void calls_forked(void);

#endif
