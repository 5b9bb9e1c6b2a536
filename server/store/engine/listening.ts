/**
 * The connection that receives notifications of other instances. A connection can die without either side noticing, and one that only
 * listens would never find out: so it must receive its own pulse every ten seconds, and is replaced when it does not.
 */
import type { Clock, Timer } from '#runtime/clock'
import { connect } from './postgres-connections.ts'

/** Options of a listener. */
export interface ListeningOptions {
  clock: Clock
  url: string
  /** The application name of the connection. */
  name: string
  channel: string
  /** Gets every payload except for pulses. */
  received(payload: string): void
  /** Something may have been missed. */
  missed(): void
  /** Sends a payload to the channel over another connection; rejects when the database cannot be reached. */
  notify(payload: string): Promise<unknown>
  /** Begins the payloads of pulses, of this instance only. */
  pulse: string
}

/** A connection that listens. */
export interface Listening {
  close(): Promise<void>
}

/** Milliseconds between two pulses. */
export const pulseMs = 10_000

/** Listens. Rejects when the database cannot be reached. */
export async function listenTo(options: ListeningOptions): Promise<Listening> {
  const { clock, url, name, channel, received, missed, notify, pulse } = options
  /** Numbers of pulses: the last one that was sent, and the last one that came back. */
  let [sent, back, last] = [0, 0, 0]
  let isReplacing = false
  let isClosed = false

  async function begin() {
    const { client, close } = connect(url, { name, most: 1 })
    let isConnected = false
    const onPayload = (payload: string) => {
      if (payload.startsWith(pulse)) back = Math.max(back, Number(payload.slice(pulse.length)))
      else received(payload)
    }
    try {
      await client.listen(channel, onPayload, () => {
        if (isConnected) missed()
        isConnected = true
      })
    } catch (thrown) {
      await close()
      throw thrown
    }
    // A dead connection cannot be closed gracefully.
    return { close: () => client.end({ timeout: 0 }) }
  }

  async function replace(): Promise<void> {
    isReplacing = true
    const next = await begin().catch(() => undefined)
    isReplacing = false
    if (!next) return
    const old = current
    current = next
    back = sent
    await (isClosed ? next : old).close()
    if (!isClosed) missed()
  }

  function beat(): void {
    timer = clock.after(pulseMs, beat)
    if (back < sent && !isReplacing) void replace()
    const mine = ++last
    // An unreachable database proves nothing about this connection.
    void notify(`${pulse}${mine}`).then(
      () => {
        sent = mine
      },
      () => {},
    )
  }

  let current = await begin()
  let timer: Timer = clock.after(pulseMs, beat)
  return {
    async close() {
      isClosed = true
      timer.cancel()
      await current.close()
    },
  }
}
