// Calls of functions in the watched files, as PHP reports them.
//
// Made by tierup for one run.

#ifndef TIERUP_SEEN_H
#define TIERUP_SEEN_H

#include <php.h>

void seen_entered(zend_execute_data *call);
void seen_left(zend_execute_data *call, zval *answer);

#endif
