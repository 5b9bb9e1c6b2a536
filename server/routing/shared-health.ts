/**
 * Shares health between instances: breakers that open or close on one are applied on the others a moment later. Nothing depends on it:
 * after a lost notice an instance finds out by itself, and a new one starts empty. Times are sent as durations, never as another machine's
 * clock; each instance sends its own probes. Start with `shareHealth`.
 */
import type { Clock, Timer } from '#runtime/clock'
import { longestSignal, type Signals } from '#store/engine/store'
import type { Channels } from './channel.ts'
import type { Health, HealthNews } from './health-contract.ts'

/** What `shareHealth` needs. */
export interface HealthSharing {
  health: Pick<Health, 'onChange' | 'news' | 'applyRemote' | 'forget'>
  channels: Pick<Channels, 'get'>
  signals: Signals
  clock: Pick<Clock, 'after'>
}

/** Milliseconds between two notices of this instance: at most five a second, each with the latest state only. */
const everyMs = 200
/** Maximum number of breakers waiting to be sent; the oldest are dropped. */
const mostWaiting = 1000

/** Starts sharing, until the store is closed. */
export function shareHealth({ health, channels, signals, clock }: HealthSharing): void {
  const resets = new Set<string>()
  const breakers = new Set<string>()
  let quiet: Timer | undefined

  /** The next notice, as large as a notification allows; the rest waits for the following one. */
  function notice(): string | undefined {
    const lines: string[] = []
    let size = 0
    const take = (waiting: Set<string>, lineOf: (id: string) => string | undefined) => {
      for (const id of waiting) {
        const line = lineOf(id)
        if (line !== undefined && size + line.length + 1 > longestSignal) return
        waiting.delete(id)
        if (line === undefined) continue
        lines.push(line)
        size += line.length + 1
      }
    }
    take(resets, (channelId) => ascii([channelId]))
    take(breakers, (id) => {
      const news = health.news(id)
      return news && ascii([news.channelId, news.keyId, news.model, news.cause, news.ms, news.statedMs])
    })
    return lines.length === 0 ? undefined : lines.join('\n')
  }

  function publish(): void {
    if (quiet) return
    const text = notice()
    if (text === undefined) return
    signals.send('health', text)
    quiet = clock.after(everyMs, () => {
      quiet = undefined
      publish()
    })
  }

  function wait(waiting: Set<string>, id: string): void {
    waiting.delete(id)
    waiting.add(id)
    for (const oldest of waiting) {
      if (waiting.size <= mostWaiting) break
      waiting.delete(oldest)
    }
    publish()
  }

  health.onChange((what) => ('reset' in what ? wait(resets, what.reset) : wait(breakers, what.breaker)))

  signals.onSignal('health', (text) => {
    for (const line of text.split('\n')) {
      const notice = read(line)
      const channel = notice && channels.get(notice.channelId)
      if (!notice || !channel) continue
      if (!('ms' in notice)) health.forget(channel.id)
      else {
        const key = channel.keys.find(({ id }) => id === notice.keyId)
        // Ignores a notice about a key that no longer exists.
        if (key || notice.keyId === null) health.applyRemote(notice, key?.name ?? null)
      }
    }
  })
}

/** JSON in ASCII only, so that every character is one byte. */
const ascii = (value: readonly unknown[]) =>
  JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Parses a notice of another instance; undefined for any other payload. */
function read(line: string): HealthNews | { channelId: string } | undefined {
  // Instances of earlier versions do not send the last field.
  const [channelId, keyId, model, cause, ms, statedMs = 0] = listIn(line)
  if (typeof channelId !== 'string') return undefined
  if (ms === undefined) return { channelId }
  const isName = (value: unknown): value is string | null => value === null || typeof value === 'string'
  if (!isName(keyId) || !isName(model) || typeof cause !== 'string' || typeof ms !== 'number' || !(ms >= 0)) return undefined
  return { channelId, keyId, model, cause, ms, statedMs: typeof statedMs === 'number' && statedMs >= 0 ? statedMs : 0 }
}

function listIn(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
