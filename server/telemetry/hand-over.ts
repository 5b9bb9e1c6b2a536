/**
 * Finished requests on their way to the thread that sends to the collector. Each is encoded in its own turn; a message takes many.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { NewLog } from '#store/ledger/ledger'
import type { Vendors } from './conventions.ts'
import { createLot, type TakenLot } from './lot.ts'
import type { TracedRequest } from './traced-requests.ts'

/** A message to the thread. */
export interface FinishedMessage extends TakenLot {
  /** Requests not settled yet. */
  open: number
  /** Spans that were lost on the way here, since the start. */
  lost: number
}

/** The thread's reply. */
export interface CollectorState {
  /** Spans that did not reach the collector, since the start of the thread. */
  dropped: number
  /** Why the collector took nothing, if it has not been reported yet. */
  failure?: { name?: string | undefined; code?: unknown } | undefined
}

/** The loggable part of an error: its text could repeat what was sent. */
export function nameOf(error: unknown): NonNullable<CollectorState['failure']> {
  const { name, code } = (error ?? {}) as { name?: string; code?: unknown }
  return { name, code }
}

/** Requests in a lot; milliseconds until a lot is sent; longest interval of messages, in milliseconds; most requests in flight. */
export interface HandOverLimits {
  lot: number
  delayMs: number
  beatMs: number
  underway: number
}

/** Dependencies. */
export interface HandOverParts {
  limits: HandOverLimits
  clock: Pick<Clock, 'after'>
  openRequests(): number
  /** The current vendors of channels. */
  vendors(): Vendors
  /** Whether to send spans, of sampled requests, and metrics, of all. */
  traces: boolean
  metrics: boolean
  /** Rejects where the thread is gone. The buffers are transferred. */
  send(message: FinishedMessage): Promise<CollectorState>
  /** Called with every reply. */
  reported(state: CollectorState): void
  /** Called with the reason when a lot was lost. */
  failed(error: unknown): void
}

/** Requests in flight to the thread. */
export interface HandOver {
  /** Encodes a finished request, or drops it where too many are in flight. */
  add(row: NewLog, request: TracedRequest): void
  /** Sends what is pending and resolves when the thread has replied. Nothing may be added afterwards. */
  close(): Promise<void>
  /** Spans that were lost on the way, since the start. */
  lost(): number
}

/** The first message is sent after a beat, or soon after the first request. */
export function handOver({ limits, clock, openRequests, vendors, traces, metrics, send, reported, failed }: HandOverParts): HandOver {
  const lot = createLot(limits.lot, vendors)
  let underway = 0
  let lost = 0
  let timer: Timer | undefined
  const answers = new Set<Promise<void>>()
  let beat = clock.after(limits.beatMs, onBeat)

  function onBeat(): void {
    beat = clock.after(limits.beatMs, onBeat)
    if (timer === undefined) sendLot()
    lot.refresh()
  }

  function sendLot(): void {
    timer?.cancel()
    timer = undefined
    const requests = lot.size()
    const taken = lot.take()
    underway += requests
    const answered = send({ ...taken, open: openRequests(), lost })
      .then(reported, (error: unknown) => {
        lost += taken.spans
        // A new thread knows none of the shapes.
        lot.forget()
        failed(error)
      })
      .finally(() => {
        underway -= requests
        answers.delete(answered)
      })
    answers.add(answered)
  }

  return {
    lost: () => lost,
    add(row, request) {
      const traced = traces && request.sampled
      if (!traced && !metrics) return
      if (lot.size() + underway >= limits.underway) {
        // A request is one span, plus one for each attempt.
        if (traced) lost += 1 + request.attempts.length
        return
      }
      lot.add(row, request, traced)
      if (lot.isFull()) sendLot()
      else timer ??= clock.after(limits.delayMs, sendLot)
    },
    async close() {
      beat.cancel()
      sendLot()
      await Promise.all(answers)
    },
  }
}
