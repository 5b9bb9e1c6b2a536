/** Spans waiting to be sent: bounded, since an unreachable collector must not cost memory. What does not fit is counted. */
import type { Clock, Timer } from '#runtime/clock'

/** Spans that stay together. */
export interface SpanLot {
  /** How many there are. */
  count: number
}

/** Sends spans. */
export interface SpanSender<Lot> {
  /** Resolves when the collector has taken them, rejects when it does not. Called for one message at a time. */
  send(lots: readonly Lot[]): Promise<void>
  close(): void
}

/** Most spans of one message (lots are not split), most waiting spans, and milliseconds until a partial message is sent. */
export interface QueueLimits {
  batch: number
  waiting: number
  delayMs: number
}

/** A queue before an exporter. */
export interface SpanQueue<Lot> {
  /** Adds a lot, or drops it where too many wait. */
  add(lot: Lot): void
  /** Sends what is pending, then closes the sender. */
  shutdown(): Promise<void>
  /** Spans lost so far: the queue was full, or the collector did not take them. */
  dropped(): number
}

const spansOf = (lots: readonly SpanLot[]) => lots.reduce((sum, { count }) => sum + count, 0)

/** `failed` is called for each message that was not taken. */
export function spanQueue<Lot extends SpanLot>(
  sender: SpanSender<Lot>,
  limits: QueueLimits,
  clock: Pick<Clock, 'after'>,
  failed: (error: unknown) => void,
): SpanQueue<Lot> {
  const lots: Lot[] = []
  let waiting = 0
  let dropped = 0
  let timer: Timer | undefined
  let sending: Promise<void> | undefined

  /** The oldest lots, at most a full message, but at least one lot. */
  function takeBatch(): Lot[] {
    let [end, count] = [0, 0]
    while (end < lots.length && (end === 0 || count + (lots[end]?.count ?? 0) <= limits.batch)) count += lots[end++]?.count ?? 0
    waiting -= count
    return lots.splice(0, end)
  }

  async function send(): Promise<void> {
    timer?.cancel()
    timer = undefined
    const batch = takeBatch()
    try {
      await sender.send(batch)
    } catch (error) {
      dropped += spansOf(batch)
      failed(error)
    }
  }

  /** One message at a time; `all`: until the queue is empty. */
  async function drain(all: boolean): Promise<void> {
    await sending
    while (waiting >= (all ? 1 : limits.batch)) await send()
  }

  function begin(all: boolean): Promise<void> {
    sending ??= drain(all).finally(() => {
      sending = undefined
      if (waiting > 0) timer ??= clock.after(limits.delayMs, () => void begin(true))
    })
    return sending
  }

  return {
    dropped: () => dropped,
    add(lot) {
      if (waiting + lot.count > limits.waiting) {
        dropped += lot.count
        return
      }
      lots.push(lot)
      waiting += lot.count
      if (sending !== undefined) return
      if (waiting >= limits.batch) void begin(false)
      else timer ??= clock.after(limits.delayMs, () => void begin(true))
    },
    async shutdown() {
      while (waiting > 0) await begin(true)
      await sending
      timer?.cancel()
      sender.close()
    },
  }
}
