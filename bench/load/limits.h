/* System limits for a process with thousands of connections. */
#ifndef LIMITS_H
#define LIMITS_H
#include <sys/resource.h>

/* As many open files as this user may have; the usual limit is a thousand. */
static inline void allow_many_files(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}
#endif
