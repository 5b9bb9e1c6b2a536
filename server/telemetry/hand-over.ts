/**
 * Finished requests on their way to the thread that tells the collector. On the turn of a request only its row is remembered; what it says
 * is read and written down later, a lot at a time, so that no stream waits for more than one lot.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { NewLog } from '#store/ledger/ledger'
import type { Vendors } from './conventions.ts'
import type { TracedRequest } from './traced-requests.ts'

/** A message to the thread, in text, which crosses for less than objects. */
export interface FinishedMessage {
  /** Spans as OTLP/JSON, separated by commas, and how many there are. */
  spans: { text: string; count: number }
  /** `Measurement`s as JSON. */
  measurements: string
  /** Requests that are not settled. */
  open: number
  /** Spans that were lost on the way here, since the start. */
  lost: number
}

/** What the thread answers. */
export interface CollectorState {
  /** Spans that did not reach the collector, since the start of the thread. */
  dropped: number
  /** Why the collector took nothing, where this is news. */
  failure?: { name?: string | undefined; code?: unknown } | undefined
}

/** What a log may say of an error: its text could repeat what was sent. */
export function nameOf(error: unknown): NonNullable<CollectorState['failure']> {
  const { name, code } = (error ?? {}) as { name?: string; code?: unknown }
  return { name, code }
}

/** Requests in a lot; milliseconds until a lot goes; milliseconds between two messages at most; requests that may be on their way. */
export interface HandOverLimits {
  lot: number
  delayMs: number
  beatMs: number
  underway: number
}

/** What is needed to hand over. */
export interface HandOverParts {
  limits: HandOverLimits
  clock: Pick<Clock, 'after'>
  openRequests(): number
  /** The vendors of channels as of now; asked once for each lot. */
  vendors(): Vendors
  /** The spans of a request that is sampled, as text: one, and one for each attempt. Undefined where nobody wants any. */
  spans: ((row: NewLog, request: TracedRequest, vendors: Vendors) => string) | undefined
  /** What metrics are told of a request. Undefined where there are none. */
  measurement: ((row: NewLog, vendors: Vendors) => object) | undefined
  /** Rejects where the thread is gone. */
  send(message: FinishedMessage): Promise<CollectorState>
  /** Is told every answer. */
  told(state: CollectorState): void
  /** Is told why a lot was lost. */
  failed(error: unknown): void
}

/** Requests on their way. */
export interface HandOver {
  /** Remembers a finished request, or drops it where too many are on their way. */
  add(row: NewLog, request: TracedRequest): void
  /** Hands over what waits and resolves when the thread has answered. Nothing may be added afterwards. */
  close(): Promise<void>
  /** Spans that were lost on the way, since the start. */
  lost(): number
}

interface Ended {
  row: NewLog
  request: TracedRequest
}

/** The first message goes after a beat, or soon after the first request. */
export function handOver({ limits, clock, openRequests, vendors, spans, measurement, send, told, failed }: HandOverParts): HandOver {
  let waiting: Ended[] = []
  let underway = 0
  let lost = 0
  let timer: Timer | undefined
  const answers = new Set<Promise<void>>()
  let beat = clock.after(limits.beatMs, onBeat)

  function onBeat(): void {
    beat = clock.after(limits.beatMs, onBeat)
    if (timer === undefined) sendLot()
  }

  /** Another lot waits for a turn of its own. */
  function onTimer(): void {
    timer = undefined
    sendLot()
    if (waiting.length > 0) timer = clock.after(0, onTimer)
  }

  function sendLot(): void {
    const lot = waiting.slice(0, limits.lot)
    waiting = waiting.slice(limits.lot)
    underway += lot.length
    const known = vendors()
    const texts = lot.flatMap(({ row, request }) => (spans && request.sampled ? [spans(row, request, known)] : []))
    const message = {
      spans: { text: texts.join(','), count: spansOf(lot) },
      measurements: measurement ? JSON.stringify(lot.map(({ row }) => measurement(row, known))) : '[]',
      ...{ open: openRequests(), lost },
    }
    const answered = send(message)
      .then(told, (error: unknown) => {
        lose(lot)
        failed(error)
      })
      .finally(() => {
        underway -= lot.length
        answers.delete(answered)
      })
    answers.add(answered)
  }

  function lose(lot: readonly Ended[]): void {
    lost += spansOf(lot)
  }

  /** A request is a span, and each attempt another one. */
  const spansOf = (lot: readonly Ended[]) =>
    lot.reduce((sum, { request }) => sum + (spans && request.sampled ? 1 + request.attempts.length : 0), 0)

  return {
    lost: () => lost,
    add(row, request) {
      if (waiting.length + underway >= limits.underway) return lose([{ row, request }])
      waiting.push({ row, request })
      timer ??= clock.after(limits.delayMs, onTimer)
    },
    async close() {
      timer?.cancel()
      beat.cancel()
      do sendLot()
      while (waiting.length > 0)
      await Promise.all(answers)
    },
  }
}
