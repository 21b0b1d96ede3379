// Your functions as functions of PHP.
//
// Made by tierup from the signatures in your crate; changes here are lost at the next build.
//
// PHP leaves C code by longjmp when its memory limit is reached. Such a jump never crosses Rust: Rust has returned by
// then, and its answer is freed before the jump goes on.

#include <php.h>
#include <Zend/zend_exceptions.h>
#include <ext/standard/info.h>
#include <stdbool.h>

#include "tierup.h"
#include "functions.h"

// The PHP that this was compiled for: PHP itself refuses another one's extension. `tierup package` reads it back.
#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
#ifdef ZTS
#define THREADS " with threads"
#else
#define THREADS ""
#endif
static const char runtime[] =
    "tierup-runtime:PHP " TEXT(PHP_MAJOR_VERSION) "." TEXT(PHP_MINOR_VERSION) THREADS;

static const tierup_entries *rust;
// The number of calls of `direct` in this thread.
ZEND_TLS zend_long calls;
static bool (*is_utf8)(const uint8_t *data, size_t length);

// Copies an answer into a PHP string, and frees the answer in any case.
static zend_string *taken(tierup_answer answer) {
  zend_string *volatile string = NULL;
  volatile bool is_made = false;
  zend_try {
    string = zend_string_init((const char *)answer.data, answer.length, 0);
    is_made = true;
  }
  zend_end_try();
  rust->free(answer);
  if (!is_made) zend_bailout();
  return string;
}

// Throws one of the package's exceptions with an answer's message.
static void throw_answer(const char *name, tierup_answer answer) {
  zend_string *message = taken(answer);
  zend_string *class_name = zend_string_init(name, strlen(name), 0);
  // Uses the package's autoloader, which may throw.
  zend_class_entry *class = zend_lookup_class(class_name);
  zend_string_release(class_name);
  if (class != NULL) {
    zval exception;
    object_init_ex(&exception, class);
    zend_update_property_str(zend_ce_exception, Z_OBJ(exception), "message", sizeof("message") - 1, message);
    zend_throw_exception_object(&exception);
  } else if (EG(exception) == NULL) {
    zend_throw_error(NULL, "%s: %s", name, ZSTR_VAL(message));
  }
  zend_string_release(message);
}

// Calls a function with encoded arguments and returns the answer's bytes.
static ZEND_FUNCTION(tierup_call) {
  zend_long number;
  zend_string *encoded;
  ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_LONG(number)
    Z_PARAM_STR(encoded)
  ZEND_PARSE_PARAMETERS_END();
  tierup_bytes arguments = {(const uint8_t *)ZSTR_VAL(encoded), ZSTR_LEN(encoded)};
  RETURN_NEW_STR(taken(rust->call((uint32_t)number, arguments)));
}

// Returns why calls cannot be answered, or null.
static ZEND_FUNCTION(tierup_ready) {
  ZEND_PARSE_PARAMETERS_NONE();
  tierup_answer answer = rust->ready();
  if (answer.ending != TIERUP_OK) RETURN_NEW_STR(taken(answer));
  rust->free(answer);
}

static ZEND_FUNCTION(tierup_calls) {
  ZEND_PARSE_PARAMETERS_NONE();
  RETURN_LONG(calls);
}

static void direct(uint32_t function, const tierup_parameter *parameters, uint32_t count, tierup_output output,
                   zend_execute_data *execute_data, zval *return_value) {
  calls++;
  if (ZEND_NUM_ARGS() != count) {
    zend_wrong_parameters_count_error(count, count);
    return;
  }
  // The caller's variables hold the strings until this returns, and no PHP runs before then.
  tierup_bytes arguments[TIERUP_MOST_PARAMETERS];
  for (uint32_t at = 0; at < count; at++) {
    zval *value = ZEND_CALL_ARG(execute_data, at + 1);
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) != IS_STRING) {
      zend_argument_type_error(at + 1, "must be of type string, %s given", zend_zval_type_name(value));
      return;
    }
    arguments[at] = (tierup_bytes){(const uint8_t *)Z_STRVAL_P(value), Z_STRLEN_P(value)};
    if (parameters[at].is_text && !is_utf8(arguments[at].data, arguments[at].length)) {
      zend_value_error("$%s: expected a string in UTF-8, got a string that is not UTF-8", parameters[at].name);
      return;
    }
  }
  tierup_answer answer = rust->direct(function, arguments);
  if (answer.ending == TIERUP_OK) {
    if (output != TIERUP_NOTHING) RETURN_NEW_STR(taken(answer));
    rust->free(answer);
    return;
  }
  throw_answer(answer.ending == TIERUP_ERROR  ? "{{namespace}}\\CallException"
               : answer.ending == TIERUP_LATE ? "{{namespace}}\\CallTimeoutException"
                                              : "{{namespace}}\\PanicException",
               answer);
}

#define FUNCTION(number, count, output)                                                            \
  static ZEND_FUNCTION(tierup_##number) {                                                          \
    direct(number, tierup_parameters_##number, count, output, execute_data, return_value);         \
  }
TIERUP_DIRECT(FUNCTION)

ZEND_BEGIN_ARG_INFO_EX(tierup_any, 0, 0, 0)
  ZEND_ARG_VARIADIC_INFO(0, arguments)
ZEND_END_ARG_INFO()

#define ENTRY(number, count, output) ZEND_NAMED_FE({{symbol}}_##number, ZEND_FN(tierup_##number), tierup_any)
static const zend_function_entry functions[] = {
  ZEND_NAMED_FE({{symbol}}_call, ZEND_FN(tierup_call), tierup_any)
  ZEND_NAMED_FE({{symbol}}_ready, ZEND_FN(tierup_ready), tierup_any)
  ZEND_NAMED_FE({{symbol}}_calls, ZEND_FN(tierup_calls), tierup_any)
  TIERUP_DIRECT(ENTRY)
  ZEND_FE_END
};

// Defines a constant with the hash of the interface, which the package compares.
static PHP_MINIT_FUNCTION(tierup) {
  char abi[17];
  snprintf(abi, sizeof(abi), "%08x%08x", (unsigned)(rust->abi >> 32), (unsigned)rust->abi);
  REGISTER_STRING_CONSTANT("{{abi}}", abi, CONST_CS | CONST_PERSISTENT);
  return SUCCESS;
}

static PHP_MINFO_FUNCTION(tierup) {
  php_info_print_table_start();
  php_info_print_table_row(2, "{{symbol}}", "{{version}}");
  php_info_print_table_row(2, "made for", strchr(runtime, ':') + 1);
  php_info_print_table_end();
}

static zend_module_entry module = {
  STANDARD_MODULE_HEADER, "{{symbol}}", functions, PHP_MINIT(tierup), NULL, NULL, NULL, PHP_MINFO(tierup), "{{version}}",
  STANDARD_MODULE_PROPERTIES
};

// The extension's entry for PHP.
zend_module_entry *tierup_module(const tierup_entries *entries, bool (*valid)(const uint8_t *data, size_t length)) {
  rust = entries;
  is_utf8 = valid;
  return &module;
}
