// PHP's thread and the agent's share the notes, under a lock held for one call's types. Made by tierup for one run.

#include "calls.h"

#include <php.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "matching.h"
#include "noting.h"
#include "seen.h"
#include "watched.h"

// Changes only under the lock. PHP's thread first reads it without the lock, so that an unwatched server never waits.
static atomic_bool is_on;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static noted *all;

static bool enter(void) {
  if (!atomic_load(&is_on)) return false;
  pthread_mutex_lock(&lock);
  if (atomic_load(&is_on)) return true;
  pthread_mutex_unlock(&lock);
  return false;
}

void seen_entered(zend_execute_data *call) {
  if (!enter()) return;
  const zend_op_array *code = &call->func->op_array;
  int index = matching_function(code);
  for (size_t at = 0; at < watched_count && index < 0; at++) {
    if (matching_neighbour(at, code)) note_other(&all[at], matching_name(code));
  }
  if (index >= 0) note_entered(&all[index], call);
  pthread_mutex_unlock(&lock);
}

void seen_left(zend_execute_data *call, zval *answer) {
  // The function throws an exception.
  if (answer == NULL || Z_TYPE_P(answer) == IS_UNDEF || !enter()) return;
  int index = matching_function(&call->func->op_array);
  if (index >= 0) note_left(&all[index], answer);
  pthread_mutex_unlock(&lock);
}

static void turn(bool on) {
  pthread_mutex_lock(&lock);
  atomic_store(&is_on, on);
  pthread_mutex_unlock(&lock);
}

static void forget(void) {
  for (size_t at = 0; at < watched_count && all != NULL; at++) note_free(&all[at]);
}

void calls_start(void) {
  turn(false);
  forget();
  if (all == NULL) all = calloc(watched_count + 1, sizeof(*all));
  if (all != NULL) turn(true);
}

static bool write_file(const char *path, const char *content, size_t length) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return false;
  for (ssize_t count; length > 0; content += count, length -= (size_t)count) {
    count = write(file, content, length);
    if (count <= 0) break;
  }
  return (close(file) == 0) & (length == 0);
}

bool calls_stop(const char *file) {
  turn(false);
  text json = {0};
  text_print(&json, "{\"functions\":[");
  for (size_t at = 0; at < watched_count && all != NULL; at++) {
    if (at > 0) text_add(&json, ",", 1);
    note_write(&all[at], &json);
  }
  text_print(&json, "]}");
  forget();
  bool is_written = all != NULL && !json.is_cut && write_file(file, json.data, json.length);
  text_free(&json);
  return is_written;
}

void calls_end(void) {
  turn(false);
  forget();
}

void calls_forked(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  atomic_store(&is_on, false);
  // The parent keeps its notes. The agent's thread may have been changing them, so the child does not touch them.
  all = NULL;
}
