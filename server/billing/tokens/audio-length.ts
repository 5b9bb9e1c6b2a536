/**
 * Length of an audio file, for models priced by the second whose upstream does not report it. The length stated in the file is accepted if
 * its size makes it plausible; the result is an estimate and marked as one.
 */

/** Plausible bytes of one second of audio. */
const fewest = 100
const most = 4_000_000

/**
 * Seconds, or undefined when the file does not state it. Never rejects. Crafted files can block for minutes: only for a thread that
 * can be terminated.
 */
export async function audioSeconds(bytes: Uint8Array): Promise<number | undefined> {
  const size = bytes.length
  const seconds = size === 0 ? undefined : await durationIn(bytes)
  return seconds !== undefined && seconds * fewest <= size && seconds * most >= size ? seconds : undefined
}

/** Loads the parser ahead, so that the first file does not pay for it. */
export const readyForAudio = (): Promise<unknown> => import('music-metadata')

/** By content: names and types given by a client prove nothing. */
async function durationIn(bytes: Uint8Array): Promise<number | undefined> {
  try {
    const { parseBuffer } = await import('music-metadata')
    const { format } = await parseBuffer(bytes, { size: bytes.length }, { duration: true, skipCovers: true })
    return Number.isFinite(format.duration) ? format.duration : undefined
  } catch {
    return undefined
  }
}
