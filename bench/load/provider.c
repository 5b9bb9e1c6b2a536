/*
 * The provider behind all measured gateways: one thread that answers in the dialect of the path, whole or as a stream, from prepared
 * bytes. Prints its port on 127.0.0.1.
 *
 *   GET /control?events=N&pace=MS&wait=MS    sets the events of a stream, the time between them (0: as fast as they are taken) and the
 *                                            time before an answer begins; what is not named stays. Answers with counts as JSON.
 */
#define _GNU_SOURCE
#include "connection.h"
#include "limits.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static Queue waiting, pacing;
static unsigned events = 200, pace_ms = 0, wait_ms = 0;
static uint64_t requests, sent_events;
static unsigned active;
static int poller;
/* A stream without pace is written in blocks of this many bytes. */
static const size_t block = 65536;

static void hang_up(Connection *c) {
  if (c->answers != NULL) active--;
  leave_queue(c);
  close(c->fd);
  free(c->in);
  free(c->out);
  free(c);
}

static void put(Connection *c, const Piece *piece) { write_piece(room_for(c, piece->length), piece, now_us()); }

static void put_event(Connection *c) {
  put(c, &c->answers->event);
  c->sent_events++;
  sent_events++;
}

static void put_end(Connection *c) {
  if (c->streams) put(c, &c->answers->closing);
  c->answers = NULL;
  active--;
}

static void watch(Connection *c, int operation, bool write) {
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | (write ? EPOLLOUT : 0), .data.ptr = c};
  epoll_ctl(poller, operation, c->fd, &event);
  c->wants_write = write;
}

/* Writes what is ready, and more of a stream without pace. Returns false when the connection is gone. */
static bool flush(Connection *c) {
  for (;;) {
    while (c->out_sent < c->out_length) {
      ssize_t n = send(c->fd, c->out + c->out_sent, c->out_length - c->out_sent, MSG_NOSIGNAL);
      if (n < 0 && errno == EAGAIN) {
        if (!c->wants_write) watch(c, EPOLL_CTL_MOD, true);
        return true;
      }
      if (n < 0) {
        hang_up(c);
        return false;
      }
      c->out_sent += (size_t)n;
    }
    c->out_sent = c->out_length = 0;
    if (c->answers == NULL || !c->opened || c->queue != NULL) break;
    while (c->sent_events < events && c->out_length < block) put_event(c);
    if (c->sent_events >= events) put_end(c);
  }
  if (c->wants_write) watch(c, EPOLL_CTL_MOD, false);
  return true;
}

/* The time before the answer has passed. */
static bool begin(Connection *c) {
  if (!c->streams) {
    put(c, &c->answers->whole);
    put_end(c);
    return flush(c);
  }
  put(c, &c->answers->opening);
  c->opened = true;
  if (pace_ms > 0) {
    put_event(c);
    enter_queue(c, &pacing, now_us() + pace_ms * 1000ull);
  }
  return flush(c);
}

/* The time between two events has passed. */
static void next_event(Connection *c) {
  if (c->sent_events < events) {
    put_event(c);
    enter_queue(c, &pacing, c->due + pace_ms * 1000ull);
  } else {
    put_end(c);
  }
  flush(c);
}

static void set(const char *query, const char *name, unsigned *value) {
  const char *at = strstr(query, name);
  if (at != NULL) *value = (unsigned)atoi(at + strlen(name));
}

static bool control(Connection *c, const char *query) {
  char body[160];
  set(query, "events=", &events);
  set(query, "pace=", &pace_ms);
  set(query, "wait=", &wait_ms);
  int length = sprintf(body, "{\"requests\":%lu,\"active\":%u,\"events\":%lu}", requests, active, sent_events);
  char *to = room_for(c, 256);
  c->out_length += (size_t)sprintf(to, "HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s", length, body) - 256;
  return flush(c);
}

