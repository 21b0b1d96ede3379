// Text that grows up to a limit, and sets of texts. They use plain C memory, which does not depend on PHP's threads.
//
// Made by tierup for one run.

#ifndef TIERUP_TEXT_H
#define TIERUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *data;
  size_t length, room;
  // Whether something is missing: there was no memory, or the limit was reached.
  bool is_cut;
} text;

void text_add(text *all, const char *part, size_t length);
// Adds text as printf does, up to 511 bytes.
void text_print(text *all, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds a JSON string. Characters that are not printable ASCII become `?`.
void text_quote(text *all, const char *part, size_t length);
void text_free(text *all);

typedef struct {
  char **items;
  size_t count;
  // The size of all items together.
  size_t bytes;
} set;

// Adds a text up to a limit, unless it is there.
void set_add(set *all, const char *item, size_t length);
void set_free(set *all);

#endif
