/** The rows of the fault matrix: what the upstream does to a whole answer and to a stream, and what must come of it. */
import { constants, gzipSync } from 'node:zlib'
import { closing, drip, faults, informed, redirect, respond, respondJson, stream, wait } from '#testing/scripted-answers'
import type { Script } from '#testing/scripted-upstream'
import type { Source } from './fault-sources.ts'
import { answered, cut, keyRefused, limited, silent, unanswered, type Verdict } from './fault-verdict.ts'

export type Mode = 'whole' | 'streamed'
export type Play = (source: Source) => Script[]

export interface Row {
  id: string
  what: string
  /** What happens, request by request; the last goes on. `nobody`: nobody listens. A text: why this is no cell. */
  whole: Play | 'nobody' | `- ${string}`
  streamed: Play | 'nobody' | `- ${string}`
  verdict: Verdict
  /** Where a door or a mode has another; a text: why this is no cell. */
  but?: ((door: string, mode: Mode, source: Source) => Verdict | `- ${string}` | undefined) | undefined
  /** It hangs: the channel waits one second. */
  hangs?: true
}

/** Milliseconds. What breaks at once may take with it what has not been read yet. */
const breath = 100

const parts = (source: Source) => source.streamed ?? { opening: '', content: '', rest: '', finish: '', error: '' }

/** The stream up to its first content, then this. */
const begun = (then: (source: Source) => string[], ending: 'end' | 'close' | 'reset' | 'hang'): Play => {
  return (source) => [stream([parts(source).opening, parts(source).content, ...then(source)], { everyMs: breath, ending })]
}
const good = (source: Source) => {
  const { opening, content, rest, finish } = parts(source)
  return [opening, content, rest, finish]
}
const goodStream: Play = (source) => [stream(good(source))]
const goodWhole: Play = ({ whole }) => [respond(200, { 'Content-Type': whole.type }, whole.body)]

/** Half of a whole answer that says it is longer. */
const half =
  (ending: 'close' | 'hang'): Play =>
  ({ whole: { type, body } }) => [
    async (exchange) => {
      await exchange.head(200, { 'Content-Type': type, 'Content-Length': String(body.length) })
      await exchange.write(body.slice(0, body.length / 2))
      await wait(breath)
      if (ending === 'close') exchange.close()
    },
  ]

/** Compressed, and cut inside what is not decoded yet. */
function cutZipped(type: string, begin: string, rest: string): Script {
  const begun = gzipSync(begin, { finishFlush: constants.Z_SYNC_FLUSH })
  return async (exchange) => {
    const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip', 'Content-Length': String(begun.length + rest.length) }
    await exchange.head(200, headers)
    await exchange.write(begun)
    await wait(breath)
    exchange.close()
  }
}

/** The same answer as text that only a patient reader understands. */
const oddly = (text: string) =>
  `\uFEFF: hello\r\n\r\nretry: 10\r\n\r\n${text.replaceAll('\n\n', '\nid: 7\n: and so on\n\n').replaceAll('\n', '\r\n')}`

const every = (play: Play): Pick<Row, 'whole' | 'streamed'> => ({ whole: play, streamed: play })
const refusing = (status: number, headers: Record<string, string> = {}) =>
  every((source) => [respondJson(status, status === 429 ? source.limited : source.refusal(status), headers)])
const never = (play: Script) => every(() => [play])
const resting = (retryAfter: string): Verdict => ({ ...limited, retryAfter })

/** In the middle of a body: a whole answer is never given, a stream says so, sound breaks off. */
const inTheMiddle: Row['but'] = (_, mode, { passes }) => {
  if (mode === 'streamed') return undefined
  return passes ? { ...cut, broken: true } : unanswered
}
/** Dialects whose errors have no code of their own. */
const wordless =
  (status: number): Row['but'] =>
  (door) =>
    door === 'messages' || door === 'gemini' ? { kind: 'refused', status, code: 'invalid_request' } : undefined

