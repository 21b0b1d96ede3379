// Text that grows, up to a limit, and sets of texts. In: parts. Out: plain C memory, which no thread of PHP has to free.
//
// Made by tierup for one run.

#ifndef TIERUP_TEXT_H
#define TIERUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *data;
  size_t length, room;
  // Something was left out: there was no memory, or the limit was reached.
  bool is_cut;
} text;

void text_add(text *all, const char *part, size_t length);
// As printf, up to 511 bytes.
void text_print(text *all, const char *format, ...) __attribute__((format(printf, 2, 3)));
// As a string of JSON. Characters that are neither ASCII nor printable become `?`.
void text_quote(text *all, const char *part, size_t length);
void text_free(text *all);

typedef struct {
  char **items;
  size_t count;
  // Of all items together.
  size_t bytes;
} set;

// Adds a text, once, up to a limit.
void set_add(set *all, const char *item, size_t length);
void set_free(set *all);

#endif
