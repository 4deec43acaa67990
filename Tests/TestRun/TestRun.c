// The bounds of a whole run of the tests: how many run at once, and how long a run may take; and
// the seed of a campaign.
//
// Set before `main`, so that they hold for a plain `swift test`, and no thread uses the environment.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#else
// musl has no backtraces.
static int backtrace(void **frames, int count) { return 0; }
static void backtrace_symbols_fd(void **frames, int count, int descriptor) {}
#endif

// A run takes less than three minutes on two cores. No test has a limit of its own, because a busy
// machine would reach it; whatever takes this long hangs.
static const int secondsOfARun = 1800;

static void printStack(int signal) {
  void *frames[64];
  char name[128] = "";
  snprintf(name, sizeof name, "thread %ld\n", syscall(SYS_gettid));
  write(STDERR_FILENO, name, strlen(name));
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
  write(STDERR_FILENO, "\n", 1);
}

// Prints the stacks of all threads and ends the process. What is called here is not safe in every
// signal handler, but nothing else goes on.
static void endHangingRun(int signal) {
  static const char text[] = "HUNG: the tests take too long. The stacks of all threads:\n\n";
  write(STDERR_FILENO, text, sizeof text - 1);
  // The threads of Dispatch block most signals, but not this one.
  struct sigaction action = {.sa_handler = printStack};
  sigaction(SIGPROF, &action, NULL);
  DIR *threads = opendir("/proc/self/task");
  for (struct dirent *entry; threads && (entry = readdir(threads));) {
    int thread = atoi(entry->d_name);
    if (thread == 0) continue;
    syscall(SYS_tgkill, getpid(), thread, SIGPROF);
    // One after the other, so that the lines do not mix.
    struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    nanosleep(&pause, NULL);
  }
  _exit(124);
}

// Gives a campaign a seed of its own, which the children of tests inherit.
static void chooseSeed(void) {
  unsigned seed = 0;
  char text[16];
  if (getenv("LOCKET_SEED") || getrandom(&seed, sizeof seed, 0) != sizeof seed) return;
  snprintf(text, sizeof text, "%u", seed);
  setenv("LOCKET_SEED", text, 0);
}

__attribute__((constructor)) static void boundTheRun(void) {
  // Every test would start at once, and one that waits would resume behind all others.
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "4", 0);
  // A campaign lasts as long as it has to.
  if (getenv("LOCKET_CAMPAIGN")) return chooseSeed();
  // A timer instead of a thread, which tests of forks and of threads would meet.
  struct sigaction action = {.sa_handler = endHangingRun, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval limit = {.it_value = {.tv_sec = secondsOfARun}};
  setitimer(ITIMER_REAL, &limit, NULL);
}
