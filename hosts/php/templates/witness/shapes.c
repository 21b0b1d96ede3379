// Made by tierup for one run.

#include "shapes.h"

#include <zend_enum.h>
#include <zend_closures.h>

enum {
  DEEPEST = 8,
  MOST_ELEMENTS = 1000,
  // The limit for values inside one value.
  MOST_VALUES = 10000,
  // The limit for kinds of elements in one list.
  MOST_KINDS = 64,
  // The limit for a value's output, and for that of one argument, as notes of several functions share a file.
  MOST_KIND_BYTES = 64 << 10,
  // The limit for all text inside one value, as each text is read completely.
  MOST_BYTES = 16 << 20,
};

typedef struct {
  text json;
  uint32_t values;
  size_t bytes;
} writer;

static void shape(writer *to, zval *value, uint32_t depth);

static void add(writer *to, const char *json) { text_add(&to->json, json, strlen(json)); }

static void refused(writer *to, const char *why) { text_print(&to->json, "{\"is\":\"refused\",\"why\":\"%s\"}", why); }

// Whether a name can stand in source code.
static bool is_word(const char *name, size_t length) {
  // `isalnum` would depend on the server's locale.
  const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789\\";
  return length > 0 && length <= 100 && strspn(name, letters) == length;
}

// Checks bytes by RFC 3629: no surrogates, no overlong forms.
static bool is_utf8(const unsigned char *at, size_t length) {
  const unsigned char *end = at + length;
  while (at < end) {
    unsigned char first = *at++;
    if (first < 0x80) continue;
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || end - at < more) return false;
    unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (*at < least || *at > most) return false;
    for (at++; more > 1; more--, at++) {
      if ((*at & 0xc0) != 0x80) return false;
    }
  }
  return true;
}

static void whole(writer *to, zend_long value) {
  if (value >= INT32_MIN && value <= INT32_MAX) {
    text_print(&to->json, "{\"is\":\"whole\",\"signed\":%s,\"large\":false}", value < 0 ? "true" : "false");
  } else {
    add(to, "{\"is\":\"wide\",\"signed\":true}");
  }
}

// The kinds of an array's elements.
static void elements(writer *to, HashTable *array, uint32_t depth) {
  size_t starts[MOST_KINDS + 1];
  size_t kinds = 0;
  uint32_t left = MOST_ELEMENTS;
  zval *element;
  add(to, "[");
  starts[0] = to->json.length;
  ZEND_HASH_FOREACH_VAL(array, element) {
    if (left-- == 0 || to->values >= MOST_VALUES || kinds == MOST_KINDS) break;
    size_t before = to->json.length;
    if (kinds > 0) add(to, ",");
    size_t start = to->json.length;
    shape(to, element, depth + 1);
    size_t length = to->json.length - start;
    bool is_known = false;
    for (size_t kind = 0; kind < kinds && !is_known; kind++) {
      size_t known_end = kind + 1 < kinds ? starts[kind + 1] - 1 : before;
      is_known = known_end - starts[kind] == length && memcmp(to->json.data + starts[kind], to->json.data + start, length) == 0;
    }
    if (is_known) to->json.length = before;
    else starts[kinds++] = start;
  }
  ZEND_HASH_FOREACH_END();
  add(to, "]");
}

static void array(writer *to, HashTable *value, uint32_t depth) {
  if (zend_hash_num_elements(value) == 0) return add(to, "{\"is\":\"empty\"}");
  text_print(&to->json, "{\"is\":\"%s\",\"of\":", zend_array_is_list(value) ? "list" : "map");
  elements(to, value, depth);
  add(to, "}");
}

// Whether an object has exactly the properties that its class declares, and all of them are public.
static bool is_record(zend_object *object) {
  zend_class_entry *class = object->ce;
  if (class->type != ZEND_USER_CLASS || class->create_object != NULL || class->default_properties_count == 0) return false;
  if (class->ce_flags & (ZEND_ACC_ENUM | ZEND_ACC_ANON_CLASS)) return false;
#if PHP_VERSION_ID >= 80400
  if (zend_object_is_lazy(object) || class->num_hooked_props > 0) return false;
#endif
  for (int at = 0; at < class->default_properties_count; at++) {
    zend_property_info *info = class->properties_info_table == NULL ? NULL : class->properties_info_table[at];
    if (info == NULL || !(info->flags & ZEND_ACC_PUBLIC) || Z_TYPE_P(OBJ_PROP_NUM(object, at)) == IS_UNDEF) return false;
    if (!is_word(ZSTR_VAL(info->name), ZSTR_LEN(info->name))) return false;
  }
  if (object->properties != NULL) {
    // Other properties have names that are not in the source.
    zval *property;
    ZEND_HASH_FOREACH_VAL(object->properties, property) {
      if (Z_TYPE_P(property) != IS_INDIRECT) return false;
    }
    ZEND_HASH_FOREACH_END();
  }
  return true;
}

