// Your functions as methods of {{module}}::Tierup::{{class}}.
//
// Made by tierup from the signatures in your crate; changes here are lost at the next build.
//
// Rust runs without the VM's lock. No Ruby exception crosses Rust: while an answer is held, functions that may raise
// are called under rb_protect, and the answer is freed before anything is raised.

#include <ruby.h>
#include <ruby/encoding.h>
#include <ruby/thread.h>
#include <ruby/version.h>
#include <sys/stat.h>

#include "tierup.h"
#include "fault.h"
#include "functions.h"

// The Ruby that this was compiled for. `tierup package` reads it back.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
static const char runtime[] =
    "tierup-runtime:Ruby " TEXT(RUBY_API_VERSION_MAJOR) "." TEXT(RUBY_API_VERSION_MINOR);

static const tierup_entries *rust;
static VALUE call_error, panic_error, late_error, lending;
static ID text_id, bytes_id;
static int utf8, us_ascii;

// A call for a thread without the VM's lock.
typedef struct {
  uint32_t function;
  const tierup_bytes *arguments;
  int is_direct;
  int is_done;
  tierup_answer answer;
} job;

static void *run(void *data) {
  job *call = data;
  tierup_is_in_rust = 1;
  call->answer =
      call->is_direct ? rust->direct(call->function, call->arguments) : rust->call(call->function, *call->arguments);
  tierup_is_in_rust = 0;
  call->is_done = 1;
  return NULL;
}

static void run_without_lock(job *call) {
  // If Ruby's own recursion has used up the stack, it gets Ruby's own exception.
  if (ruby_stack_check()) rb_raise(rb_eSysStackError, "stack level too deep");
  // An interrupted thread does not start the call. After the call this does not raise, so no answer is lost.
  for (;;) {
    rb_thread_call_without_gvl2(run, call, NULL, NULL);
    if (call->is_done) return;
    rb_thread_check_ints();
  }
}

static VALUE bytes_of(VALUE data) {
  const tierup_answer *answer = (const tierup_answer *)data;
  return rb_str_new((const char *)answer->data, (long)answer->length);
}

static VALUE text_of(VALUE data) {
  const tierup_answer *answer = (const tierup_answer *)data;
  return rb_utf8_str_new((const char *)answer->data, (long)answer->length);
}

// Copies an answer into a Ruby String, and frees the answer in any case.
static VALUE taken(tierup_answer *answer, VALUE (*made)(VALUE)) {
  int state = 0;
  VALUE value = rb_protect(made, (VALUE)answer, &state);
  rust->free(*answer);
  if (state) rb_jump_tag(state);
  return value;
}

// The hash of the interface that this code was generated from.
static VALUE method_abi(VALUE self) {
  return rb_sprintf("%08x%08x", (unsigned)(rust->abi >> 32), (unsigned)rust->abi);
}

// Returns why calls cannot be answered, or nil.
static VALUE method_ready(VALUE self) {
  tierup_answer answer = rust->ready();
  VALUE reason = taken(&answer, text_of);
  return answer.ending == TIERUP_OK ? Qnil : reason;
}

// Calls a function with encoded arguments and returns the answer's bytes.
static VALUE method_call(VALUE self, VALUE function, VALUE encoded) {
  uint32_t number = NUM2UINT(function);
  StringValue(encoded);
  VALUE kept = rb_str_new_frozen(encoded);
  tierup_bytes arguments = {(const uint8_t *)RSTRING_PTR(kept), (size_t)RSTRING_LEN(kept)};
  job call = {.function = number, .arguments = &arguments};
  run_without_lock(&call);
  RB_GC_GUARD(kept);
  return taken(&call.answer, bytes_of);
}

// Writes a rollout's mark, the first byte of a file, before any other thread can run. Does nothing without a file.
static VALUE method_mark(VALUE class, VALUE file, VALUE inode, VALUE state) {
  struct stat found;
  // The file may have been closed. Its number may then be another file's.
  if (NIL_P(file) || fstat(NUM2INT(file), &found) < 0 || found.st_ino != (ino_t)NUM2ULL(inode)) return Qnil;
  // The call ignores a disk that fails.
  if (pwrite(NUM2INT(file), StringValueCStr(state), 1, 0) < 0) {
  }
  return Qnil;
}

