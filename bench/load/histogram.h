/* Counts of durations in microseconds, in slots whose width is a thirty-second of their power of two: quantiles within 3 percent. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H
#include <stdint.h>
#include <stdio.h>

#define STEPS 32
#define SLOTS 1280

typedef struct {
  uint64_t slots[SLOTS], count, longest;
} Histogram;

static inline void record(Histogram *histogram, uint64_t us) {
  unsigned slot = (unsigned)us;
  if (us >= STEPS) {
    int power = 63 - __builtin_clzll(us);
    slot = (unsigned)(power - 4) * STEPS + (unsigned)((us >> (power - 5)) % STEPS);
  }
  histogram->slots[slot < SLOTS ? slot : SLOTS - 1]++;
  histogram->count++;
  if (us > histogram->longest) histogram->longest = us;
}

/* The quantile at this share (0..1) of all durations: the middle of its slot. 0 without any. */
static inline double quantile(const Histogram *histogram, double share) {
  uint64_t before = 0, wanted = (uint64_t)(share * (double)histogram->count);
  for (unsigned slot = 0; slot < SLOTS; slot++) {
    before += histogram->slots[slot];
    if (before <= wanted) continue;
    if (slot < STEPS) return slot;
    unsigned power = slot / STEPS + 4;
    return (double)((1ull << power) | ((uint64_t)(slot % STEPS) << (power - 5))) + (double)(1ull << (power - 5)) / 2;
  }
  return (double)histogram->longest;
}

static inline void print_histogram(const char *name, const Histogram *histogram) {
  printf(",\"%s\":{\"count\":%lu,\"p50\":%.0f,\"p99\":%.0f,\"longest\":%lu}", name, histogram->count, quantile(histogram, 0.5),
         quantile(histogram, 0.99), histogram->longest);
}
#endif
