// The calls of one watched function. Only one thread at a time uses it.
//
// Made by tierup for one run.

#ifndef TIERUP_NOTING_H
#define TIERUP_NOTING_H

#include <php.h>
#include <stdbool.h>

#include "text.h"

// A function with more parameters cannot move.
enum { MOST_PARAMETERS = 32, MOST_LINES = 16 };

typedef struct {
  uint64_t calls;
  uint32_t line;
  uint32_t lines[MOST_LINES];
  uint32_t line_count;
  set others;
  uint32_t parameter_count;
  struct {
    set name;
    set shapes;
  } parameters[MOST_PARAMETERS];
  set answers;
  bool is_exported;
  // At most one text.
  set owner;
  set problems;
  text entered;
  text left;
  uint32_t left_count;
} noted;

// Called when the function is entered. Its parameters are not checked yet, and missing ones have no value.
void note_entered(noted *noted, zend_execute_data *call);
// Called when the function has returned.
void note_left(noted *noted, zval *answer);
// Called when another function of a watched file is entered.
void note_other(noted *noted, const char *name);
void note_free(noted *noted);
// Writes the notes as JSON.
void note_write(const noted *noted, text *all);

#endif
