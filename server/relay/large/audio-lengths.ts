/**
 * Measures the duration of uploaded audio in a worker of its own: a crafted megabyte can block for half a minute, so the worker is
 * terminated when a file takes too long. Callers take turns, one file at a time.
 */
import type { FormFile } from '#canonical/operation/operation'
import type { AudioLengths } from '#relay/contract/large-body'
import type { Clock, Timer } from '#runtime/clock'
import { serverScript } from '#runtime/package-file'
import { WorkerLink } from '#runtime/worker-link'
import type { AudioMessage } from './audio-worker.ts'
import { createTurns } from './turns.ts'

/** Milliseconds for one file; a usual one takes a few, if the worker gets a processor. */
const patience = 4_000
/** Milliseconds without a file before the worker is terminated. */
const restAfterMs = 20_000

/** The worker starts with the first file; `patienceMs` for one file. */
export function createAudioLengths(clock: Clock, patienceMs = patience): AudioLengths & { close(): Promise<void> } {
  const script = serverScript('relay/large/audio-worker')
  const link = new WorkerLink<AudioMessage>({ script, first: { kind: 'open' }, what: 'the worker for sound', clock })
  const turns = createTurns()
  let resting: Timer | undefined

  async function measured(file: Pick<FormFile, 'open'>): Promise<number | undefined> {
    resting?.cancel()
    let late: Timer | undefined
    try {
      const bytes = await new Response(file.open()).bytes()
      await link.open()
      late = clock.after(patienceMs, () => link.rest())
      return (await link.ask({ kind: 'file', bytes }, [bytes.buffer])) as number | undefined
    } catch {
      return undefined
    } finally {
      late?.cancel()
      resting = clock.after(restAfterMs, () => link.rest())
    }
  }

  return {
    of: ({ size, open }, caller) => (size === 0 ? Promise.resolve(undefined) : turns.take(caller, () => measured({ open }))),
    close() {
      resting?.cancel()
      return link.close({ kind: 'close' })
    },
  }
}
