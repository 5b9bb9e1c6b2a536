/** The rows of the fault matrix: what the upstream does to a whole answer and to a stream, and what must come of it. */
import { closing, drip, faults, informed, raw, redirect, respond, respondJson, stream } from '#testing/upstream/scripted-answers'
import {
  begun,
  cutZipped,
  good,
  goodStream,
  goodWhole,
  type Happening,
  half,
  headSilence,
  inLines,
  mixed,
  never,
  oddly,
  parts,
  placed,
  refusing,
} from './plays.ts'
import type { Source } from './sources.ts'
import { answered, cut, keyRefused, limited, silent, unanswered, type Verdict } from './verdict.ts'

/** Whether the answer is streamed. */
export type Mode = 'whole' | 'streamed'

/** One fault. */
export interface Row {
  id: string
  what: string
  whole: Happening
  streamed: Happening
  verdict: Verdict
  /** The verdict for endpoints or modes that differ; a text: why there is no such cell. */
  but?: ((route: string, mode: Mode, source: Source) => Verdict | `- ${string}` | undefined) | undefined
  /** It hangs; the channel's timeout is one second. */
  hangs?: true
}

const resting = (retryAfter: string): Verdict => ({ ...limited, retryAfter })

/** In the middle of a body: a whole answer is never delivered, a stream ends with an error, audio is cut off. */
const inTheMiddle: Row['but'] = (_, mode, { passes }) => {
  if (mode === 'streamed') return undefined
  return passes ? { ...cut, broken: true } : unanswered
}
const halfASound = '- half of a sound is a sound; nothing says that there was more'
/** Dialects whose errors have no code. */
const wordless =
  (status: number): Row['but'] =>
  (route) =>
    route === 'messages' || route === 'gemini' ? { kind: 'refused', status, code: 'invalid_request' } : undefined

/** Endpoints whose answers are converted when they arrive in the other form: e2e/either-form.test.ts. */
const conversations = new Set(['chat', 'messages', 'gemini', 'responses'])

/** Endpoints that emit a whole answer as events if the upstream cannot stream. */
const toldInEvents: Record<string, Verdict | `- ${string}`> = {
  transcription: answered,
  images: '- told in events: e2e/images.test.ts',
  speech: '- told in events: e2e/audio.test.ts',
}

