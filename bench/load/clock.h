/* The clock that the provider stamps events with and the client reads them against: both run on one machine. */
#ifndef CLOCK_H
#define CLOCK_H
#include <stdint.h>
#include <time.h>

/* Digits of a stamp. An event's text carries its time of sending as "@0001234567890123@", in microseconds. */
#define STAMP_DIGITS 16

static inline uint64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}
#endif