/** Upstreams that answer whole where they cannot stream: what is whole is told in events. */
const toldInEvents: Record<string, Verdict | `- ${string}`> = {
  transcription: answered,
  images: '- told in events: e2e/images.test.ts',
  speech: '- told in events: e2e/audio.test.ts',
}

const headSilence: Play = ({ whole }) => [stream([], { ending: 'hang', headers: { 'Content-Type': whole.type } })]

export const rows: Row[] = [
  { id: 'R-UP-0', what: 'nothing is wrong', whole: goodWhole, streamed: goodStream, verdict: answered },
  { id: 'R-UP-1', what: 'connection refused', whole: 'nobody', streamed: 'nobody', verdict: { ...unanswered, asked: 0 } },
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
    but: (_, mode, { passes }) =>
      mode === 'streamed' ? undefined : passes ? '- half of a sound is a sound; nothing says that there was more' : unanswered,
  },
  {
    id: 'R-UP-6',
    what: 'byte by byte, CRLF, comments, a BOM',
    whole: ({ whole: { type, body } }) => [
      drip(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 0),
    ],
    streamed: (source) => {
      const body = oddly(good(source).join(''))
      return [drip(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, 0)]
    },
    verdict: answered,
  },
  {
    id: 'R-UP-6b',
    what: 'a line of 5 MB',
    whole: '- a whole answer may be 64 MiB',
    streamed: (source) => [stream([parts(source).opening, `data: ${'x'.repeat(5_000_000)}\n\n`, parts(source).rest])],
    verdict: unanswered,
  },
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
    but: (_door, _mode, { passes }) => (passes ? '- any bytes are sound' : undefined),
  },
  {
    id: 'R-UP-7c',
    what: 'whole where a stream was asked for, and the reverse',
    whole: goodStream,
    streamed: goodWhole,
    verdict: unanswered,
    but: (door, mode) => (mode === 'streamed' ? toldInEvents[door] : undefined),
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
    what: '103 and 100 before the answer',
    whole: (source) => goodWhole(source).map((script) => informed([103, 100], script)),
    streamed: (source) => goodStream(source).map((script) => informed([103, 100], script)),
    verdict: answered,
  },
  { id: 'R-UP-8b', what: '204', ...never(respond(204)), verdict: unanswered },
  { id: 'R-UP-8c', what: '307, not followed', ...never(redirect('http://127.0.0.1:1/')), verdict: unanswered },
  { id: 'R-UP-9', what: '400', ...refusing(400), verdict: { kind: 'refused', status: 400, code: 'odd_value' }, but: wordless(400) },
  {
    id: 'R-UP-9b',
    what: '422',
    ...refusing(422),
    verdict: { kind: 'refused', status: 422, code: 'invalid_request_error' },
    but: wordless(422),
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
  { id: 'R-UP-13', what: '429, Retry-After: 7', ...refusing(429, { 'Retry-After': '7' }), verdict: resting('7') },
  { id: 'R-UP-13b', what: '429, Retry-After: 1000000000', ...refusing(429, { 'Retry-After': '1000000000' }), verdict: resting('60') },
  { id: 'R-UP-13c', what: '429, Retry-After: -5', ...refusing(429, { 'Retry-After': '-5' }), verdict: resting('5') },
  { id: 'R-UP-13d', what: '429, a date', ...refusing(429, { 'Retry-After': 'Wed, 21 Oct 2065 07:28:00 GMT' }), verdict: resting('5') },
  { id: 'R-UP-14', what: '500', ...refusing(500), verdict: unanswered },
  { id: 'R-UP-14b', what: '503', ...refusing(503), verdict: unanswered },
  { id: 'R-UP-14c', what: '999', ...refusing(999), verdict: unanswered },
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
    but: (door) => (door === 'images' ? '- a picture may follow a picture' : undefined),
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
