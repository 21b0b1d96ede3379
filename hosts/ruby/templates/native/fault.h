// Ends the process with a message when a Rust function's stack overflows.
//
// Made by tierup; the same in every package.
//
// Ruby's own handler would jump out of Rust's frames to the next `rescue`. The thread would then run Ruby without the
// VM's lock, beside the thread that holds it. So this handler comes first, and passes on faults that are not Rust's.

#include <signal.h>
#include <string.h>
#include <unistd.h>

// Whether this thread is in a Rust function. A handler may read it, as its first use allocates no memory.
#ifdef __linux__
__attribute__((tls_model("initial-exec")))
#endif
static __thread volatile sig_atomic_t tierup_is_in_rust;

static struct sigaction tierup_before_segv, tierup_before_bus;

static void tierup_fault(int signal, siginfo_t *info, void *context) {
  const struct sigaction *before = signal == SIGSEGV ? &tierup_before_segv : &tierup_before_bus;
  if (!tierup_is_in_rust && before->sa_flags & SA_SIGINFO) {
    before->sa_sigaction(signal, info, context);
    return;
  }
  if (!tierup_is_in_rust && before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
    before->sa_handler(signal);
    return;
  }
  if (tierup_is_in_rust) {
    static const char words[] =
        "tierup: invalid memory access in a Rust function at tier 3, as when its stack overflows: the process ends. "
        "1:pool ends one worker instead.\n";
    // There is nothing to do if the message cannot be written.
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) {
    }
  }
  struct sigaction usual;
  memset(&usual, 0, sizeof usual);
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, NULL);
  // The signal is delivered when this returns.
  raise(signal);
}

static void tierup_watch_faults(void) {
  struct sigaction ours;
  memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = tierup_fault;
  // Runs on the stack that Ruby keeps for signals, as the thread's own is used up.
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  sigaction(SIGSEGV, &ours, &tierup_before_segv);
  sigaction(SIGBUS, &ours, &tierup_before_bus);
}
