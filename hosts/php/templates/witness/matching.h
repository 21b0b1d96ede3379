// Finds the watched function that a function of PHP's is. In: compiled code. Out: a number, or -1.
//
// Made by tierup for one run.

#ifndef TIERUP_MATCHING_H
#define TIERUP_MATCHING_H

#include <php.h>
#include <stdbool.h>

// Whether a watched function, of any name, is in this file, by the path that PHP knows it by.
bool matching_file(zend_string *path);
int matching_function(const zend_op_array *code);
// Whether the watched function is in the same file as this one.
bool matching_neighbour(size_t function, const zend_op_array *code);
// A function's name without its namespace.
const char *matching_name(const zend_op_array *code);

#endif
