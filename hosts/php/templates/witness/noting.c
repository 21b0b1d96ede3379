// Made by tierup for one run.

#include "noting.h"

#include <ext/hash/php_hash.h>
#include <ext/hash/php_hash_sha.h>
#include <time.h>
#include <zend_closures.h>

#include "matching.h"
#include "object.h"
#include "shapes.h"
#include "watched.h"

enum {
  MOST_CALLS = 500,
  // The longest text that is hashed.
  MOST_BYTES = 16 << 20,
};

// The time by the server's clock, in milliseconds. `%f` could use a decimal comma, which the server's locale may have.
static void write_time(text *all) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  text_print(all, "{\"at\":%lld.%06ld,", (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000, now.tv_nsec % 1000000);
}

static void write_hash(text *all, const char *key, const char *value, size_t length) {
  PHP_SHA256_CTX hash;
  unsigned char digest[32];
  PHP_SHA256InitArgs(&hash, NULL);
  if (key != NULL) PHP_SHA256Update(&hash, (const unsigned char *)key, strlen(key) + 1);
  PHP_SHA256Update(&hash, (const unsigned char *)value, length);
  PHP_SHA256Final(digest, &hash);
  text_add(all, "\"", 1);
  for (size_t at = 0; at < sizeof(digest); at++) text_print(all, "%02x", digest[at]);
  text_add(all, "\"", 1);
}

// The hash of a value that may come from a part of the request. tierup compares hashes to find out.
static void write_word(text *all, zval *value) {
  char number[32];
  if (Z_TYPE_P(value) == IS_LONG) {
    int length = snprintf(number, sizeof(number), ZEND_LONG_FMT, Z_LVAL_P(value));
    return write_hash(all, watched_key, number, (size_t)length);
  }
  if (Z_TYPE_P(value) != IS_STRING || Z_STRLEN_P(value) > MOST_BYTES) return text_add(all, "null", 4);
  write_hash(all, watched_key, Z_STRVAL_P(value), Z_STRLEN_P(value));
}

static void add(set *all, const char *item) { set_add(all, item, strlen(item)); }

