/** The network of the simulator: every attempt follows a script that the dice chose, and is watched. */
import { GatewayError } from '#shared/errors'
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '#upstream/upstream'
import type { Seeded } from '../seeded.ts'
import { framesOf, refusalText, type Spoken, wholeText, wordsOf } from './answer-text.ts'
import type { Attempt } from './attempt.ts'
import type { Journal } from './journal.ts'
import { type Answer, drawScript, oneIn, type Script } from './script.ts'
import type { StepClock } from './step-clock.ts'

export interface NetworkParts {
  clock: StepClock
  dice: Seeded
  journal: Journal
  /** How often things go wrong, in 1/10. */
  mood: number
  /** Told before the attempt does anything. */
  opened(attempt: Attempt): void
}

export interface Network extends Upstream {
  readonly attempts: readonly Attempt[]
}

/** What a request asks for, and of whom; its text carries the number of the client's request. */
function read(request: UpstreamRequest): Pick<Attempt, 'request' | 'place' | 'spoken' | 'stream'> {
  const body = typeof request.body === 'string' ? request.body : ''
  const { authorization = '', 'x-api-key': key = '' } = request.headers
  return {
    request: Number(/ask-(\d+)/.exec(body)?.[1] ?? -1),
    place: authorization.replace(/^bearer /i, '') || key,
    spoken: request.url.includes('/messages') ? 'messages' : 'chat',
    stream: /"stream"\s*:\s*true/.test(body),
  }
}

const broke = () => new GatewayError('upstream_error', 'The upstream broke off.')

/** The bytes of an answer, and from which of them on it had said its word and its reason to stop. */
function bytesOf(spoken: Spoken, stream: boolean, answer: Answer, words: readonly string[]) {
  const text = stream ? framesOf(spoken, answer, words).join('') : wholeText(spoken, answer, words)
  const reason = text.search(/"(finish_reason|stop_reason)":"/)
  const usage = Math.max(text.lastIndexOf('"completion_tokens"'), text.lastIndexOf('"output_tokens"'))
  const word = words[0] === undefined ? -1 : text.indexOf(words[0])
  const end = (from: number) => (from < 0 ? Number.POSITIVE_INFINITY : stream ? text.indexOf('\n', from) : text.length)
  const all = new TextEncoder().encode(text)
  const { cut } = answer
  return {
    bytes: cut ? all.subarray(0, Math.floor((all.length * cut.at) / 1000)) : all,
    word: end(word),
    finish: end(reason),
    usage: end(usage),
  }
}

export function createNetwork({ clock, dice, journal, mood, opened }: NetworkParts): Network {
  const attempts: Attempt[] = []
  const pause = () => dice.pick([0, 0, 0, 0, 250, 1000, 5000, 20_000])
  const gap = () => dice.pick([0, 0, 0, 0, 0, 250, 1000, 16_000, 40_000])

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
        const ms = gap()
        if (ms > 0 || oneIn(dice, 8)) await clock.sleep(ms, stopped.signal)
        const piece = pieces.shift()
        if (piece) {
          given += piece.length
          attempt.gaveWord ||= given >= marks.word
          attempt.gaveFinish ||= given >= marks.finish
          attempt.gaveUsage ||= given >= marks.usage
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
    const none = { word: never, finish: never, usage: never, ending: 'eof' as const }
    const page = [new TextEncoder().encode('<html>no</html>')]
    if (script.kind === 'html') return answerOf(attempt, 200, new Headers({ 'content-type': 'text/html' }), page, none, signal)
    if (script.kind === 'status') {
      const headers = new Headers({ 'content-type': script.html ? 'text/html' : 'application/json' })
      if (script.retryAfter !== undefined) headers.set('retry-after', String(script.retryAfter))
      const body = script.html ? page : [new TextEncoder().encode(refusalText(attempt.spoken, script.status))]
      return answerOf(attempt, script.status, headers, body, none, signal)
    }
    const { bytes, ...marks } = bytesOf(attempt.spoken, attempt.stream, script, attempt.words)
    const headers = new Headers({ 'content-type': attempt.stream ? 'text/event-stream' : 'application/json' })
    const pieces = dice.cut(bytes, script.mean).filter((piece) => piece.length > 0)
    return answerOf(attempt, 200, headers, pieces, { ...marks, ending: script.cut?.ending ?? 'eof' }, signal)
  }

  return {
    attempts,
    async open(request, signal, connected) {
      const script = drawScript(dice, mood)
      const number = attempts.length
      const words = wordsOf(number, script.kind === 'answer' ? script.words : 0)
      const attempt: Attempt = {
        number,
        ...read(request),
        script,
        words,
        state: 'open',
        answered: false,
        gaveWord: false,
        gaveFinish: false,
        gaveUsage: false,
      }
      attempts.push(attempt)
      journal.note(`attempt ${number} of request ${attempt.request} on ${attempt.place}: ${JSON.stringify(script)}`)
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
  ending: 'eof' | 'break' | 'hang'
}