static void record(writer *to, zend_object *value, uint32_t depth) {
  add(to, "{\"is\":\"record\",\"fields\":[");
  for (int at = 0; at < value->ce->default_properties_count; at++) {
    zend_string *name = value->ce->properties_info_table[at]->name;
    text_print(&to->json, "%s[\"%s\",", at > 0 ? "," : "", ZSTR_VAL(name));
    shape(to, OBJ_PROP_NUM(value, at), depth + 1);
    add(to, "]");
  }
  add(to, "]}");
}

static void object(writer *to, zend_object *value, uint32_t depth) {
  zend_class_entry *class = value->ce;
  if (class == zend_ce_closure) return refused(to, "a closure");
  if (class == zend_standard_class_def) return refused(to, "a stdClass: make it a class with public properties");
  // Objects may reach each other on many paths, so their number is bounded.
  if (to->values >= MOST_VALUES) return refused(to, "a value of too many parts");
  if (is_record(value)) return record(to, value, depth);
  if (!is_word(ZSTR_VAL(class->name), ZSTR_LEN(class->name))) return refused(to, "an object of a class without a name");
  add(to, "{\"is\":\"refused\",\"why\":");
  char why[160];
  int length = snprintf(why, sizeof(why), "an object of the class %s", ZSTR_VAL(class->name));
  text_quote(&to->json, why, (size_t)length);
  add(to, "}");
}

static void shape(writer *to, zval *value, uint32_t depth) {
  ZVAL_DEREF(value);
  to->values++;
  switch (Z_TYPE_P(value)) {
    case IS_UNDEF:
    case IS_NULL: return add(to, "{\"is\":\"absent\"}");
    case IS_TRUE:
    case IS_FALSE: return add(to, "{\"is\":\"bool\"}");
    case IS_LONG: return whole(to, Z_LVAL_P(value));
    case IS_DOUBLE: return add(to, "{\"is\":\"float\"}");
    case IS_STRING:
      to->bytes += Z_STRLEN_P(value);
      if (to->bytes > MOST_BYTES) return refused(to, "texts of more than 16 MiB in one call");
      return add(to, is_utf8((const unsigned char *)Z_STRVAL_P(value), Z_STRLEN_P(value)) ? "{\"is\":\"text\"}" : "{\"is\":\"raw\"}");
    case IS_ARRAY:
      return depth >= DEEPEST ? refused(to, "a value nested deeper than 8 levels") : array(to, Z_ARRVAL_P(value), depth);
    case IS_OBJECT:
      return depth >= DEEPEST ? refused(to, "a value nested deeper than 8 levels") : object(to, Z_OBJ_P(value), depth);
    default: return refused(to, "a resource");
  }
}

void shapes_add(set *known, zval *value) {
  writer to = {0};
  shape(&to, value, 0);
  if (to.json.is_cut || to.json.length > MOST_KIND_BYTES || known->bytes > MOST_KIND_BYTES) {
    to.json.length = 0;
    to.json.is_cut = false;
    refused(&to, "a value of too many kinds");
  }
  if (!to.json.is_cut) set_add(known, to.json.data, to.json.length);
  text_free(&to.json);
}

// Converts the value as PHP does without `strict_types`, and whole numbers to floats in any case.
void shapes_add_argument(set *known, zval *value, zend_type declared) {
  uint32_t scalars = ZEND_TYPE_PURE_MASK(declared) & (MAY_BE_LONG | MAY_BE_DOUBLE | MAY_BE_BOOL | MAY_BE_STRING);
  uint32_t type = 1u << Z_TYPE_P(value);
  if (ZEND_TYPE_IS_COMPLEX(declared) || scalars == 0 || Z_TYPE_P(value) == IS_UNDEF || (ZEND_TYPE_PURE_MASK(declared) & type)) {
    return shapes_add(known, value);
  }
  // With several scalar types, PHP chooses by the value.
  if (Z_TYPE_P(value) == IS_NULL || Z_TYPE_P(value) == IS_ARRAY) return;
  zval converted;
  zend_long number = 0;
  double fraction = 0;
  switch (scalars) {
    case MAY_BE_STRING: return set_add(known, "{\"is\":\"text\"}", sizeof("{\"is\":\"text\"}") - 1);
    case MAY_BE_BOOL: ZVAL_TRUE(&converted); break;
    case MAY_BE_DOUBLE:
      if (Z_TYPE_P(value) == IS_STRING && is_numeric_string(Z_STRVAL_P(value), Z_STRLEN_P(value), &number, &fraction, false) == 0) return;
      ZVAL_DOUBLE(&converted, 0);
      break;
    case MAY_BE_LONG:
      if (Z_TYPE_P(value) == IS_STRING) {
        if (is_numeric_string(Z_STRVAL_P(value), Z_STRLEN_P(value), &number, &fraction, false) != IS_LONG) return;
      } else if (Z_TYPE_P(value) == IS_DOUBLE) {
        number = zend_dval_to_lval(Z_DVAL_P(value));
      }
      ZVAL_LONG(&converted, number);
      break;
    default: return shapes_add(known, value);
  }
  if (Z_TYPE_P(value) != IS_OBJECT) shapes_add(known, &converted);
}
