/*
 * The load client: one thread that keeps many connections busy with one request, and prints what it saw as one line of JSON.
 *
 *   client --port N --path /v1/... --body FILE [--header "name: value"]... --connections N --seconds S
 *          [--warm S] [--rate N] [--ramp N] [--once] [--events N] [--word W]
 *
 * Without --rate every connection sends its next request as soon as it has its answer. With it, N requests a second are due whether or not
 * answers come, on at most --connections connections, and latencies count from when a request was due. --once sends one on each connection.
 * Both wait for all answers, at most a minute longer than --seconds. --ramp opens that many connections a second. What is due in the
 * first --warm seconds is not recorded, except results and times to the first event with --once. --events is how many stamped events
 * make an answer complete; any other number counts as broken. --word counts refusals that contain it. All durations are microseconds.
 */
#define _GNU_SOURCE
#include "clock.h"
#include "histogram.h"
#include "limits.h"
#include "response.h"
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct Connection {
  int fd;
  bool busy, spent, wants_write;
  uint64_t due; /* when the request was to be sent */
  size_t sent;
  Response response;
  struct Connection *next_idle;
} Connection;

static const uint64_t grace_us = 60000000;
static struct sockaddr_in server;
static double seconds = 5, warm = 0, rate = 0, ramp = 0;
static unsigned connections = 1, wanted_events = 0;
static bool once = false;
static char *request;
static size_t request_length;

static int poller;
static Connection *idle;
static unsigned busy, answered;
static bool recording;
static uint64_t from, until; /* results are recorded between these times */
static Histogram latency, refused, first_event, lateness;
static uint64_t ok, broken, failed, unsent, named, statuses[600];
static const char *word;

static void watch(Connection *c, int operation, bool write) {
  struct epoll_event event = {.events = EPOLLIN | (write ? EPOLLOUT : 0), .data.ptr = c};
  epoll_ctl(poller, operation, c->fd, &event);
  c->wants_write = write;
}

static void dial(Connection *c) {
  int yes = 1;
  if (c->fd > 0) close(c->fd);
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (c->fd < 0) {
    perror("socket");
    exit(1);
  }
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(c->fd, (struct sockaddr *)&server, sizeof server) != 0 && errno != EINPROGRESS) perror("connect");
  watch(c, EPOLL_CTL_ADD, false);
}

/* Sends what is left of the request. A connection that fails here is noticed when it is read. */
static void send_rest(Connection *c) {
  while (c->sent < request_length) {
    ssize_t n = send(c->fd, request + c->sent, request_length - c->sent, MSG_NOSIGNAL);
    if (n < 0) {
      if (!c->wants_write && (errno == EAGAIN || errno == ENOTCONN)) watch(c, EPOLL_CTL_MOD, true);
      return;
    }
    c->sent += (size_t)n;
  }
  if (c->wants_write) watch(c, EPOLL_CTL_MOD, false);
}

static void ask(Connection *c, uint64_t due) {
  if (c->fd <= 0 || c->spent) dial(c);
  c->spent = false;
  c->busy = true;
  busy++;
  c->due = due;
  c->sent = 0;
  response_begin(&c->response);
  send_rest(c);
}

static void on_event(void *owner, const Response *response) {
  Connection *c = owner;
  uint64_t now = now_us();
  if (response->events == 1 && (recording || once)) record(&first_event, now - c->due);
  if (recording) record(&lateness, now > response->stamp ? now - response->stamp : 0);
}

/* An answer has ended, or failed without being complete. */
static void finish(Connection *c, bool complete) {
  const Response *r = &c->response;
  uint64_t took = now_us() - c->due;
  c->busy = false;
  c->spent = !complete || r->closes || c->sent < request_length;
  busy--;
  answered++;
  bool whole = r->events == wanted_events, in_time = rate > 0 ? c->due >= from && c->due < until : recording;
  if (in_time || once) {
    if (!complete) failed++;
    else statuses[r->status < 600 && r->status > 0 ? r->status : 0]++;
    if (complete && r->status == 200) *(whole ? &ok : &broken) += 1;
  }
  if (in_time && complete && (r->status != 200 || whole)) record(r->status == 200 ? &latency : &refused, took);
  if (once) return;
  if (rate > 0) {
    c->next_idle = idle;
    idle = c;
  } else {
    ask(c, now_us());
  }
}

static void on_readable(Connection *c) {
  static char bytes[65536];
  for (;;) {
    ssize_t n = recv(c->fd, bytes, sizeof bytes, 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      if (c->busy) {
        finish(c, n == 0 && c->response.at == UNTIL_CLOSE);
      } else {
        close(c->fd);
        c->fd = 0;
      }
      return;
    }
    if (!c->busy) continue;
    response_read(&c->response, bytes, (size_t)n, on_event, c);
    if (word != NULL && c->response.status != 200 && memmem(bytes, (size_t)n, word, strlen(word)) != NULL) named++;
    if (c->response.at >= COMPLETE) finish(c, c->response.at == COMPLETE);
    if ((size_t)n < sizeof bytes) return;
  }
}

