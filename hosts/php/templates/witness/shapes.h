// Describes values by their types. In: a value. Out: its type as JSON, without its content. It runs no code of the
// user's, and allocates nothing from PHP.
//
// Made by tierup for one run.

#ifndef TIERUP_SHAPES_H
#define TIERUP_SHAPES_H

#include <php.h>

#include "text.h"

// Adds a value's type, unless it is there.
void shapes_add(set *known, zval *value);
// Adds the type of an argument after PHP has converted scalars to the type that its parameter declares. Adds nothing if
// PHP refuses the argument.
void shapes_add_argument(set *known, zval *value, zend_type declared);

#endif