export const rows: Row[] = [
  { id: 'R-UP-0', what: 'nothing is wrong', whole: goodWhole, streamed: goodStream, verdict: answered },
  { id: 'R-UP-1', what: 'connection refused', ...placed('nobody'), verdict: { ...unanswered, asked: 0 } },
  { id: 'R-UP-1b', what: 'a name that nobody has', ...placed('nameless'), verdict: { ...unanswered, asked: 0 } },
  { id: 'R-UP-1c', what: 'a certificate that nobody vouches for', ...placed('stranger'), verdict: { ...unanswered, asked: 0 } },
  { id: 'R-UP-1d', what: 'TLS that is never spoken', ...placed('mute'), verdict: { ...silent, asked: 0 }, hangs: true },
  { id: 'R-UP-2', what: 'reset before headers', ...never(faults.beforeHead.reset), verdict: unanswered },
  { id: 'R-UP-2b', what: 'half a head', ...never(faults.beforeHead.halfHead), verdict: unanswered },
  { id: 'R-UP-3', what: 'silence before headers', ...never(faults.hang), verdict: silent, hangs: true },
  { id: 'R-UP-4', what: 'headers, then silence', whole: headSilence, streamed: () => [faults.hangAfterHead], verdict: silent, hangs: true },
  {
    id: 'R-UP-4b',
    what: 'half an answer, then silence',
    whole: half('hang'),
    streamed: begun(() => [], 'hang'),
    verdict: { ...cut, code: 'upstream_timeout', ailment: 'closed upstream_timeout' },
    but: (_, mode, { passes }) =>
      mode === 'streamed'
        ? undefined
        : passes
          ? { ...cut, code: 'upstream_timeout', ailment: 'closed upstream_timeout', broken: true }
          : silent,
    hangs: true,
  },
  {
    id: 'R-UP-5',
    what: 'body shorter than it says',
    whole: half('close'),
    streamed: begun(() => [], 'close'),
    verdict: cut,
    but: inTheMiddle,
  },
  {
    id: 'R-UP-5b',
    what: 'compressed and cut',
    whole: ({ whole: { type, body } }) => [cutZipped(type, body.slice(0, body.length / 2), 'rest')],
    streamed: (source) => [cutZipped('text/event-stream', parts(source).opening + parts(source).content, 'rest')],
    verdict: cut,
    but: inTheMiddle,
  },
  {
    id: 'R-UP-5c',
    what: 'an end in order, too early',
    whole: ({ whole: { type, body } }) => [respond(200, { 'Content-Type': type }, body.slice(0, body.length / 2))],
    streamed: begun(() => [], 'end'),
    verdict: cut,
    but: (_, mode, { passes }) => (mode === 'streamed' ? undefined : passes ? halfASound : unanswered),
  },
  {
    id: 'R-UP-5d',
    what: 'a body that ends with its connection, too early',
    whole: ({ whole: { type, body } }) => [raw(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n\r\n${body.slice(0, body.length / 2)}`)],
    streamed: (source) => [
      raw(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${parts(source).opening}${parts(source).content}`),
    ],
    verdict: cut,
    but: (_, mode, { passes }) => (mode === 'streamed' ? undefined : passes ? halfASound : unanswered),
  },
  {
    id: 'R-UP-6',
    what: 'byte by byte, CRLF, comments, a BOM',
    whole: ({ whole: { type, body } }) => [
      drip(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, 0),
    ],
    streamed: (source) => {
      const body = oddly(good(source).join(''))
      return [drip(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, 0)]
    },
    verdict: answered,
  },
  {
    id: 'R-UP-6b',
    what: 'a line of 10 MB',
    whole: ({ whole: { type, body } }) => [respond(200, { 'Content-Type': type }, ' '.repeat(10_000_000) + body)],
    streamed: (source) => [stream([parts(source).opening, `data: ${'x'.repeat(10_000_000)}\n\n`, parts(source).rest])],
    verdict: unanswered,
    but: (_, mode, { passes }) => (mode === 'streamed' ? undefined : passes ? '- sound has no lines' : answered),
  },
  { id: 'R-UP-6c', what: 'lines that end in CR', ...inLines((text) => text.replaceAll('\n', '\r')), verdict: answered },
  { id: 'R-UP-6d', what: 'CR, LF and CRLF in one stream', ...inLines(mixed), verdict: answered },
  { id: 'R-UP-6e', what: 'no blank line at the end', ...inLines((text) => text.replace(/\n+$/, '')), verdict: answered },
  {
    id: 'R-UP-7',
    what: 'HTML with 200',
    ...never(respond(200, { 'Content-Type': 'text/html' }, '<html>Sign in</html>')),
    verdict: unanswered,
  },
  {
    id: 'R-UP-7b',
    what: 'garbage',
    ...never(respond(200, { 'Content-Type': 'application/octet-stream' }, Buffer.alloc(2000, 0xf7))),
    verdict: unanswered,
    but: (_endpoint, _mode, { passes }) => (passes ? '- any bytes are sound' : undefined),
  },
  {
    id: 'R-UP-7c',
    what: 'whole where a stream was asked for, and the reverse',
    whole: goodStream,
    streamed: goodWhole,
    verdict: unanswered,
    but: (route, mode) => (conversations.has(route) ? answered : mode === 'streamed' ? toldInEvents[route] : undefined),
  },
  {
    id: 'R-UP-7d',
    what: 'JSON as text/plain',
    whole: ({ whole }) => [respond(200, { 'Content-Type': 'text/plain' }, whole.body)],
    streamed: '- it is no stream: R-UP-7c',
    verdict: answered,
    but: (_, mode, { passes }) => (passes && mode === 'whole' ? unanswered : undefined),
  },
  {
    id: 'R-UP-8',
    what: '102, 103 and 100 before the answer',
    whole: (source) => goodWhole(source).map((script) => informed([102, 103, 100], script)),
    streamed: (source) => goodStream(source).map((script) => informed([102, 103, 100], script)),
    verdict: answered,
  },
  { id: 'R-UP-8b', what: '204', ...never(respond(204)), verdict: unanswered },
  { id: 'R-UP-8c', what: '307, not followed', ...never(redirect('http://127.0.0.1:1/')), verdict: unanswered },
  {
    id: 'R-UP-8d',
    what: '206, which nobody asked for',
    whole: ({ whole: { type, body } }) => [respond(206, { 'Content-Type': type, 'Content-Range': 'bytes 0-9/10' }, body)],
    streamed: (source) => [stream(good(source), { status: 206 })],
    verdict: unanswered,
  },
  { id: 'R-UP-8e', what: '101, which nobody asked for', ...never(faults.beforeHead.unaskedUpgrade), verdict: unanswered },
  { id: 'R-UP-9', what: '400', ...refusing(400), verdict: { kind: 'refused', status: 400, code: 'odd_value' }, but: wordless(400) },
  {
    id: 'R-UP-9b',
    what: '422',
    ...refusing(422),
    verdict: { kind: 'refused', status: 422, code: 'invalid_request_error' },
    but: wordless(422),
  },
  {
    id: 'R-UP-9c',
    what: '413',
    ...refusing(413),
    verdict: { kind: 'refused', status: 413, code: 'invalid_request_error' },
    but: wordless(413),
  },
  { id: 'R-UP-10', what: '401', ...refusing(401), verdict: keyRefused },
  { id: 'R-UP-10b', what: '403', ...refusing(403), verdict: keyRefused },
  {
    id: 'R-UP-11',
    what: '404, of a model',
    ...refusing(404),
    verdict: { ...unanswered, status: 404, code: 'model_not_found', asked: 1, ailment: undefined },
  },
  { id: 'R-UP-12', what: '408', ...refusing(408), verdict: unanswered },
  { id: 'R-UP-12b', what: '409', ...refusing(409), verdict: unanswered },
  { id: 'R-UP-12c', what: '425', ...refusing(425), verdict: unanswered },
  { id: 'R-UP-13', what: '429, Retry-After: 7', ...refusing(429, { 'Retry-After': '7' }), verdict: resting('7') },
  { id: 'R-UP-13b', what: '429, Retry-After: 1000000000', ...refusing(429, { 'Retry-After': '1000000000' }), verdict: resting('60') },
  { id: 'R-UP-13c', what: '429, Retry-After: -5', ...refusing(429, { 'Retry-After': '-5' }), verdict: resting('5') },
  { id: 'R-UP-13d', what: '429, a date', ...refusing(429, { 'Retry-After': 'Wed, 21 Oct 2065 07:28:00 GMT' }), verdict: resting('60') },
  {
    id: 'R-UP-13e',
    what: '429, retry-after-ms: 2500',
    ...refusing(429, { 'Retry-After-Ms': '2500' }),
    verdict: resting('3'),
  },
  { id: 'R-UP-14', what: '500', ...refusing(500), verdict: unanswered },
  { id: 'R-UP-14b', what: '503', ...refusing(503), verdict: unanswered },
  { id: 'R-UP-14c', what: '999', ...refusing(999), verdict: unanswered },
  { id: 'R-UP-14d', what: '502', ...refusing(502), verdict: unanswered },
  {
    id: 'R-UP-14e',
    what: '504',
    ...refusing(504),
    verdict: unanswered,
    // Where the protocol can express it, it is the upstream's own timeout.
    but: (route) => (route === 'messages' ? silent : undefined),
  },
  { id: 'R-UP-14f', what: '524', ...refusing(524), verdict: unanswered },
  { id: 'R-UP-14g', what: '599', ...refusing(599), verdict: unanswered },
  {
    id: 'R-UP-15',
    what: '200 with an error',
    whole: (source) => [respondJson(200, source.refusal(500))],
    streamed: (source) => [stream([parts(source).error])],
    verdict: unanswered,
  },
  {
    id: 'R-UP-15b',
    what: 'an error in the middle of a stream',
    whole: '- R-UP-15',
    streamed: begun((source) => [parts(source).error + parts(source).rest], 'end'),
    verdict: { ...cut, end: 'error' },
  },
  {
    id: 'R-UP-15c',
    what: 'events after the end',
    whole: '- an answer has one end',
    streamed: (source) => [stream([...good(source), parts(source).finish])],
    verdict: answered,
    but: (route) => (route === 'images' ? '- a picture may follow a picture' : undefined),
  },
  {
    id: 'R-UP-16',
    what: 'an idle connection closes as it is used',
    whole: (source) => [faults.beforeHead.close, ...goodWhole(source)],
    streamed: (source) => [faults.beforeHead.close, ...goodStream(source).map(closing)],
    verdict: { ...unanswered, repeatHelps: true },
  },
  {
    id: 'R-UP-17',
    what: 'faster than the client reads',
    whole: '- a whole answer is given at once',
    streamed: '- one at a time, and measured: e2e/streams.test.ts, T11',
    verdict: answered,
  },
]