/* The bytes of the request at the start of `in`, or 0 while some are missing. Clients do not pipeline. */
static size_t request_length(const Connection *c, const char *end_of_head) {
  size_t head = (size_t)(end_of_head + 4 - c->in);
  const char *counted = strcasestr(c->in, "\r\ncontent-length:");
  if (counted != NULL && counted < end_of_head) {
    size_t length = head + strtoul(counted + 17, NULL, 10);
    return c->in_length < length ? 0 : length;
  }
  const char *coded = strcasestr(c->in, "\r\ntransfer-encoding: chunked");
  if (coded == NULL || coded > end_of_head) return head;
  return c->in_length >= head + 5 && memcmp(c->in + c->in_length - 5, "0\r\n\r\n", 5) == 0 ? c->in_length : 0;
}

/* Answers the request that has arrived whole, if there is one. Returns false when the connection is gone. */
static bool answer(Connection *c) {
  if (c->answers != NULL || c->in_length == 0) return true;
  c->in[c->in_length] = 0;
  const char *end = strstr(c->in, "\r\n\r\n");
  size_t length = end == NULL ? 0 : request_length(c, end);
  if (length == 0) return true;
  c->in_length = 0;
  size_t line = (size_t)(strstr(c->in, "\r\n") - c->in);
  if (strncmp(c->in, "GET /control", 12) == 0) {
    c->in[line] = 0;
    return control(c, c->in);
  }
  requests++;
  active++;
  c->answers = answers_to(c->in, line);
  c->opened = false;
  c->sent_events = 0;
  c->streams = memmem(c->in, line, ":stream", 7) != NULL || memmem(end, length - (size_t)(end - c->in), "\"stream\":true", 13) != NULL ||
               memmem(end, length - (size_t)(end - c->in), "\"stream\": true", 14) != NULL;
  if (wait_ms == 0) return begin(c);
  enter_queue(c, &waiting, now_us() + wait_ms * 1000ull);
  return true;
}

static bool receive(Connection *c) {
  for (;;) {
    if (c->in_room - c->in_length < 4096) {
      c->in_room = c->in_room * 2 + 8192;
      c->in = realloc(c->in, c->in_room);
    }
    size_t room = c->in_room - c->in_length - 1;
    ssize_t n = recv(c->fd, c->in + c->in_length, room, 0);
    if (n < 0 && errno == EAGAIN) return answer(c);
    if (n <= 0) {
      hang_up(c);
      return false;
    }
    c->in_length += (size_t)n;
    if ((size_t)n < room) return answer(c);
  }
}

static void accept_all(int listener) {
  int yes = 1;
  for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection *c = calloc(1, sizeof *c);
    c->fd = fd;
    watch(c, EPOLL_CTL_ADD, false);
  }
}

/* Continues the connections that are due. Returns the milliseconds until the next is, or -1. */
static int go_on(void) {
  uint64_t now = now_us(), next = UINT64_MAX;
  for (Connection *c; (c = waiting.first) != NULL && c->due <= now;) {
    leave_queue(c);
    begin(c);
  }
  for (Connection *c; (c = pacing.first) != NULL && c->due <= now;) {
    leave_queue(c);
    next_event(c);
  }
  if (waiting.first != NULL) next = waiting.first->due;
  if (pacing.first != NULL && pacing.first->due < next) next = pacing.first->due;
  now = now_us();
  return next == UINT64_MAX ? -1 : next <= now ? 0 : (int)((next - now + 999) / 1000);
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  signal(SIGPIPE, SIG_IGN);
  allow_many_files();
  if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 8192) != 0) {
    perror("listen");
    return 1;
  }
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  poller = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event ready[512], listening = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(poller, EPOLL_CTL_ADD, listener, &listening);
  for (;;) {
    int n = epoll_wait(poller, ready, 512, go_on());
    for (int i = 0; i < n; i++) {
      Connection *c = ready[i].data.ptr;
      if (c == NULL) accept_all(listener);
      else if ((ready[i].events & EPOLLIN) && !receive(c)) continue;
      else if (ready[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) hang_up(c);
      else if (ready[i].events & EPOLLOUT) flush(c);
    }
  }
}
