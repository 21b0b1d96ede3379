// What a method uses of its object. In: a method, and the class of its object. Out: why it cannot move to another language as it is.
// Only compiled code is read, none is run.
//
// Made by tierup for one run.

#ifndef TIERUP_OBJECT_H
#define TIERUP_OBJECT_H

#include <php.h>
#include <stdbool.h>

// Writes what it uses, such as `$rate`, and returns true; false if it uses nothing of its object.
bool object_is_used(const zend_op_array *method, zend_class_entry *class, char *what, size_t room);

#endif
