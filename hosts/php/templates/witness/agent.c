// The agent's thread uses no state of PHP's. It blocks all signals: the server's signals are for PHP's own thread.
//
// Made by tierup for one run.

#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "calls.h"
#include "watched.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int connection = -1;
// The last process that tried to connect.
static pid_t tried;

static bool send_all(int socket, const char *line) {
  for (size_t left = strlen(line); left > 0;) {
    ssize_t sent = send(socket, line, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    line += sent;
    left -= (size_t)sent;
  }
  return true;
}

// Reads a line without its end. Returns false if tierup has ended, or sent something else.
static bool receive(int socket, char *line, size_t room) {
  for (size_t length = 0; length < room;) {
    ssize_t count = recv(socket, line + length, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    if (line[length] == '\n') {
      line[length] = '\0';
      return true;
    }
    length++;
  }
  return false;
}

static const char *answer(const char *line) {
  if (strcmp(line, "start") == 0) {
    calls_start();
    return "started\n";
  }
  if (strncmp(line, "stop ", 5) == 0) return calls_stop(line + 5) ? "stopped -\n" : "failed cannot write what was seen\n";
  return "failed it does not know what to do\n";
}

static bool to_tierup(int socket) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(watched_socket) >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  strcpy(address.sun_path, watched_socket);
  return connect(socket, (struct sockaddr *)&address, sizeof(address)) == 0;
}

static void *work(void *is_connected) {
  int socket = connection;
  char line[4352];
  fcntl(socket, F_SETFL, 0);
  snprintf(line, sizeof(line), "hello %ld 0\n", (long)getpid());
  if ((is_connected != NULL || to_tierup(socket)) && send_all(socket, line)) {
    while (receive(socket, line, sizeof(line)) && send_all(socket, answer(line))) {
    }
  }
  calls_end();
  // It is not closed here. During a fork the child closes it, and by then the number could be one of the server's own.
  shutdown(socket, SHUT_RDWR);
  return NULL;
}

void agent_connect(void) {
  if (tried == getpid()) return;
  tried = getpid();
  connection = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connection < 0) return;
  fcntl(connection, F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
  setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
  // Connects now, so that tierup knows the process before it answers its first request. This does not block: a server
  // may have more processes than tierup accepts at a time. A process that would have to wait connects in its thread.
  fcntl(connection, F_SETFL, O_NONBLOCK);
  bool is_connected = to_tierup(connection);
  bool is_later = !is_connected && errno == EAGAIN;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if ((is_connected || is_later) && pthread_create(&thread, NULL, work, is_connected ? &connection : NULL) == 0) {
    pthread_detach(thread);
  } else {
    // The process goes on unwatched. tierup reports that nobody has connected.
    close(connection);
    connection = -1;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Runs in a forked child: the connection is its parent's, and the thread does not exist.
static void forked(void) {
  if (connection >= 0) close(connection);
  connection = -1;
  calls_forked();
  agent_connect();
}

void agent_prepare(void) { pthread_atfork(NULL, NULL, forked); }
