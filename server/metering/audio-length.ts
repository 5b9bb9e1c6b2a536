/**
 * How long a file of sound lasts, for models that are priced by the second and upstreams that do not say. What the file tells
 * of itself is taken as far as its size makes it possible: it is an estimate, and marked as one.
 */
import type { FormFile } from '#canonical/operation'
import type { Clock } from '#runtime/clock'

/** Milliseconds that a file is looked at. */
const patience = 5_000

/** Bytes of one second: with fewer nothing could be understood, more nobody uploads. */
const fewest = 100
const most = 4_000_000

/** Seconds, or undefined when the file does not tell. Reads it at most once; never rejects. */
export async function audioSeconds({ size, open }: Pick<FormFile, 'size' | 'open'>, clock: Clock): Promise<number | undefined> {
  if (size === 0) return undefined
  const known = new AbortController()
  const late = clock.sleep(patience, known.signal).then(
    () => undefined,
    () => undefined,
  )
  const bytes = open()
  try {
    const seconds = await Promise.race([durationIn(bytes, size), late])
    return seconds !== undefined && seconds * fewest <= size && seconds * most >= size ? seconds : undefined
  } finally {
    known.abort()
    // Whoever stopped reading half way still holds the file open.
    void bytes.cancel().catch(() => undefined)
  }
}

/** By its content: names and types that a client gives prove nothing. */
async function durationIn(bytes: ReadableStream<Uint8Array>, size: number): Promise<number | undefined> {
  try {
    const { parseWebStream } = await import('music-metadata')
    const { format } = await parseWebStream(bytes, { size }, { duration: true, skipCovers: true })
    return Number.isFinite(format.duration) ? format.duration : undefined
  } catch {
    return undefined
  }
}
