/**
 * Steps 6 to 8 for a stream. The head is held until the first meaningful event, or until the client has waited one heartbeat;
 * from the first content on nothing is retried and errors go in-band. The terminator leaves only after the books are closed.
 */
import type { AnswerEdits } from '#canonical/codec'
import type { Candidate } from '#routing/order'
import type { Source } from '#runtime/body'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import { phaseLimits } from '#upstream/timeouts'
import type { Call, Reply } from './ask.ts'
import { clientClosed, type Received, sendAny } from './attempt.ts'
import { type Batch, type Opening, open, retire } from './opening.ts'
import { upstreamRequest } from './request.ts'
import { closeAttempt, settle } from './settle.ts'

function answerEdits(call: Call, candidate: Candidate): AnswerEdits {
  return {
    ...(candidate.model.upstream === call.head.model ? {} : { model: call.head.model }),
    ...(call.head.usageAsked ? {} : { hideUsage: true }),
  }
}

function send(call: Call, signal: AbortSignal): Promise<Received<Opening>> {
  const { parts, ask, codec, raw, head, candidates, attempts } = call
  return sendAny<Opening>({
    parts,
    codec,
    candidates,
    attempts,
    signal,
    limits: (candidate) => phaseLimits(candidate.channel.timeouts),
    request: (candidate) => upstreamRequest(ask, codec, raw, head, candidate, parts.version),
    receive: (answer, candidate, timer) => open(codec, answer, timer, answerEdits(call, candidate), parts.clock),
  })
}

/** True when `work` ended, well or badly, within `ms`. */
async function endsWithin(work: Promise<unknown>, ms: number, call: Call): Promise<boolean> {
  const waited = new AbortController()
  const ended = await Promise.race([
    work.then(
      () => true,
      () => true,
    ),
    call.parts.clock.sleep(ms, waited.signal).then(
      () => false,
      () => true,
    ),
  ])
  waited.abort()
  return ended
}

/** Rejects with GatewayError, already settled, when every attempt failed before the head was committed. */
export async function streamed(call: Call): Promise<Reply> {
  const left = new AbortController()
  const leave = () => left.abort(clientClosed())
  if (call.ask.signal.aborted) leave()
  else call.ask.signal.addEventListener('abort', leave, { once: true })

  const sending = send(call, left.signal)
  const answered = await endsWithin(sending, call.parts.heartbeatMs, call)
  if (answered) {
    try {
      await sending
    } catch (thrown) {
      const error = asGatewayError(thrown)
      await settle(call, {
        end: left.signal.aborted ? 'aborted' : 'error',
        status: error.status,
        error,
        usage: undefined,
        served: undefined,
        firstTokenMs: undefined,
      })
      throw error
    }
  }
  const greeting = answered ? undefined : call.codec.keepalive
  return {
    status: 200,
    contentType: 'text/event-stream; charset=utf-8',
    body: flow(call, sending, left, greeting),
    heartbeat: call.codec.keepalive,
  }
}

/** The rest of the answer as a source that is pulled by the client. `greeting` goes out at once, to show that we are here. */
function flow(call: Call, sending: Promise<Received<Opening>>, left: AbortController, greeting: Uint8Array | undefined): Source {
  const { parts, codec } = call
  let hello = greeting
  let opened: Received<Opening> | undefined
  let kept: Uint8Array | undefined
  let stage: 'opening' | 'flowing' | 'ending' | 'over' = 'opening'
  const over = () => stage === 'over'

  sending.then(
    (received) => left.signal.aborted && received.value.answer.cancel(),
    () => undefined,
  )

  async function close(end: End, status: number, error: GatewayError | undefined): Promise<void> {
    if (over()) return
    stage = 'over'
    const opening = opened?.value
    opening?.timer.stop()
    if (opening && (end === 'complete' || end === 'length')) retire(opening.answer, parts.clock)
    else opening?.answer.cancel()
    closeAttempt(call, error, opening ? parts.clock.monotonic() - opening.firstAt : 0)
    const firstTokenMs = opening ? opening.firstAt - call.begun.tick : undefined
    await settle(call, { end, status, error, usage: opening?.meter.usage(call.head.inputBytes), served: opened?.candidate, firstTokenMs })
  }

  /** Settles a failure and says it in the client's dialect, behind whatever was already there to say. */
  async function fail(error: GatewayError, before: readonly Uint8Array[], end: End): Promise<Uint8Array> {
    await close(end, 200, error)
    return Buffer.concat([...before, codec.writeStreamError(error)])
  }

  async function finish(opening: Opening): Promise<Uint8Array | undefined> {
    const end = opening.meter.end()
    if (end === 'cut')
      return fail(new GatewayError('upstream_error', 'The upstream ended its answer early. What arrived was charged.'), [], 'cut')
    await close(end, 200, undefined)
    return kept ?? opening.meter.tail()
  }

  /** What of a batch leaves now; undefined when there is nothing yet. */
  async function deliver(opening: Opening, batch: Batch): Promise<Uint8Array | undefined> {
    if (batch.error) return fail(batch.error, batch.out, 'error')
    if (batch.last || batch.closed) {
      kept = batch.terminator
      stage = 'ending'
      if (batch.out.length === 0) return finish(opening)
    }
    if (batch.out.length < 2) return batch.out[0]
    return Buffer.concat(batch.out)
  }

  async function advance(): Promise<Uint8Array | undefined> {
    if (!opened) {
      opened = await sending
      stage = 'flowing'
      const first = await deliver(opened.value, opened.value.first)
      if (first) return first
    }
    const { value: opening } = opened
    if (stage === 'ending') return finish(opening)
    opening.timer.touch()
    for (;;) {
      const bytes = await deliver(opening, await opening.pump())
      if (bytes !== undefined || over()) {
        opening.timer.pause()
        return bytes
      }
      opening.timer.touch()
    }
  }

  const source: Source = {
    async next() {
      if (over()) return undefined
      if (hello) {
        const bytes = hello
        hello = undefined
        return bytes
      }
      try {
        return await advance()
      } catch (thrown) {
        if (left.signal.aborted || over()) return undefined
        const reason = opened?.value.timer.signal.reason
        return fail(reason instanceof GatewayError ? reason : asGatewayError(thrown), [], opened ? 'cut' : 'error')
      }
    },
    close() {
      if (over()) return
      left.abort(clientClosed())
      void close('aborted', 499, clientClosed())
    },
  }
  if (left.signal.aborted) source.close()
  else left.signal.addEventListener('abort', () => source.close(), { once: true })
  return source
}
