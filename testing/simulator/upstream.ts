/** The network of the simulator: every attempt follows a script that the dice chose, and is watched. */
import { GatewayError } from '#shared/errors'
import type { Seeded } from '#testing/seeded'
import type { StepClock } from '#testing/step-clock'
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import { embeds, framesOf, paints, placesIn, refusalText, type Spoken, wholeText, wordsOf } from './answer-text.ts'
import type { Attempt } from './attempt.ts'
import type { Journal } from './journal.ts'
import { type Answer, drawScript, oneIn, type Script } from './script.ts'
import { small } from './world.ts'

export interface NetworkParts {
  clock: StepClock
  random: Seeded
  journal: Journal
  /** How often things go wrong, in 1/10. */
  mood: number
  /** Told before the attempt does anything. */
  opened(attempt: Attempt): void
}

export interface Network extends Upstream {
  readonly attempts: readonly Attempt[]
}

type Asked = Pick<Attempt, 'request' | 'place' | 'spoken' | 'stream' | 'model' | 'inputs' | 'sketches' | 'roomy'>

const addresses: readonly [part: string, spoken: Spoken][] = [
  ['/embeddings', 'embeddings'],
  [':batchEmbedContents', 'embedContent'],
  ['/images/generations', 'images'],
  ['/messages', 'messages'],
  ['/responses', 'responses'],
  ['enerateContent', 'gemini'],
  ['/chat/completions', 'chat'],
]

/** What a request asks for, and of whom; its text carries the number of the client's request. */
function read(request: UpstreamRequest): Asked {
  const body = typeof request.body === 'string' ? request.body : ''
  const { authorization = '', 'x-api-key': key = '', 'x-goog-api-key': googleKey = '' } = request.headers
  const door = addresses.find(([part]) => request.url.includes(part))?.[1] ?? 'chat'
  const spoken = door === 'gemini' && body.includes('"IMAGE"') ? 'drawing' : door
  const name = /\/models\/([^:]+):/.exec(request.url)?.[1] ?? /"model"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? ''
  const limit = /"max_?(?:completion_|output_)?tokens"\s*:\s*(\d+)/i.exec(body)?.[1] ?? /"maxOutputTokens"\s*:\s*(\d+)/.exec(body)?.[1]
  return {
    request: Number(/ask-(\d+)/.exec(body)?.[1] ?? -1),
    place: authorization.replace(/^bearer /i, '') || key || googleKey,
    spoken,
    stream: /"stream"\s*:\s*true/.test(body) || request.url.includes(':streamGenerateContent'),
    model: name.at(-1) ?? '',
    inputs: Number(/"n"\s*:\s*(\d+)/.exec(body)?.[1] ?? body.split('ask-').length - 1),
    sketches: Number(/"partial_images"\s*:\s*(\d+)/.exec(body)?.[1] ?? 0),
    roomy: !paints(spoken) && !name.startsWith(small) && Number(limit ?? roomyTokens) >= roomyTokens,
  }
}

/** More than the longest answer has. */
const roomyTokens = 16_000

/** Each text has its embedding, or one of them has not; each picture is there, or one is missing from a whole answer. */
function wordsFor(number: number, { spoken, stream, inputs }: Asked, { words, long, short }: Answer): string[] {
  if (spoken === 'drawing') return wordsOf(number, 1, false)
  if (spoken === 'images') return wordsOf(number, inputs - (short && !stream ? 1 : 0), false)
  return embeds(spoken) ? wordsOf(number, Math.max(1, inputs - (short ? 1 : 0)), false) : wordsOf(number, words, long)
}

const broke = () => new GatewayError('upstream_error', 'The upstream broke off.')

/** The bytes of an answer, and from which of them on it had said its word and its reason to stop. */
function bytesOf(spoken: Spoken, stream: boolean, answer: Answer, words: readonly string[]) {
  const text = stream ? framesOf(spoken, answer, words).join('') : wholeText(spoken, answer, words)
  const { finish, usage } = placesIn(spoken, text)
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

export function createNetwork({ clock, random, journal, mood, opened }: NetworkParts): Network {
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
    signal: AbortSignal,
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

  function answer(attempt: Attempt, script: Exclude<Script, { kind: 'refused' | 'silent' }>, signal: AbortSignal): UpstreamAnswer {
    const never = Number.POSITIVE_INFINITY
    const none = { word: never, finish: never, usage: never, long: false, ending: 'eof' as const }
    const page = [new TextEncoder().encode('<html>no</html>')]
    if (script.kind === 'html') return answerOf(attempt, 200, new Headers({ 'content-type': 'text/html' }), page, none, signal)
    if (script.kind === 'status') {
      const headers = new Headers({ 'content-type': script.html ? 'text/html' : 'application/json' })
      if (script.retryAfter !== undefined) headers.set('retry-after', String(script.retryAfter))
      const body = script.html ? page : [new TextEncoder().encode(refusalText(attempt.spoken, script.status, script.why))]
      return answerOf(attempt, script.status, headers, body, none, signal)
    }
    const { bytes, ...marks } = bytesOf(attempt.spoken, attempt.stream, script, attempt.words)
    const headers = new Headers({ 'content-type': attempt.stream ? 'text/event-stream' : 'application/json' })
    const pieces = random.cut(bytes, script.mean).filter((piece) => piece.length > 0)
    return answerOf(attempt, 200, headers, pieces, { ...marks, long: script.long, ending: script.cut?.ending ?? 'eof' }, signal)
  }

  return {
    attempts,
    async open(request, signal, connected) {
      const asked = read(request)
      // Some upstreams of pictures answer whole, whatever is asked.
      if (asked.spoken === 'images' && oneIn(random, 4)) asked.stream = false
      const script = drawScript(random, mood, asked)
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
      journal.note(
        `attempt ${number} of request ${attempt.request}, ${attempt.spoken} of ${attempt.model} on ${attempt.place}: ${JSON.stringify(script)}`,
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
  /** Bytes after which the first word, the reason to stop and the figures were given. */
  word: number
  finish: number
  usage: number
  long: boolean
  ending: 'eof' | 'break' | 'hang'
}
