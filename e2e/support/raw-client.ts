/** A client over raw TCP that sends exactly the bytes a test gives, and reads, stalls and disconnects on command. */
import { connect, type Socket } from 'node:net'
import { wait } from '#testing/upstream/scripted-answers'

/** One connection. */
export interface RawClient {
  socket: Socket
  send(bytes: string | Uint8Array): void
  /** Everything received so far. */
  text(): string
  received(): number
  /** Resolves when the received text matches; rejects after `ms`, or if the connection ends without a match. */
  until(pattern: RegExp, ms?: number): Promise<RegExpMatchArray>
  /** Resolves when the other side has closed the connection; rejects after `ms`. */
  ended(ms?: number): Promise<void>
  /** Ends the sending side; answers are still read. */
  halfClose(): void
  /** Resets the connection, as when a program is killed. */
  leave(): void
}

/** Resolves when connected. `keep: false` counts received bytes without keeping them. */
export async function rawClient(url: string, { keep = true } = {}): Promise<RawClient> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  const pieces: Buffer[] = []
  let count = 0
  let over = false
  const looks = new Set<() => void>()
  const look = () => {
    for (const one of looks) one()
  }
  const end = () => {
    over = true
    look()
  }
  socket.on('data', (piece) => {
    count += piece.length
    if (keep) pieces.push(Buffer.from(piece))
    look()
  })
  socket.on('error', end).on('end', end).on('close', end)
  await new Promise<void>((resolve) => socket.once('connect', resolve))

  const text = () => Buffer.concat(pieces).toString()
  function when<T>(found: () => T | undefined, hopeless: () => string | undefined, ms: number): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const check = () => {
      const value = found()
      const why = value === undefined ? hopeless() : undefined
      if (value !== undefined) resolve(value)
      else if (why !== undefined) reject(new Error(why))
    }
    const timer = setTimeout(() => reject(new Error(`not within ${ms} ms; came: ${text().slice(-300)}`)), ms)
    looks.add(check)
    check()
    return promise.finally(() => {
      clearTimeout(timer)
      looks.delete(check)
    })
  }
  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    text,
    received: () => count,
    until: (pattern, ms = 20_000) =>
      when(
        () => text().match(pattern) ?? undefined,
        () => (over ? `the connection ended; came: ${text().slice(-300)}` : undefined),
        ms,
      ),
    async ended(ms = 20_000) {
      await when(
        () => over || undefined,
        () => undefined,
        ms,
      )
    },
    halfClose: () => void socket.end(),
    leave: () => void socket.resetAndDestroy(),
  }
}

/** A POST with its length, on a connection that stays open. */
export function postText(path: string, key: string, body: string, headers: Record<string, string> = {}): string {
  const fields = { host: '127.0.0.1', authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers }
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...fields }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** Waits until the condition holds; false if it does not within `ms`. */
export async function soon(holds: () => boolean | Promise<boolean>, ms = 10_000): Promise<boolean> {
  const until = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > until) return false
    await wait(20)
  }
  return true
}
