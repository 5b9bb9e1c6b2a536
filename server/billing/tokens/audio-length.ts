/**
 * How long an audio file is, for models priced by the second whose upstream does not report it. What the file claims is accepted if
 * its size makes it plausible; the result is an estimate and marked as one.
 */
import type { FormFile } from '#canonical/operation/operation'
import type { Clock } from '#runtime/clock'

/** How many milliseconds are spent on a file. */
const patience = 5_000

/** Plausible bytes of one second of audio. */
const fewest = 100
const most = 4_000_000

/** Seconds, or undefined when the file does not tell. Reads the file at most once; never rejects. */
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
    // A reader that stopped half way still holds the file open.
    void bytes.cancel().catch(() => undefined)
  }
}

/** By content: names and types given by a client prove nothing. */
async function durationIn(bytes: ReadableStream<Uint8Array>, size: number): Promise<number | undefined> {
  try {
    const { parseWebStream } = await import('music-metadata')
    const { format } = await parseWebStream(bytes, { size }, { duration: true, skipCovers: true })
    return Number.isFinite(format.duration) ? format.duration : undefined
  } catch {
    return undefined
  }
}
