// Values as types. In: a value. Out: its type as JSON, without its content. No code of the user's runs, and PHP allocates
// nothing.
//
// Made by tierup for one run.

#ifndef TIERUP_SHAPES_H
#define TIERUP_SHAPES_H

#include <php.h>

#include "text.h"

// Adds what a value is, once.
void shapes_add(set *known, zval *value);
// Adds the type that an argument becomes, as PHP converts scalars to the type that its parameter declares. Adds nothing if
// PHP refuses it.
void shapes_add_argument(set *known, zval *value, zend_type declared);

#endif
