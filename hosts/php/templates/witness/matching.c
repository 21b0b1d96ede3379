// PHP knows most files by their real paths. For others, this caches the last path that was resolved, so that not each
// call asks the system. Only PHP's thread runs this.
//
// Made by tierup for one run.

#include "matching.h"

#include <limits.h>
#include <stdlib.h>

#include "watched.h"

static char spelled[PATH_MAX];
static char real[PATH_MAX];

static const char *base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static bool is_at(const watched *function, zend_string *path) {
  if (strcmp(function->file, ZSTR_VAL(path)) == 0) return true;
  // Only folders are expected to be links, such as the folder of the current release.
  if (strcmp(base(function->file), base(ZSTR_VAL(path))) != 0 || ZSTR_LEN(path) >= PATH_MAX) return false;
  if (strcmp(spelled, ZSTR_VAL(path)) != 0) {
    char found[PATH_MAX];
    strcpy(real, realpath(ZSTR_VAL(path), found) == NULL ? "" : found);
    strcpy(spelled, ZSTR_VAL(path));
  }
  return strcmp(function->file, real) == 0;
}

static bool is_whole(const watched *function, const zend_op_array *code) {
  // The class or namespace is not known.
  if (strcmp(function->whole, function->name) == 0) return true;
  const char *rest = function->whole;
  if (code->scope != NULL) {
    size_t length = ZSTR_LEN(code->scope->name);
    if (strncmp(rest, ZSTR_VAL(code->scope->name), length) != 0 || strncmp(rest + length, "::", 2) != 0) return false;
    rest += length + 2;
  }
  return strcmp(rest, ZSTR_VAL(code->function_name)) == 0;
}

const char *matching_name(const zend_op_array *code) {
  const char *namespace = strrchr(ZSTR_VAL(code->function_name), '\\');
  return namespace == NULL ? ZSTR_VAL(code->function_name) : namespace + 1;
}

bool matching_file(zend_string *path) {
  for (size_t at = 0; at < watched_count; at++) {
    if (is_at(&watched_functions[at], path)) return true;
  }
  return false;
}

int matching_function(const zend_op_array *code) {
  for (size_t at = 0; at < watched_count; at++) {
    const watched *function = &watched_functions[at];
    if (strcmp(function->name, matching_name(code)) != 0 || !is_whole(function, code)) continue;
    if (function->line != 0 && function->line != code->line_start) continue;
    if (is_at(function, code->filename)) return (int)at;
  }
  return -1;
}

bool matching_neighbour(size_t function, const zend_op_array *code) { return is_at(&watched_functions[function], code->filename); }