/* Opens connections and sends what is due by now. Returns the microseconds to wait for answers. */
static uint64_t send_due(Connection *all, uint64_t begun, uint64_t *next) {
  static unsigned open = 0;
  uint64_t now = now_us();
  unsigned may = ramp > 0 ? (unsigned)((double)(now - begun) / 1e6 * ramp) + 1 : connections;
  if (may > connections) may = connections;
  if (rate <= 0) {
    while (open < may) ask(&all[open++], now);
    return open < connections ? 1000 : 20000;
  }
  for (; *next <= now && *next < until; *next += (uint64_t)(1e6 / rate)) {
    Connection *c = idle;
    if (c != NULL) idle = c->next_idle;
    else if (open < may) c = &all[open++];
    if (c != NULL) ask(c, *next);
    else if (recording) unsent++;
  }
  now = now_us();
  return *next >= until ? 20000 : *next <= now ? 0 : *next - now;
}

/* Waits to the microsecond without spinning, which would take the core from the database beside it. */
static int wait_for(struct epoll_event *events, int most, uint64_t microseconds) {
  struct timespec time = {.tv_sec = (time_t)(microseconds / 1000000), .tv_nsec = (long)(microseconds % 1000000 * 1000)};
  return epoll_pwait2(poller, events, most, &time, NULL);
}

static void run(void) {
  Connection *all = calloc(connections, sizeof *all);
  struct epoll_event events[512];
  uint64_t begun = now_us(), next = begun;
  from = begun + (uint64_t)(warm * 1e6), until = from + (uint64_t)(seconds * 1e6);
  for (;;) {
    uint64_t now = now_us();
    recording = now >= from && now < until;
    bool all_answered = once ? answered == connections : rate <= 0 || busy == 0;
    if ((now >= until || once) && (all_answered || now >= until + grace_us)) break;
    int n = wait_for(events, 512, send_due(all, begun, &next));
    for (int i = 0; i < n; i++) {
      Connection *c = events[i].data.ptr;
      if (c->wants_write && (events[i].events & EPOLLOUT)) send_rest(c);
      if (events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) on_readable(c);
    }
  }
}

static void report(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  printf("{\"ok\":%lu,\"broken\":%lu,\"failed\":%lu,\"unanswered\":%u,\"unsent\":%lu,\"named\":%lu,\"seconds\":%g,\"cpu\":%.0f", ok, broken,
         failed, busy, unsent, named, seconds, cpu);
  print_histogram("latency", &latency);
  print_histogram("refused", &refused);
  print_histogram("first", &first_event);
  print_histogram("late", &lateness);
  printf(",\"statuses\":{");
  for (int status = 0, n = 0; status < 600; status++)
    if (statuses[status] > 0) printf("%s\"%d\":%lu", n++ > 0 ? "," : "", status, statuses[status]);
  printf("}}\n");
}

static void write_request(const char *path, const char *headers, const char *body_file) {
  FILE *file = fopen(body_file, "rb");
  if (file == NULL) {
    perror(body_file);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  size_t length = (size_t)ftell(file);
  rewind(file);
  request = malloc(length + strlen(path) + strlen(headers) + 256);
  request_length = (size_t)sprintf(request, "POST %s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\n%scontent-length: %zu\r\n\r\n",
                                   path, ntohs(server.sin_port), headers, length);
  request_length += fread(request + request_length, 1, length, file);
  fclose(file);
}

int main(int argc, char **argv) {
  static const struct option options[] = {{"port", 1, 0, 'p'}, {"path", 1, 0, 'u'}, {"body", 1, 0, 'b'}, {"header", 1, 0, 'h'},
    {"connections", 1, 0, 'c'}, {"seconds", 1, 0, 's'}, {"warm", 1, 0, 'w'}, {"rate", 1, 0, 'r'}, {"ramp", 1, 0, 'g'},
    {"once", 0, 0, 'o'}, {"events", 1, 0, 'e'}, {"word", 1, 0, 'n'}, {0, 0, 0, 0}};
  const char *path = "/", *body = "/dev/null";
  char headers[4096] = "";
  server = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) switch (option) {
    case 'p': server.sin_port = htons((uint16_t)atoi(optarg)); break;
    case 'u': path = optarg; break;
    case 'b': body = optarg; break;
    case 'h': strncat(headers, optarg, sizeof headers - strlen(headers) - 3); strcat(headers, "\r\n"); break;
    case 'c': connections = (unsigned)atoi(optarg); break;
    case 's': seconds = atof(optarg); break;
    case 'w': warm = atof(optarg); break;
    case 'r': rate = atof(optarg); break;
    case 'g': ramp = atof(optarg); break;
    case 'o': once = true; break;
    case 'e': wanted_events = (unsigned)atoi(optarg); break;
    case 'n': word = optarg; break;
    default: return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  allow_many_files();
  write_request(path, headers, body);
  poller = epoll_create1(EPOLL_CLOEXEC);
  run();
  report();
  return 0;
}
