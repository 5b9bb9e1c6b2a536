/** The simulated HTTP upstreams: each attempt follows a randomly drawn script and is recorded. */
import type { AbortSignalLike } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import { framesOf, makesEmbeddings, makesImages, placesIn, refusalText, type WireName, wholeText, wordsOf } from './answer-text.ts'
import type { Attempt } from './attempt.ts'
import { small } from './installation.ts'
import type { RunLog } from './run-log.ts'
import { type Answer, drawScript, oneIn, type Script } from './script.ts'

/** What the upstreams need from the simulation. */
export interface NetworkParts {
  clock: StepClock
  random: Seeded
  log: RunLog
  /** The probability of a fault, in tenths. */
  faultRate: number
  /** Called before the attempt does anything. */
  opened(attempt: Attempt): void
}

/** Answers requests and keeps every attempt for the checks. */
export interface Network extends Upstream {
  readonly attempts: readonly Attempt[]
}

type Asked = Pick<Attempt, 'request' | 'place' | 'wire' | 'stream' | 'model' | 'inputs' | 'partialImages' | 'unlimited'>

const addresses: readonly [part: string, wire: WireName][] = [
  ['/embeddings', 'embeddings'],
  [':batchEmbedContents', 'embedContent'],
  ['/images/generations', 'images'],
  ['/messages', 'messages'],
  ['/responses', 'responses'],
  ['enerateContent', 'gemini'],
  ['/chat/completions', 'chat'],
]

/** Reads what a request asks for; its text carries the number of the client's request. */
function read(request: UpstreamRequest): Asked {
  const body = typeof request.body === 'string' ? request.body : ''
  const { authorization = '', 'x-api-key': key = '', 'x-goog-api-key': googleKey = '' } = request.headers
  const format = addresses.find(([part]) => request.url.includes(part))?.[1] ?? 'chat'
  const wire = format === 'gemini' && body.includes('"IMAGE"') ? 'geminiImages' : format
  const name = /\/models\/([^:]+):/.exec(request.url)?.[1] ?? /"model"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? ''
  const limit = /"max_?(?:completion_|output_)?tokens"\s*:\s*(\d+)/i.exec(body)?.[1] ?? /"maxOutputTokens"\s*:\s*(\d+)/.exec(body)?.[1]
  return {
    request: Number(/ask-(\d+)/.exec(body)?.[1] ?? -1),
    place: authorization.replace(/^bearer /i, '') || key || googleKey,
    wire,
    stream: /"stream"\s*:\s*true/.test(body) || request.url.includes(':streamGenerateContent'),
    model: name.at(-1) ?? '',
    inputs: Number(/"n"\s*:\s*(\d+)/.exec(body)?.[1] ?? body.split('ask-').length - 1),
    partialImages: Number(/"partial_images"\s*:\s*(\d+)/.exec(body)?.[1] ?? 0),
    unlimited: !makesImages(wire) && !name.startsWith(small) && Number(limit ?? unlimitedTokens) >= unlimitedTokens,
  }
}

/** More than the longest answer needs. */
const unlimitedTokens = 16_000

/** One word per embedding or image, one fewer if one is missing; images are only missing from whole answers. */
function wordsFor(number: number, { wire, stream, inputs }: Asked, { words, long, short }: Answer): string[] {
  if (wire === 'geminiImages') return wordsOf(number, 1, false)
  if (wire === 'images') return wordsOf(number, inputs - (short && !stream ? 1 : 0), false)
  return makesEmbeddings(wire) ? wordsOf(number, Math.max(1, inputs - (short ? 1 : 0)), false) : wordsOf(number, words, long)
}

const broke = () => new GatewayError('upstream_error', 'The upstream closed the connection.')

/** The bytes of an answer, and the offsets at which its first word, finish reason and usage are complete. */
function bytesOf(wire: WireName, stream: boolean, answer: Answer, words: readonly string[]) {
  const text = stream ? framesOf(wire, answer, words).join('') : wholeText(wire, answer, words)
  const { finish, usage } = placesIn(wire, text)
  const word = words[0] === undefined ? -1 : text.indexOf(words[0])
  const end = (from: number) => (from < 0 ? Number.POSITIVE_INFINITY : stream ? text.indexOf('\n', from) : text.length)
  const all = new TextEncoder().encode(text)
  const { cut } = answer
  return {
    bytes: cut ? all.subarray(0, Math.floor((all.length * cut.at) / 1000)) : all,
    word: end(word),
    finish: end(finish),
    usage: end(usage),
  }
}

