// The calls of one watched function, as they are seen. Only one thread at a time uses it.
//
// Made by tierup for one run.

#ifndef TIERUP_NOTING_H
#define TIERUP_NOTING_H

#include <php.h>
#include <stdbool.h>

#include "text.h"

// More parameters keep a function from moving.
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
  // One text, or no text.
  set owner;
  set problems;
  text entered;
  text left;
  uint32_t left_count;
} noted;

// The function is entered. Its parameters are not checked yet, and those that were not given have no value.
void note_entered(noted *noted, zend_execute_data *call);
// It has answered.
void note_left(noted *noted, zval *answer);
// Another function of a watched file was called.
void note_other(noted *noted, const char *name);
void note_free(noted *noted);
// As JSON.
void note_write(const noted *noted, text *all);

#endif
