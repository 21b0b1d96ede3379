// The declarations of Rust's functions for the glue in C: see `src/entries.rs`.
//
// Made by tierup from the signatures in your crate; changes here are lost at the next build.

#ifndef TIERUP_H
#define TIERUP_H

#include <stddef.h>
#include <stdint.h>

// Bytes that are lent for the time of a call. Text is UTF-8.
typedef struct {
  const uint8_t *data;
  size_t length;
} tierup_bytes;

enum { TIERUP_OK, TIERUP_ERROR, TIERUP_PANIC, TIERUP_LATE = 4 };

// An answer, to be freed once. If it is an error or a panic, the bytes are a message in UTF-8.
typedef struct {
  uint8_t *data;
  size_t length;
  size_t capacity;
  uint32_t ending;
} tierup_answer;

// The functions. They may be called from any thread, and never unwind.
typedef struct {
  // The hash of the interface.
  uint64_t abi;
  // A function by number, with encoded arguments (docs/byte-abi.md). Answers begin with a tag; `ending` is TIERUP_OK.
  tierup_answer (*call)(uint32_t function, tierup_bytes arguments);
  // A function of TIERUP_DIRECT, with as many arguments as it has parameters.
  tierup_answer (*direct)(uint32_t function, const tierup_bytes *arguments);
  void (*free)(tierup_answer answer);
  // TIERUP_OK if calls can be answered; otherwise the answer says why not.
  tierup_answer (*ready)(void);
} tierup_entries;

// A parameter of a direct function, as the host names it.
typedef struct {
  const char *name;
  int is_text;
} tierup_parameter;

// The answer of a direct function.
typedef enum { TIERUP_NOTHING, TIERUP_TEXT, TIERUP_BYTES } tierup_output;

#endif
