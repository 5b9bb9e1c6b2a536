/**
 * The worker that measures the duration of uploaded audio. It has no connection, no file and no secret, and is terminated when it takes too
 * long.
 */
import { audioSeconds, readyForAudio } from '#billing/tokens/audio-length'
import { giveWay } from '#runtime/turns'
import type { Reply } from '#runtime/worker-link'

/** A message to the worker: a file, `open`, which is answered when it is ready, or `close`. */
export type AudioMessage = { id: number } & ({ kind: 'open' | 'close' } | { kind: 'file'; bytes: Uint8Array })

giveWay()

self.onmessage = async ({ data }: MessageEvent<AudioMessage>) => {
  if (data.kind === 'open') await readyForAudio()
  const reply: Reply = { id: data.id, value: data.kind === 'file' ? await audioSeconds(data.bytes) : undefined }
  self.postMessage(reply)
}
