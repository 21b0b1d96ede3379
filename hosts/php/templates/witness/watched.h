// The watched functions of this run.
//
// Made by tierup for one run.

#ifndef TIERUP_WATCHED_H
#define TIERUP_WATCHED_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  // The real path.
  const char *file;
  const char *name;
  // With its class or namespace; the name if that is not known.
  const char *whole;
  // 0 if any.
  uint32_t line;
} watched;

extern const char *const watched_socket;
// Stands, with a NUL, before each value that is hashed.
extern const char *const watched_key;
extern const size_t watched_count;
extern const watched watched_functions[];

#endif
