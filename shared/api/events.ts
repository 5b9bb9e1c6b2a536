/** How each dialect and endpoint streams: what a client sends and receives. A test checks real streams against this table. */
import type { Dialect } from '../ids.ts'

/** A kind of event. */
export interface StreamedEvent {
  /** `event:`, or the `type` or `object` of the data, whichever distinguishes the events of the dialect. */
  name: string
  means: string
}

/** How one dialect or endpoint streams. */
export interface Streaming {
  title: string
  /** How a stream is requested. */
  asked: string
  /** How events are framed. */
  framing: string
  events: readonly StreamedEvent[]
  /** How a complete stream ends, and how a failed one does. A stream with neither was cut off. */
  end: string
  failure: string
  /** What is sent while the model is silent. */
  waiting: string
}

const comment = 'A comment line `: keep-alive` every 15 seconds.'

/** Streaming of every dialect and endpoint. Printed in the API reference. */
export const streaming: Readonly<Record<Dialect | 'images' | 'transcriptions' | 'speech' | 'realtime', Streaming>> = {
  chat: {
    title: 'Chat Completions',
    asked: '`stream: true`',
    framing: 'Lines `data: {...}`',
    events: [
      {
        name: 'chat.completion.chunk',
        means:
          'A piece of the answer in `choices[].delta`; the last one of a choice has `finish_reason`. With `stream_options.include_usage` one more has `usage` and no choices.',
      },
    ],
    end: '`data: [DONE]`',
    failure: '`data: {"error": {...}}`, then `data: [DONE]`',
    waiting: comment,
  },
  completions: {
    title: 'Completions',
    asked: '`stream: true`',
    framing: 'Lines `data: {...}`',
    events: [{ name: 'text_completion', means: 'A piece of the text in `choices[].text`; the last one of a choice has `finish_reason`.' }],
    end: '`data: [DONE]`',
    failure: '`data: {"error": {...}}`, then `data: [DONE]`',
    waiting: comment,
  },
  responses: {
    title: 'Responses',
    asked: '`stream: true`',
    framing: 'Pairs of lines `event: NAME` and `data: {...}` with a `sequence_number`',
    events: [
      { name: 'response.created', means: 'The response, without output.' },
      { name: 'response.in_progress', means: 'The response is being generated.' },
      { name: 'response.output_item.added', means: 'A message, a call or reasoning begins.' },
      { name: 'response.content_part.added', means: 'A part of a message begins.' },
      { name: 'response.output_text.delta', means: 'A piece of text.' },
      { name: 'response.output_text.done', means: 'The whole text of the part.' },
      { name: 'response.content_part.done', means: 'The part is complete.' },
      { name: 'response.reasoning_summary_text.delta', means: 'A piece of the reasoning summary; `.done` follows.' },
      { name: 'response.function_call_arguments.delta', means: 'A piece of the arguments of a call; `.done` follows.' },
      { name: 'response.output_item.done', means: 'The item is complete.' },
      { name: 'response.completed', means: 'The whole response, with usage. `response.incomplete` when a limit cut it short.' },
    ],
    end: '`response.completed` or `response.incomplete`',
    failure: '`response.failed`, or `error`',
    waiting: comment,
  },
  messages: {
    title: 'Messages',
    asked: '`stream: true`',
    framing: 'Pairs of lines `event: NAME` and `data: {...}`',
    events: [
      { name: 'message_start', means: 'The message, without content, with the usage so far.' },
      { name: 'content_block_start', means: 'A block of text, thinking or a tool call begins.' },
      {
        name: 'content_block_delta',
        means: 'A piece of the block: `text_delta`, `thinking_delta`, `signature_delta` or `input_json_delta`.',
      },
      { name: 'content_block_stop', means: 'The block is complete.' },
      { name: 'message_delta', means: 'The stop reason and the usage.' },
      { name: 'message_stop', means: 'The end.' },
      { name: 'ping', means: 'A heartbeat without content.' },
    ],
    end: '`message_stop`',
    failure: '`event: error`',
    waiting: '`event: ping` every 15 seconds.',
  },
  gemini: {
    title: 'Gemini',
    asked: 'The action `:streamGenerateContent`, with `?alt=sse` for events',
    framing: 'Lines `data: {...}`; without `alt=sse` one JSON array, sent piece by piece',
    events: [
      {
        name: 'GenerateContentResponse',
        means: 'A piece of the answer in `candidates[].content.parts`. `usageMetadata` is cumulative: the last one is final.',
      },
    ],
    end: 'A candidate with `finishReason`, then the end of the body',
    failure: '`data: {"error": {...}}`; in an array its last element',
    waiting: 'A comment line, or a line break in the array, every 15 seconds.',
  },
  images: {
    title: 'Images',
    asked: '`stream: true`, with `partial_images` for intermediate images',
    framing: 'Pairs of lines `event: NAME` and `data: {...}`',
    events: [
      { name: 'image_generation.partial_image', means: 'An intermediate image in `b64_json`. For edits `image_edit.partial_image`.' },
      { name: 'image_generation.completed', means: 'A finished image; the last one has the usage. For edits `image_edit.completed`.' },
    ],
    end: 'The last finished image, then the end of the body',
    failure: '`event: error`',
    waiting: comment,
  },
  transcriptions: {
    title: 'Transcriptions',
    asked: 'The form field `stream=true`',
    framing: 'Lines `data: {...}`',
    events: [
      { name: 'transcript.text.delta', means: 'A piece of the text.' },
      { name: 'transcript.text.segment', means: 'The text of one speaker, when speakers are distinguished.' },
      { name: 'transcript.text.done', means: 'The whole text, and the usage.' },
    ],
    end: '`transcript.text.done`',
    failure: '`data: {"error": {...}}`, then `data: [DONE]`',
    waiting: comment,
  },
  speech: {
    title: 'Speech',
    asked: '`stream_format: "sse"`; otherwise the audio itself is streamed',
    framing: 'Lines `data: {...}`',
    events: [
      { name: 'speech.audio.delta', means: 'A piece of the audio in base64.' },
      { name: 'speech.audio.done', means: 'The end, with the usage.' },
    ],
    end: '`speech.audio.done`',
    failure: '`data: {"error": {...}}`; without events the audio is cut off',
    waiting: 'Nothing.',
  },
  realtime: {
    title: 'Realtime',
    asked:
      'A WebSocket at `/v1/realtime`; the client sends `session.update`, `conversation.item.create`, `input_audio_buffer.append`, `response.create` and others',
    framing: 'One JSON object per frame, distinguished by `type`. Frames of the upstream are passed on unchanged.',
    events: [
      { name: 'session.created', means: 'The session is open. `session.updated` after a change.' },
      { name: 'conversation.item.added', means: 'A message, a call or audio was added to the conversation.' },
      { name: 'conversation.item.done', means: 'The item is complete.' },
      { name: 'input_audio_buffer.committed', means: 'The audio received so far was committed as input.' },
      { name: 'response.created', means: 'An answer begins.' },
      { name: 'response.output_item.added', means: 'A message or a call of it begins.' },
      { name: 'response.output_item.done', means: 'The item is complete.' },
      { name: 'response.content_part.added', means: 'A part of a message begins.' },
      { name: 'response.content_part.done', means: 'The part is complete.' },
      { name: 'response.output_text.delta', means: 'A piece of text; `.done` follows.' },
      { name: 'response.output_audio.delta', means: 'A piece of audio in base64; `.done` follows.' },
      { name: 'response.output_audio_transcript.delta', means: 'The transcript of the audio; `.done` follows.' },
      { name: 'response.done', means: 'The answer is complete, with the usage that is charged.' },
    ],
    end: 'Either side closes the connection; codes and reasons are passed on',
    failure: '`error`. When the balance is used up, or the key or the user is revoked, the connection is closed with 1008 and the reason',
    waiting: 'WebSocket pings.',
  },
}