// Whether a String is valid UTF-8. Ruby caches that in the String.
static int is_utf8(VALUE string) {
  int encoding = RB_ENCODING_GET(string);
  if (encoding != utf8 && encoding != us_ascii) return 0;
  int range = RB_ENC_CODERANGE(string);
  if (range == ENC_CODERANGE_UNKNOWN) range = rb_enc_str_coderange(string);
  return range == ENC_CODERANGE_7BIT || range == ENC_CODERANGE_VALID;
}

// A frozen copy of an argument. It shares its bytes with the caller's String.
static VALUE lent(VALUE value, const tierup_parameter *parameter) {
  if (RB_TYPE_P(value, T_STRING) && (!parameter->is_text || is_utf8(value))) return rb_str_new_frozen(value);
  VALUE name = rb_utf8_str_new_cstr(parameter->name);
  value = rb_funcall(lending, parameter->is_text ? text_id : bytes_id, 2, value, name);
  value = rb_str_new_frozen(value);
  // Other threads may have run since the check, and may have changed the text.
  if (parameter->is_text && !is_utf8(value)) {
    rb_raise(rb_eArgError, "%s: the text was changed by another thread", parameter->name);
  }
  return value;
}

static VALUE direct(uint32_t function, const tierup_parameter *parameters, int count, tierup_output output,
                    const VALUE *values) {
  // On the stack, where the garbage collector finds the Strings.
  volatile VALUE kept[TIERUP_MOST_PARAMETERS];
  tierup_bytes arguments[TIERUP_MOST_PARAMETERS];
  for (int at = 0; at < count; at++) {
    VALUE string = lent(values[at], &parameters[at]);
    kept[at] = string;
    arguments[at] = (tierup_bytes){(const uint8_t *)RSTRING_PTR(string), (size_t)RSTRING_LEN(string)};
  }
  job call = {.function = function, .arguments = arguments, .is_direct = 1};
  run_without_lock(&call);
  for (int at = 0; at < count; at++) RB_GC_GUARD(kept[at]);
  if (call.answer.ending == TIERUP_OK) {
    if (output == TIERUP_TEXT) return taken(&call.answer, text_of);
    if (output == TIERUP_BYTES) return taken(&call.answer, bytes_of);
    rust->free(call.answer);
    return Qnil;
  }
  VALUE class = call.answer.ending == TIERUP_ERROR  ? call_error
                : call.answer.ending == TIERUP_LATE ? late_error
                                                    : panic_error;
  rb_exc_raise(rb_exc_new_str(class, taken(&call.answer, text_of)));
}

#define METHOD(number, count, output)                                                  \
  static VALUE method_##number(int given, VALUE *values, VALUE self) {                 \
    rb_check_arity(given, count, count);                                               \
    return direct(number, tierup_parameters_##number, count, output, values);          \
  }
TIERUP_DIRECT(METHOD)

static VALUE constant(const char *path) {
  VALUE value = rb_path2class(path);
  rb_gc_register_mark_object(value);
  return value;
}

// Defines the methods. Called when Ruby loads the extension.
void tierup_define_methods(const tierup_entries *entries) {
  // The code of Ruby's headers, which is in this extension, knows how objects of that Ruby lie in memory.
  if (ruby_api_version[0] != RUBY_API_VERSION_MAJOR || ruby_api_version[1] != RUBY_API_VERSION_MINOR) {
    rb_raise(rb_eLoadError, "the extension is for %s, and this is Ruby %d.%d", strchr(runtime, ':') + 1,
             ruby_api_version[0], ruby_api_version[1]);
  }
  rust = entries;
  tierup_watch_faults();
  call_error = constant("{{module}}::CallError");
  panic_error = constant("{{module}}::PanicError");
  late_error = constant("{{module}}::CallTimeoutError");
  lending = constant("{{module}}::Tierup::Lending");
  text_id = rb_intern("text");
  bytes_id = rb_intern("bytes");
  utf8 = rb_utf8_encindex();
  us_ascii = rb_usascii_encindex();
  VALUE native = constant("{{module}}::Tierup::{{class}}");
  rb_define_singleton_method(native, "tierup_mark", method_mark, 3);
  rb_define_method(native, "tierup_abi", method_abi, 0);
  rb_define_method(native, "tierup_ready", method_ready, 0);
  rb_define_method(native, "tierup_call", method_call, 2);
#define DEFINE(number, count, output) rb_define_method(native, "f" #number, method_##number, -1);
  TIERUP_DIRECT(DEFINE)
}