/** Creates the simulated upstreams. */
export function createNetwork({ clock, random, log, faultRate, opened }: NetworkParts): Network {
  const attempts: Attempt[] = []
  const pause = () => random.pick([0, 0, 0, 0, 250, 1000, 5000, 20_000])
  const gap = () => random.pick([0, 0, 0, 0, 0, 250, 1000, 16_000, 40_000])
  /** A long answer has many pieces. */
  const shortGap = () => (oneIn(random, 15) ? gap() : 0)

  function answerOf(
    attempt: Attempt,
    status: number,
    headers: Headers,
    pieces: Uint8Array[],
    marks: Marks,
    signal: AbortSignalLike,
  ): UpstreamAnswer {
    const stopped = new AbortController()
    let given = 0
    const stop = (reason: unknown) => {
      if (attempt.state === 'open') attempt.state = 'stopped'
      stopped.abort(reason)
    }
    if (signal.aborted) stop(signal.reason)
    else signal.addEventListener('abort', () => stop(signal.reason), { once: true })
    const end = () => {
      if (attempt.state === 'open') attempt.state = 'ended'
    }
    return {
      status,
      headers,
      async read() {
        stopped.signal.throwIfAborted()
        const ms = marks.long ? shortGap() : gap()
        if (ms > 0 || oneIn(random, 8)) await clock.sleep(ms, stopped.signal)
        const piece = pieces.shift()
        if (piece) {
          given += piece.length
          attempt.gaveWord ||= given >= marks.word
          attempt.gaveFinish ||= given >= marks.finish
          attempt.gaveUsage ||= given >= marks.usage
          attempt.gaveAll = pieces.length === 0
          return piece
        }
        if (marks.ending === 'hang') await clock.sleep(7_200_000, stopped.signal)
        end()
        if (marks.ending === 'break') throw broke()
        return undefined
      },
      cancel: () => stop(new GatewayError('client_closed_request', 'The answer was cancelled.')),
    }
  }

  function answer(attempt: Attempt, script: Exclude<Script, { kind: 'refused' | 'silent' }>, signal: AbortSignalLike): UpstreamAnswer {
    const never = Number.POSITIVE_INFINITY
    const none = { word: never, finish: never, usage: never, long: false, ending: 'eof' as const }
    const page = [new TextEncoder().encode('<html>no</html>')]
    if (script.kind === 'html') return answerOf(attempt, 200, new Headers({ 'content-type': 'text/html' }), page, none, signal)
    if (script.kind === 'status') {
      const headers = new Headers({ 'content-type': script.html ? 'text/html' : 'application/json' })
      if (script.retryAfter !== undefined) headers.set('retry-after', String(script.retryAfter))
      const body = script.html ? page : [new TextEncoder().encode(refusalText(attempt.wire, script.status, script.why))]
      return answerOf(attempt, script.status, headers, body, none, signal)
    }
    const { bytes, ...marks } = bytesOf(attempt.wire, attempt.stream, script, attempt.words)
    const headers = new Headers({ 'content-type': attempt.stream ? 'text/event-stream' : 'application/json' })
    const pieces = random.cut(bytes, script.mean).filter((piece) => piece.length > 0)
    return answerOf(attempt, 200, headers, pieces, { ...marks, long: script.long, ending: script.cut?.ending ?? 'eof' }, signal)
  }

  return {
    attempts,
    async open(request, signal, connected) {
      const asked = read(request)
      // Some image upstreams never stream.
      if (asked.wire === 'images' && oneIn(random, 4)) asked.stream = false
      const script = drawScript(random, faultRate, asked)
      const number = attempts.length
      const attempt: Attempt = {
        number,
        ...asked,
        at: clock.monotonic(),
        script,
        words: script.kind === 'answer' ? wordsFor(number, asked, script) : [],
        state: 'open',
        answered: false,
        gaveWord: false,
        gaveFinish: false,
        gaveUsage: false,
        gaveAll: false,
      }
      attempts.push(attempt)
      log.note(
        `attempt ${number} of request ${attempt.request}, ${attempt.wire} of ${attempt.model} on ${attempt.place}: ${JSON.stringify(script)}`,
      )
      opened(attempt)
      connected?.()
      try {
        const ms = script.kind === 'silent' ? 7_200_000 : pause()
        if (ms > 0) await clock.sleep(ms, signal)
        if (signal.aborted) throw signal.reason
      } catch (thrown) {
        attempt.state = 'stopped'
        throw thrown
      }
      if (script.kind === 'refused' || script.kind === 'silent') {
        attempt.state = 'ended'
        throw broke()
      }
      attempt.answered = true
      return answer(attempt, script, signal)
    },
  }
}

interface Marks {
  /** Offsets at which the first word, the finish reason and the usage are complete. */
  word: number
  finish: number
  usage: number
  long: boolean
  ending: 'eof' | 'break' | 'hang'
}