// Whether a name has only letters that JSON and Rust allow, too.
static bool is_word(const char *name) {
  const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

// Adds the reasons why the function cannot move as it is.
static void add_problems(set *problems, zend_execute_data *call) {
  const zend_op_array *code = &call->func->op_array;
  char text[160];
  if (code->fn_flags & ZEND_ACC_CLOSURE) add(problems, "it is a closure: make it a function with a name");
  if (code->fn_flags & ZEND_ACC_GENERATOR) add(problems, "it is a generator: let it answer a list");
  bool is_variadic = code->fn_flags & ZEND_ACC_VARIADIC || code->num_args > MOST_PARAMETERS;
  for (uint32_t at = 0; at < code->last; at++) is_variadic |= code->opcodes[at].opcode == ZEND_FUNC_GET_ARGS;
  if (is_variadic) add(problems, "it takes any number of arguments: give each a name of its own");
  for (uint32_t at = 0; at < code->num_args && !is_variadic; at++) {
    if (ZEND_ARG_SEND_MODE(&code->arg_info[at]) != ZEND_SEND_BY_VAL) add(problems, "it takes a reference, and may change its caller's variable: answer the value");
  }
  bool has_object = Z_TYPE(call->This) == IS_OBJECT;
  char used[96];
  if (has_object && object_is_used(code, Z_OBJCE(call->This), used, sizeof(used))) {
    snprintf(text, sizeof(text), "it uses `%s` of its object: pass what it needs as arguments", used);
    add(problems, text);
  }
}

// Whether this script is the one that PHP was started for. Loading it would answer a request.
static bool is_main(const zend_execute_data *call) {
  const zend_execute_data *first = call;
  for (const zend_execute_data *at = call; at != NULL; at = at->prev_execute_data) {
    if (at->func != NULL && ZEND_USER_CODE(at->func->type)) first = at;
  }
  return zend_string_equals(first->func->op_array.filename, call->func->op_array.filename);
}

// Finds the name by which other code can call the function, once its file is loaded.
static void find_owner(noted *noted, zend_execute_data *call) {
  const zend_op_array *code = &call->func->op_array;
  zend_class_entry *class = code->scope;
  const char *file = ZSTR_VAL(code->filename);
  const char *ending = strrchr(file, '.');
  if (noted->owner.count > 0 || ending == NULL || strcmp(ending, ".php") != 0 || is_main(call)) return;
  char name[256];
  if (class == NULL) {
    snprintf(name, sizeof(name), "%s", ZSTR_VAL(code->function_name));
  } else {
    const uint32_t cannot = ZEND_ACC_ANON_CLASS | ZEND_ACC_TRAIT | ZEND_ACC_INTERFACE | ZEND_ACC_ENUM | ZEND_ACC_EXPLICIT_ABSTRACT_CLASS;
    if (!(code->fn_flags & ZEND_ACC_PUBLIC) || class->ce_flags & cannot || class->type != ZEND_USER_CLASS) return;
    // The function is from a trait in another file.
    if (!zend_string_equals(class->info.user.filename, code->filename)) return;
    bool needs_arguments = class->constructor != NULL && class->constructor->common.required_num_args > 0;
    if (!(code->fn_flags & ZEND_ACC_STATIC) && needs_arguments) return;
    snprintf(name, sizeof(name), "%s::%s", ZSTR_VAL(class->name), ZSTR_VAL(code->function_name));
  }
  if (strlen(name) + 1 < sizeof(name)) add(&noted->owner, name);
}

static void note_arguments(noted *noted, zend_execute_data *call) {
  const zend_op_array *code = &call->func->op_array;
  uint32_t given = ZEND_CALL_NUM_ARGS(call);
  write_time(&noted->entered);
  text_print(&noted->entered, "\"words\":[");
  for (uint32_t at = 0; at < code->num_args; at++) {
    zval nothing;
    ZVAL_UNDEF(&nothing);
    zval *value = at < given ? ZEND_CALL_ARG(call, at + 1) : &nothing;
    ZVAL_DEREF(value);
    if (at > 0) text_add(&noted->entered, ",", 1);
    write_word(&noted->entered, value);
    set *shapes = &noted->parameters[at].shapes;
    // A missing argument is an error, which PHP throws next.
    if (Z_TYPE_P(value) != IS_UNDEF || at >= code->required_num_args) shapes_add_argument(shapes, value, code->arg_info[at].type);
    const char *name = ZSTR_VAL(code->arg_info[at].name);
    if (noted->parameters[at].name.count == 0) add(&noted->parameters[at].name, is_word(name) ? name : "");
  }
  text_print(&noted->entered, "]},");
  noted->parameter_count = code->num_args;
}

void note_entered(noted *noted, zend_execute_data *call) {
  const zend_op_array *code = &call->func->op_array;
  noted->line = code->line_start;
  noted->calls++;
  bool is_known = false;
  for (uint32_t at = 0; at < noted->line_count; at++) is_known |= noted->lines[at] == code->line_start;
  if (!is_known && noted->line_count < MOST_LINES) noted->lines[noted->line_count++] = code->line_start;
  if (noted->calls > MOST_CALLS || noted->problems.count > 0) return;
  // This is checked at each call: another function may begin on the same line, and the object may have another class.
  add_problems(&noted->problems, call);
  if (noted->problems.count > 0) return;
  note_arguments(noted, call);
  find_owner(noted, call);
}

void note_left(noted *noted, zval *answer) {
  if (noted->problems.count > 0 || noted->left_count == MOST_CALLS) return;
  noted->left_count++;
  ZVAL_DEREF(answer);
  write_time(&noted->left);
  text_print(&noted->left, "\"sha256\":");
  if (Z_TYPE_P(answer) != IS_STRING || Z_STRLEN_P(answer) > MOST_BYTES) text_print(&noted->left, "null");
  else write_hash(&noted->left, NULL, Z_STRVAL_P(answer), Z_STRLEN_P(answer));
  text_print(&noted->left, "},");
  shapes_add(&noted->answers, answer);
}

void note_other(noted *noted, const char *name) {
  if (is_word(name)) add(&noted->others, name);
}

void note_free(noted *noted) {
  set *sets[] = {&noted->others, &noted->answers, &noted->owner, &noted->problems};
  for (size_t at = 0; at < sizeof(sets) / sizeof(sets[0]); at++) set_free(sets[at]);
  for (size_t at = 0; at < MOST_PARAMETERS; at++) {
    set_free(&noted->parameters[at].name);
    set_free(&noted->parameters[at].shapes);
  }
  text_free(&noted->entered);
  text_free(&noted->left);
  *noted = (typeof(*noted)){0};
}

static void write_all(text *all, const set *items, bool is_json) {
  text_add(all, "[", 1);
  for (size_t at = 0; at < items->count; at++) {
    if (at > 0) text_add(all, ",", 1);
    if (is_json) text_add(all, items->items[at], strlen(items->items[at]));
    else text_quote(all, items->items[at], strlen(items->items[at]));
  }
  text_add(all, "]", 1);
}

static void write_list(text *all, const char *name, const text *items) {
  text_print(all, ",\"%s\":[", name);
  // Each item ends with a comma.
  if (items->length > 0) text_add(all, items->data, items->length - 1);
  text_add(all, "]", 1);
  all->is_cut |= items->is_cut;
}

// The package has classes of its own for records, so a function that takes or returns one is not exported as it is.
static bool has_record(const set *shapes) {
  for (size_t at = 0; at < shapes->count; at++) {
    if (strstr(shapes->items[at], "\"is\":\"record\"") != NULL) return true;
  }
  return false;
}

void note_write(const noted *noted, text *all) {
  bool is_exported = noted->owner.count > 0 && !has_record(&noted->answers);
  for (uint32_t at = 0; at < noted->parameter_count; at++) is_exported = is_exported && !has_record(&noted->parameters[at].shapes);
  bool is_several = noted->line_count > 1;
  unsigned long long calls = is_several ? 0 : noted->calls;
  text_print(all, "{\"calls\":%llu,\"line\":%u,\"lines\":[", calls, noted->line);
  for (uint32_t at = 0; at < noted->line_count && is_several; at++) text_print(all, "%s%u", at > 0 ? "," : "", noted->lines[at]);
  text_print(all, "],\"others\":");
  write_all(all, &noted->others, false);
  text_print(all, ",\"parameters\":[");
  for (uint32_t at = 0; at < noted->parameter_count; at++) {
    text_print(all, "%s{\"name\":", at > 0 ? "," : "");
    const set *name = &noted->parameters[at].name;
    const char *word = name->count > 0 ? name->items[0] : "";
    text_quote(all, word, strlen(word));
    text_print(all, ",\"shapes\":");
    write_all(all, &noted->parameters[at].shapes, true);
    text_add(all, "}", 1);
  }
  text_print(all, "],\"answers\":");
  write_all(all, &noted->answers, true);
  text_print(all, ",\"exported\":%s,\"owner\":", is_exported ? "true" : "false");
  if (is_exported) text_quote(all, noted->owner.items[0], strlen(noted->owner.items[0]));
  else text_print(all, "null");
  text_print(all, ",\"problems\":");
  write_all(all, &noted->problems, false);
  write_list(all, "entered", &noted->entered);
  write_list(all, "left", &noted->left);
  text_add(all, "}", 1);
}
