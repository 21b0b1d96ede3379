// Made by tierup for one run.

#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4 << 20, MOST_ITEMS = 1000 };

void text_add(text *all, const char *part, size_t length) {
  size_t needed = all->length + length;
  if (all->is_cut || length > MOST_BYTES || needed > MOST_BYTES) {
    all->is_cut = true;
    return;
  }
  if (needed > all->room) {
    size_t room = 2 * needed + 64;
    char *data = realloc(all->data, room);
    if (data == NULL) {
      all->is_cut = true;
      return;
    }
    all->data = data;
    all->room = room;
  }
  memcpy(all->data + all->length, part, length);
  all->length = needed;
}

void text_print(text *all, const char *format, ...) {
  char part[512];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(part, sizeof(part), format, values);
  va_end(values);
  if (length < 0 || length >= (int)sizeof(part)) {
    all->is_cut = true;
    return;
  }
  text_add(all, part, (size_t)length);
}

void text_quote(text *all, const char *part, size_t length) {
  text_add(all, "\"", 1);
  for (size_t at = 0; at < length; at++) {
    char character = part[at];
    if (character == '"' || character == '\\') text_add(all, "\\", 1);
    text_add(all, character < ' ' || character > '~' ? "?" : &character, 1);
  }
  text_add(all, "\"", 1);
}

void text_free(text *all) {
  free(all->data);
  *all = (text){0};
}

void set_add(set *all, const char *item, size_t length) {
  for (size_t at = 0; at < all->count; at++) {
    if (strlen(all->items[at]) == length && memcmp(all->items[at], item, length) == 0) return;
  }
  if (all->count == MOST_ITEMS) return;
  if (all->items == NULL) all->items = calloc(MOST_ITEMS, sizeof(char *));
  char *copy = all->items == NULL ? NULL : malloc(length + 1);
  if (copy == NULL) return;
  memcpy(copy, item, length);
  copy[length] = '\0';
  all->items[all->count++] = copy;
  all->bytes += length;
}

void set_free(set *all) {
  for (size_t at = 0; at < all->count; at++) free(all->items[at]);
  free(all->items);
  *all = (set){0};
}
