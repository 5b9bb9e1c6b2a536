/* What the provider answers, in three dialects: bytes made once, in which only the stamp of the time changes. */
#ifndef ANSWERS_H
#define ANSWERS_H
#define _GNU_SOURCE
#include "clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes to send. `stamp` is where the digits of the time go, or 0. */
typedef struct {
  char *bytes;
  size_t length, stamp;
} Piece;

/* One dialect: a whole answer with its head, and what a stream consists of. */
typedef struct {
  Piece whole, opening, event, closing;
} Answers;

#define STAMP "@0000000000000000@"
#define TEXT "Sixteen words of plain text stand here so that the answer has about the usual length. "
#define FOUR(text) text text text text
#define WORDS FOUR(TEXT) TEXT TEXT TEXT

#define CHAT(object, rest) "{\"id\":\"chatcmpl-bench\",\"object\":\"" object "\",\"created\":1760000000,\"model\":\"bench\",\"choices\":[" rest "}"
#define CHAT_CHUNK(delta, finish) \
  "data: " CHAT("chat.completion.chunk", "{\"index\":0,\"delta\":{" delta "},\"logprobs\":null,\"finish_reason\":" finish "}]") "\n\n"
#define CHAT_USAGE "\"usage\":{\"prompt_tokens\":80,\"completion_tokens\":200,\"total_tokens\":280}"
#define MESSAGE "\"id\":\"msg_bench\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"bench\",\"stop_sequence\":null,"
#define MESSAGE_USAGE "\"usage\":{\"input_tokens\":80,\"cache_creation_input_tokens\":0,\"cache_read_input_tokens\":0,\"output_tokens\":200}"
#define MESSAGE_EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define GEMINI(text, finish) "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" text "\"}],\"role\":\"model\"}" finish ",\"index\":0}]," \
  "\"usageMetadata\":{\"promptTokenCount\":80,\"candidatesTokenCount\":200,\"totalTokenCount\":280},\"modelVersion\":\"bench\",\"responseId\":\"bench\"}"

/* One array for each dialect: whole answer, opening events, one event, closing events. Events end with an empty line. */
static const char *const texts[][4] = {
  {CHAT("chat.completion", "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"" WORDS STAMP "\",\"refusal\":null},"
        "\"logprobs\":null,\"finish_reason\":\"stop\"}]," CHAT_USAGE),
   CHAT_CHUNK("\"role\":\"assistant\",\"content\":\"\"", "null"),
   CHAT_CHUNK("\"content\":\" " STAMP "\"", "null"),
   CHAT_CHUNK("", "\"stop\"") "data: " CHAT("chat.completion.chunk", "]," CHAT_USAGE) "\n\ndata: [DONE]\n\n"},
  {"{" MESSAGE "\"content\":[{\"type\":\"text\",\"text\":\"" WORDS STAMP "\"}],\"stop_reason\":\"end_turn\"," MESSAGE_USAGE "}",
   MESSAGE_EVENT("message_start", ",\"message\":{" MESSAGE "\"content\":[],\"stop_reason\":null," MESSAGE_USAGE "}")
   MESSAGE_EVENT("content_block_start", ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"),
   MESSAGE_EVENT("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\" " STAMP "\"}"),
   MESSAGE_EVENT("content_block_stop", ",\"index\":0")
   MESSAGE_EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null}," MESSAGE_USAGE)
   MESSAGE_EVENT("message_stop", "")},
  {GEMINI(WORDS STAMP, ",\"finishReason\":\"STOP\""), "", "data: " GEMINI(" " STAMP, "") "\r\n\r\n",
   "data: " GEMINI("", ",\"finishReason\":\"STOP\"") "\r\n\r\n"},
};

static const char stream_head[] = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
                                  "x-request-id: bench\r\ntransfer-encoding: chunked\r\n\r\n";

static Piece piece_of(char *bytes) {
  const char *stamp = strstr(bytes, STAMP);
  return (Piece){.bytes = bytes, .length = strlen(bytes), .stamp = stamp == NULL ? 0 : (size_t)(stamp - bytes) + 1};
}

/* `head`, then a chunk for each event in `text`, then `tail`. */
static Piece chunked(const char *head, const char *text, const char *tail) {
  char *bytes = malloc(strlen(head) + 2 * strlen(text) + strlen(tail) + 1);
  char *at = bytes + sprintf(bytes, "%s", head);
  while (*text != 0) {
    const char *end = strstr(text, "\n\n");
    const char *other = strstr(text, "\r\n\r\n");
    size_t length = (size_t)(other == NULL ? end + 2 - text : other + 4 - text);
    at += sprintf(at, "%zx\r\n%.*s\r\n", length, (int)length, text);
    text += length;
  }
  strcpy(at, tail);
  return piece_of(bytes);
}

/* The answers to requests to this path. */
static const Answers *answers_to(const char *path, size_t length) {
  static Answers all[3];
  if (all[0].whole.bytes == NULL)
    for (int dialect = 0; dialect < 3; dialect++) {
      const char *const *text = texts[dialect];
      char *whole = malloc(strlen(text[0]) + 256);
      sprintf(whole, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: bench\r\ncontent-length: %zu\r\n\r\n%s",
              strlen(text[0]), text[0]);
      all[dialect] = (Answers){piece_of(whole), chunked(stream_head, text[1], ""), chunked("", text[2], ""), chunked("", text[3], "0\r\n\r\n")};
    }
  if (memmem(path, length, "/messages", 9) != NULL) return &all[1];
  return &all[memmem(path, length, "enerateContent", 14) != NULL ? 2 : 0];
}

/* Writes a piece to `to`, stamped with this time. */
static void write_piece(char *to, const Piece *piece, uint64_t now) {
  memcpy(to, piece->bytes, piece->length);
  if (piece->stamp == 0) return;
  for (int digit = STAMP_DIGITS - 1; digit >= 0; digit--, now /= 10) to[piece->stamp + (size_t)digit] = (char)('0' + now % 10);
}
#endif
