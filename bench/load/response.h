/* Reads one HTTP/1.1 response as its bytes arrive, and finds the stamped events in its body. */
#ifndef RESPONSE_H
#define RESPONSE_H
#define _GNU_SOURCE
#include "clock.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  enum { HEAD, LENGTH, UNTIL_CLOSE, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, TRAILERS, COMPLETE, MALFORMED } at;
  int status;
  bool closes; /* the server will close the connection */
  unsigned events;
  uint64_t stamp;      /* of the last event */
  int digits;          /* of the stamp being read; -1 outside of one */
  uint64_t left;       /* bytes of the body, or of this chunk */
  unsigned line;       /* characters of the trailer line so far */
  size_t head_length;
  char head[8192];
} Response;

/* Called for every event, as soon as it has arrived whole. */
typedef void (*OnEvent)(void *owner, const Response *response);

static inline void response_begin(Response *response) {
  response->at = HEAD;
  response->status = 0;
  response->closes = false;
  response->events = 0;
  response->digits = -1;
  response->head_length = 0;
}

static void read_stamps(Response *response, const char *at, size_t length, OnEvent on_event, void *owner) {
  const char *end = at + length;
  while (at < end) {
    if (response->digits < 0) {
      at = memchr(at, '@', (size_t)(end - at));
      if (at == NULL) return;
      at++;
      response->digits = 0;
      response->stamp = 0;
    } else if (*at >= '0' && *at <= '9' && response->digits < STAMP_DIGITS) {
      response->stamp = response->stamp * 10 + (uint64_t)(*at++ - '0');
      response->digits++;
    } else {
      bool whole = *at == '@' && response->digits == STAMP_DIGITS;
      response->digits = -1;
      if (!whole) continue;
      at++;
      response->events++;
      on_event(owner, response);
    }
  }
}

/* Takes what belongs to the head; returns how many of these bytes do. */
static size_t read_head(Response *response, const char *bytes, size_t length) {
  size_t before = response->head_length, room = sizeof response->head - 1 - before;
  size_t taken = length < room ? length : room;
  memcpy(response->head + before, bytes, taken);
  response->head_length += taken;
  response->head[response->head_length] = 0;
  char *end = strstr(response->head, "\r\n\r\n");
  if (end == NULL) {
    if (taken == room) response->at = MALFORMED;
    return taken;
  }
  end[2] = 0;
  response->status = atoi(response->head + 9);
  response->closes = strcasestr(response->head, "\nconnection: close") != NULL;
  const char *counted = strcasestr(response->head, "\ncontent-length:");
  response->left = counted == NULL ? 0 : strtoull(counted + 16, NULL, 10);
  if (counted != NULL) response->at = response->left == 0 ? COMPLETE : LENGTH;
  else response->at = strcasestr(response->head, "\ntransfer-encoding: chunked") != NULL ? CHUNK_SIZE : UNTIL_CLOSE;
  return (size_t)(end + 4 - response->head) - before;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes one byte of what surrounds the data of chunks. */
static void read_framing(Response *response, char c) {
  switch (response->at) {
  case CHUNK_SIZE:
    if (hex_digit(c) >= 0) response->left = response->left * 16 + (uint64_t)hex_digit(c);
    else if (c == '\n') response->at = response->left == 0 ? TRAILERS : CHUNK_DATA;
    else if (c != '\r') response->at = MALFORMED;
    response->line = 0;
    break;
  case CHUNK_END:
    if (c == '\n') response->at = CHUNK_SIZE;
    break;
  default:
    if (c == '\n' && response->line == 0) response->at = COMPLETE;
    if (c == '\n') response->line = 0;
    else if (c != '\r') response->line++;
  }
}

/* Takes more bytes. `at` is then COMPLETE after the last one of the response; what follows it is ignored. */
static void response_read(Response *response, const char *bytes, size_t length, OnEvent on_event, void *owner) {
  while (length > 0 && response->at < COMPLETE) {
    size_t taken = 1;
    if (response->at == HEAD) {
      taken = read_head(response, bytes, length);
    } else if (response->at == LENGTH || response->at == CHUNK_DATA || response->at == UNTIL_CLOSE) {
      taken = response->at == UNTIL_CLOSE || length < response->left ? length : response->left;
      read_stamps(response, bytes, taken, on_event, owner);
      if (response->at != UNTIL_CLOSE) response->left -= taken;
      if (response->left == 0 && response->at == LENGTH) response->at = COMPLETE;
      if (response->left == 0 && response->at == CHUNK_DATA) response->at = CHUNK_END;
    } else {
      read_framing(response, *bytes);
    }
    bytes += taken;
    length -= taken;
  }
}
#endif
