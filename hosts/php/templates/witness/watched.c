// Made by tierup for one run.

#include "watched.h"

const char *const watched_socket = {{socket}};
const char *const watched_key = {{key}};
const size_t watched_count = {{count}};
// The last element only prevents an empty array.
const watched watched_functions[] = {
{{functions}}  {0}
};
