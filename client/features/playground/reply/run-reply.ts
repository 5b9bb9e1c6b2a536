/**
 * Runs one reply from the request to its end. Whatever happens, the result is a reply in a final state with what had arrived;
 * nothing is thrown. A stream without its end marker counts as a failure.
 */
import { openChat } from '#client/api/chat.ts'
import { ApiError, errorFrom } from '#client/api/http.ts'
import type { Failure, Reply } from '#client/features/playground/conversation/conversation.ts'
import type { Frame } from '#shared/sse'
import { type AccumulatedReply, accumulate, emptyAccumulation } from './accumulate.ts'

/** Follows a request as it happens, for the inspector. */
export interface RequestObserver {
  sent(body: string): void
  answered(status: number, headers: [string, string][]): void
  frame(frame: Frame, parsed: unknown): void
  body(body: unknown): void
  ended(how: string): void
}

/** What running a reply needs. */
export interface ReplyRun {
  body: string
  signal: AbortSignal
  observer: RequestObserver
  /** Monotonic milliseconds. */
  now(): number
  /** Called with the current reply after every change; must be cheap. */
  onChange(reply: Reply): void
}

/**
 * Sends the request and resolves with the reply in its final state; never rejects. Cost and usage are not known yet: they
 * come from the log.
 */
export async function runReply(start: Reply, run: ReplyRun): Promise<Reply> {
  const gathered = emptyAccumulation()
  const began = run.now()
  let reply = start
  let reasonedFrom: number | null = null

  const take = (frameAnswered: boolean) => {
    const at = run.now()
    const reasoned = gathered.reasoning !== '' && gathered.text === '' && gathered.calls.length === 0
    if (reasoned && reasonedFrom === null) reasonedFrom = at
    reply = {
      ...reply,
      ...contentOf(gathered),
      firstTokenMs: reply.firstTokenMs ?? (frameAnswered ? at - began : null),
      reasoningMs: reasonedFrom === null ? null : reasoned ? at - reasonedFrom : (reply.reasoningMs ?? at - reasonedFrom),
    }
    run.onChange(reply)
  }

  try {
    run.observer.sent(run.body)
    const answer = await openChat(run.body, run.signal)
    run.observer.answered(answer.status, answer.headers)
    reply = { ...reply, requestId: answer.requestId, losses: answer.losses }
    run.onChange(reply)
    if (answer.frames) await readStream(answer.frames, gathered, run.observer, take)
    else {
      const body = await answer.body()
      run.observer.body(body)
      take(accumulate(gathered, body))
    }
    reply = { ...reply, state: 'complete' }
    run.observer.ended('complete')
  } catch (thrown) {
    reply = endedBy(thrown, reply, run.signal)
    run.observer.ended(reply.failure?.code ?? reply.state)
  }
  reply = { ...reply, totalMs: run.now() - began }
  run.onChange(reply)
  return reply
}

async function readStream(
  frames: AsyncGenerator<Frame[]>,
  gathered: AccumulatedReply,
  witness: RequestObserver,
  take: (answered: boolean) => void,
): Promise<void> {
  let ended = false
  for await (const batch of frames) {
    let answered = false
    for (const frame of batch) {
      const parsed = parse(frame.data)
      witness.frame(frame, parsed)
      if (frame.data === '[DONE]') ended = true
      else if (isError(parsed)) throw errorFrom(parsed, { status: 0 })
      else if (accumulate(gathered, parsed)) answered = true
    }
    take(answered)
  }
  if (!ended) throw new ApiError('The stream ended without its end marker.', { status: 0, code: 'stream_cut' })
}

const isError = (parsed: unknown): boolean => typeof parsed === 'object' && parsed !== null && 'error' in parsed && parsed.error !== null

function parse(data: string | undefined): unknown {
  if (data === undefined || data === '[DONE]') return undefined
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

const contentOf = (gathered: AccumulatedReply) => ({
  text: gathered.text,
  reasoning: gathered.reasoning,
  refusal: gathered.refusal,
  calls: gathered.calls.map((call) => ({ ...call })),
  finish: gathered.finish,
  answeredBy: gathered.answeredBy,
})

function endedBy(thrown: unknown, reply: Reply, signal: AbortSignal): Reply {
  if (signal.aborted) return { ...reply, state: 'stopped' }
  return {
    ...reply,
    state: 'failed',
    failure: failureOf(thrown),
    requestId: (thrown instanceof ApiError ? thrown.requestId : undefined) ?? reply.requestId,
  }
}

/** Anything thrown, in the form stored with the reply. */
export function failureOf(thrown: unknown): Failure {
  const at = Date.now()
  if (!(thrown instanceof ApiError)) return { status: 0, code: 'client_error', type: '', message: '', at }
  const { status, code, type, message, param, retryAfter } = thrown
  return { status, code, type, message, param, retryAfter, at }
}
