// The witness of `tierup init --function` and `tierup profile`: an extension that PHP loads into every process of the
// server. While tierup sends single requests, it notes the types of the watched functions' arguments and answers.
// Values stay in the process. It reports only types, names from the user's own source, hashes with a key of this run,
// and for an answer the plain hash, as in `[health]` of tierup.toml. It throws nothing, and takes no memory from PHP.
//
// Made by tierup for one run.

#include <php.h>
#include <dlfcn.h>
#include <zend_observer.h>

#include "agent.h"
#include "matching.h"
#include "seen.h"

#ifdef ZTS
#error "a PHP whose requests are threads (ZTS) cannot be watched"
#endif

// Makes PHP report the functions of the watched files.
static zend_observer_fcall_handlers observed(zend_execute_data *call) {
  const zend_function *function = call->func;
  if (function->type != ZEND_USER_FUNCTION || function->common.function_name == NULL || !matching_file(function->op_array.filename)) {
    return (zend_observer_fcall_handlers){NULL, NULL};
  }
  return (zend_observer_fcall_handlers){seen_entered, seen_left};
}

static PHP_MINIT_FUNCTION(witness) {
  // PHP unloads extensions at its end, when the agent's thread may still run. So this library is never unloaded.
  Dl_info here;
  if (dladdr((void *)observed, &here) == 0 || dlopen(here.dli_fname, RTLD_NOW | RTLD_NODELETE) == NULL) return SUCCESS;
  zend_observer_fcall_register(observed);
  agent_prepare();
  return SUCCESS;
}

// A forked child of PHP-FPM is already connected. Other processes connect here.
static PHP_RINIT_FUNCTION(witness) {
  agent_connect();
  return SUCCESS;
}

static zend_module_entry witness_module_entry = {
  STANDARD_MODULE_HEADER, "tierup_witness", NULL, PHP_MINIT(witness), NULL, PHP_RINIT(witness), NULL, NULL, "1",
  STANDARD_MODULE_PROPERTIES
};

ZEND_GET_MODULE(witness)
