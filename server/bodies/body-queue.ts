/**
 * Finished captures on their way to the thread: it handles one lot at a time, the others wait. The shared room of all captures, open and
 * waiting, bounds this queue.
 */
import type { Clock, Timer } from '#runtime/clock'
import type { Capture } from './capture.ts'
import { packed } from './lot.ts'
import type { KeptRows, Lot } from './work.ts'

/** Bytes and records of one lot, and milliseconds that it waits for more. */
const lotBytes = 4 * 1024 * 1024
const lotRecords = 128
const waitMs = 100

/** What the queue needs. */
export interface QueueParts {
  clock: Pick<Clock, 'after'>
  /** Passes a lot to the thread. */
  keep(lot: Omit<Lot, 'rules'>): Promise<KeptRows>
  /** Called when a lot was written, or could not be: its captures are finished. Never rejects. */
  done(captures: readonly Capture[], result: KeptRows | undefined): Promise<void>
}

export interface BodyQueue {
  put(capture: Capture): void
  /** Removes and returns waiting captures. */
  take(which: (capture: Capture) => boolean): Capture[]
  /** Resolves when everything queued so far has been written or given up. Never rejects. */
  flush(): Promise<void>
}

/** An empty queue. */
export function createBodyQueue({ clock, keep, done }: QueueParts): BodyQueue {
  let waiting: Capture[] = []
  let bytes = 0
  let timer: Timer | undefined
  let isSending = false
  /** Number added and number finished, and who waits for the latter to reach a number. */
  let came = 0
  let gone = 0
  let waiters: { count: number; resolve(): void }[] = []

  function leave(count: number): void {
    gone += count
    for (const waiter of waiters) if (waiter.count <= gone) waiter.resolve()
    waiters = waiters.filter((waiter) => waiter.count > gone)
  }

  function next(): Capture[] {
    let size = 0
    const end = waiting.findIndex((capture, n) => {
      size += capture.held
      return n >= lotRecords || (n > 0 && size > lotBytes)
    })
    const lot = end < 0 ? waiting : waiting.slice(0, end)
    waiting = end < 0 ? [] : waiting.slice(end)
    for (const { held } of lot) bytes -= held
    return lot
  }

  async function sendAll(): Promise<void> {
    isSending = true
    timer?.cancel()
    timer = undefined
    while (waiting.length > 0) {
      const lot = next()
      const result = await keep(packed(lot)).catch(() => undefined)
      await done(lot, result)
      leave(lot.length)
    }
    isSending = false
  }

  function send(): void {
    if (!isSending) void sendAll()
  }

  return {
    put(capture) {
      waiting.push(capture)
      came += 1
      bytes += capture.held
      if (bytes >= lotBytes || waiting.length >= lotRecords) send()
      else timer ??= clock.after(waitMs, send)
    },
    take(which) {
      const taken = waiting.filter(which)
      waiting = waiting.filter((capture) => !taken.includes(capture))
      for (const { held } of taken) bytes -= held
      leave(taken.length)
      return taken
    },
    flush() {
      if (gone === came) return Promise.resolve()
      send()
      return new Promise((resolve) => waiters.push({ count: came, resolve }))
    },
  }
}
