// Made by tierup for one run.

#include "object.h"

enum { MOST_METHODS = 64 };

typedef struct {
  // The methods that were searched already.
  const zend_op *known[MOST_METHODS];
  uint32_t count;
  char *what;
  size_t room;
} search;

static bool uses(search *in, const zend_op_array *code, zend_class_entry *class);

static bool found(search *in, const char *what) {
  snprintf(in->what, in->room, "%s", what);
  return true;
}

// Reports the property or method if its name is in the code. Other names are computed at run time.
static bool found_named(search *in, const zend_op *operation, const char *before, const char *unknown) {
  if (operation->op2_type != IS_CONST || Z_TYPE_P(RT_CONSTANT(operation, operation->op2)) != IS_STRING) return found(in, unknown);
  snprintf(in->what, in->room, "%s%.80s", before, Z_STRVAL_P(RT_CONSTANT(operation, operation->op2)));
  return true;
}

// Another method of the same object, or of its class.
static bool by_method(search *in, const zend_op *operation, zend_class_entry *class) {
  if (operation->op2_type != IS_CONST || class == NULL) return found_named(in, operation, "", "a method of its object");
  // PHP stores the name in lower case after the name as it is written.
  zval *name = RT_CONSTANT(operation, operation->op2) + 1;
  zend_function *method = Z_TYPE_P(name) == IS_STRING ? zend_hash_find_ptr(&class->function_table, Z_STR_P(name)) : NULL;
  if (method != NULL && (method->common.fn_flags & ZEND_ACC_STATIC)) return false;
  if (method == NULL || method->type != ZEND_USER_FUNCTION || (method->common.fn_flags & ZEND_ACC_ABSTRACT)) {
    return found_named(in, operation, "", "a method of its object");
  }
  return uses(in, &method->op_array, class);
}

static zend_class_entry *named_class(const zend_op *operation, const zend_op_array *code, zend_class_entry *class) {
  switch (operation->op1.num & ZEND_FETCH_CLASS_MASK) {
    case ZEND_FETCH_CLASS_SELF: return code->scope;
    case ZEND_FETCH_CLASS_PARENT: return code->scope == NULL ? NULL : code->scope->parent;
    default: return class;
  }
}

static bool by_operation(search *in, const zend_op *operation, const zend_op_array *code, zend_class_entry *class) {
  bool is_own = operation->op1_type == IS_UNUSED;
  switch (operation->opcode) {
    case ZEND_FETCH_THIS: return found(in, "$this");
    case ZEND_FETCH_OBJ_R:
    case ZEND_FETCH_OBJ_W:
    case ZEND_FETCH_OBJ_RW:
    case ZEND_FETCH_OBJ_IS:
    case ZEND_FETCH_OBJ_FUNC_ARG:
    case ZEND_FETCH_OBJ_UNSET:
    case ZEND_ASSIGN_OBJ:
    case ZEND_ASSIGN_OBJ_OP:
    case ZEND_ASSIGN_OBJ_REF:
    case ZEND_PRE_INC_OBJ:
    case ZEND_PRE_DEC_OBJ:
    case ZEND_POST_INC_OBJ:
    case ZEND_POST_DEC_OBJ:
    case ZEND_UNSET_OBJ:
    case ZEND_ISSET_ISEMPTY_PROP_OBJ: return is_own && found_named(in, operation, "$", "a property of its object");
    case ZEND_INIT_METHOD_CALL: return is_own && by_method(in, operation, class);
    // `self::`, `static::` and `parent::` pass the object to a method that is not static.
    case ZEND_INIT_STATIC_METHOD_CALL: return is_own && by_method(in, operation, named_class(operation, code, class));
    // A closure has the object, too.
    case ZEND_DECLARE_LAMBDA_FUNCTION: {
      const zend_op_array *closure = code->dynamic_func_defs[operation->op2.num];
      return !(closure->fn_flags & ZEND_ACC_STATIC) && uses(in, closure, class);
    }
    default: return false;
  }
}

static bool uses(search *in, const zend_op_array *code, zend_class_entry *class) {
  for (uint32_t at = 0; at < in->count; at++) {
    if (in->known[at] == code->opcodes) return false;
  }
  if (in->count == MOST_METHODS) return found(in, "many methods of its object");
  in->known[in->count++] = code->opcodes;
  for (uint32_t at = 0; at < code->last; at++) {
    if (by_operation(in, &code->opcodes[at], code, class)) return true;
  }
  return false;
}

bool object_is_used(const zend_op_array *method, zend_class_entry *class, char *what, size_t room) {
  search in = {.what = what, .room = room};
  return uses(&in, method, class);
}
