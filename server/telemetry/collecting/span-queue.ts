/** Spans that wait to be sent: so many and no more, since a collector that is away must cost no memory. What does not fit is counted. */
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Clock, Timer } from '#runtime/clock'

/** Spans in one message, spans that wait, and milliseconds until a message goes out that is not full. */
export interface QueueLimits {
  batch: number
  waiting: number
  delayMs: number
}

/** A queue before an exporter. */
export interface SpanQueue {
  /** Takes a finished span, or drops it. */
  add(span: ReadableSpan): void
  /** Sends what waits, then ends the exporter. */
  shutdown(): Promise<void>
  /** Spans that were lost so far: they found the queue full, or the collector did not take them. */
  dropped(): number
}

/** `failed` is told of each message that was not taken. */
export function spanQueue(
  exporter: SpanExporter,
  limits: QueueLimits,
  clock: Pick<Clock, 'after'>,
  failed: (error: unknown) => void,
): SpanQueue {
  let waiting: ReadableSpan[] = []
  let dropped = 0
  let timer: Timer | undefined
  let sending: Promise<void> | undefined

  function send(): Promise<void> {
    timer?.cancel()
    timer = undefined
    const batch = waiting.slice(0, limits.batch)
    waiting = waiting.slice(limits.batch)
    return new Promise<void>((resolve) => {
      exporter.export(batch, ({ code, error }) => {
        if (code !== 0) {
          dropped += batch.length
          failed(error)
        }
        resolve()
      })
    })
  }

  /** One message at a time; `all`: until nothing waits. */
  async function drain(all: boolean): Promise<void> {
    await sending
    while (waiting.length >= (all ? 1 : limits.batch)) await send()
  }

  function begin(all: boolean): Promise<void> {
    sending ??= drain(all).finally(() => {
      sending = undefined
      if (waiting.length > 0) timer ??= clock.after(limits.delayMs, () => void begin(true))
    })
    return sending
  }

  return {
    dropped: () => dropped,
    add(span) {
      if (waiting.length >= limits.waiting) {
        dropped += 1
        return
      }
      waiting.push(span)
      if (sending !== undefined) return
      if (waiting.length >= limits.batch) void begin(false)
      else timer ??= clock.after(limits.delayMs, () => void begin(true))
    },
    async shutdown() {
      while (waiting.length > 0) await begin(true)
      await sending
      timer?.cancel()
      await exporter.shutdown()
    },
  }
}
