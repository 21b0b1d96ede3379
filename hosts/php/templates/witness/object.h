// Finds out how a method uses its object. In: a method, and the class of its object. Out: why it cannot move to another
// language as it is. This only reads compiled code, and runs nothing.
//
// Made by tierup for one run.

#ifndef TIERUP_OBJECT_H
#define TIERUP_OBJECT_H

#include <php.h>
#include <stdbool.h>

// Writes the first use found, such as `$rate`, and returns true. Returns false if the method does not use its object.
bool object_is_used(const zend_op_array *method, zend_class_entry *class, char *what, size_t room);

#endif
