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
  // The name with its class or namespace; the plain name if these are not known.
  const char *whole;
  // 0 stands for any line.
  uint32_t line;
} watched;

extern const char *const watched_socket;
// Every hashed value is preceded by this key and a NUL.
extern const char *const watched_key;
extern const size_t watched_count;
extern const watched watched_functions[];

#endif
