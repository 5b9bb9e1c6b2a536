/** How scripted vendors send their answers: cut at odd offsets, paced, and broken where the scenario says so. */

import { respondJson, wait } from '#testing/upstream/scripted-answers'
import type { Exchange } from '#testing/upstream/scripted-upstream'
import type { Trouble } from './scenarios.ts'

/** One event of a stream as text; `content` marks those that contain a piece of the answer. */
export interface Frame {
  text: string
  content?: boolean
}

/** How to send an answer. */
export interface Play {
  headers: Record<string, string>
  frames: Iterable<Frame>
  /** The vendor's in-band error, for `error-late`. */
  error: string
  trouble?: Trouble | undefined
  everyMs?: number | undefined
}

/** Pieces of 1 to 211 bytes, cut regardless of character and line boundaries. */
export function* oddPieces(text: string): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const sizes = [1, 13, 64, 3, 211]
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

/** Sends a stream. Faults occur after the second piece of the answer. */
export async function play(exchange: Exchange, { headers, frames, error, trouble, everyMs = 0 }: Play): Promise<void> {
  await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked', ...headers })
  let pieces = 0
  for (const frame of frames) {
    if (everyMs > 0 && frame.content) await wait(everyMs)
    if (exchange.isGone()) return
    await chunked(exchange, frame.text)
    if (frame.content) pieces += 1
    if (trouble !== undefined && pieces === 2) return breakOff(exchange, trouble, error)
  }
  await exchange.lastChunk()
}

async function chunked(exchange: Exchange, text: string): Promise<void> {
  for (const piece of oddPieces(text)) await exchange.chunk(piece)
}

async function breakOff(exchange: Exchange, trouble: Trouble, error: string): Promise<void> {
  // A reset discards what the other side has not read yet.
  if (trouble === 'cut') return wait(30).then(() => exchange.reset())
  if (trouble === 'error-late') await chunked(exchange, error)
  await exchange.lastChunk()
}

/** Sends a whole answer: late if paced, broken in its middle if cut. */
export async function tell(exchange: Exchange, value: unknown, headers: Record<string, string>, play: Pick<Play, 'trouble' | 'everyMs'>) {
  if (play.everyMs !== undefined) await Promise.race([wait(12_000), exchange.gone])
  if (exchange.isGone()) return
  if (play.trouble === undefined) return respondJson(200, value, headers)(exchange)
  const text = JSON.stringify(value)
  await exchange.head(200, { 'Content-Type': 'application/json', ...headers, 'Content-Length': String(text.length) })
  await exchange.write(text.slice(0, text.length / 2))
  exchange.close()
}
