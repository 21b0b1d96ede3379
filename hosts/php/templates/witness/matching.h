// Finds the watched function for a PHP function. In: compiled code. Out: its number, or -1.
//
// Made by tierup for one run.

#ifndef TIERUP_MATCHING_H
#define TIERUP_MATCHING_H

#include <php.h>
#include <stdbool.h>

// Whether any watched function is in this file. The path is the one that PHP uses.
bool matching_file(zend_string *path);
int matching_function(const zend_op_array *code);
// Whether the watched function's file contains this code.
bool matching_neighbour(size_t function, const zend_op_array *code);
// A function's name without its namespace.
const char *matching_name(const zend_op_array *code);

#endif
