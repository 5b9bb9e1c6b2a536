/* One connection to the provider: what it has received and has to send, and its place in a queue. */
#ifndef CONNECTION_H
#define CONNECTION_H
#include "answers.h"
#include <stdbool.h>

typedef struct Connection {
  int fd;
  const Answers *answers; /* of the request being answered, or NULL */
  bool streams, opened, wants_write;
  unsigned sent_events;
  char *in, *out;
  size_t in_length, in_room, out_length, out_room, out_sent;
  uint64_t due; /* while it is in a queue */
  struct Queue *queue;
  struct Connection *before, *after;
} Connection;

/* Connections in order of the time when they go on. All of a queue wait equally long, so new ones go to the end. */
typedef struct Queue {
  Connection *first, *last;
} Queue;

static void leave_queue(Connection *c) {
  if (c->queue == NULL) return;
  *(c->before != NULL ? &c->before->after : &c->queue->first) = c->after;
  *(c->after != NULL ? &c->after->before : &c->queue->last) = c->before;
  c->queue = NULL;
}

static void enter_queue(Connection *c, Queue *queue, uint64_t due) {
  c->due = due;
  c->queue = queue;
  c->after = NULL;
  c->before = queue->last;
  *(queue->last != NULL ? &queue->last->after : &queue->first) = c;
  queue->last = c;
}

/* Makes room for this many more bytes to send, and returns where they go. */
static char *room_for(Connection *c, size_t length) {
  if (c->out_length + length > c->out_room) {
    c->out_room = (c->out_length + length) * 2;
    c->out = realloc(c->out, c->out_room);
  }
  c->out_length += length;
  return c->out + c->out_length - length;
}
#endif
