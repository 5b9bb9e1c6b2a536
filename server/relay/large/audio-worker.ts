/** The worker that reads how long uploaded sound lasts. It has no connection, no file and no secret, and is ended when it takes long. */
import { audioSeconds, readyForAudio } from '#billing/tokens/audio-length'
import { giveWay } from '#runtime/turns'
import type { Reply } from '#runtime/worker-link'

/** A message to the worker: a file, its beginning, answered when it can read, or its end. */
export type AudioMessage = { id: number } & ({ kind: 'open' | 'close' } | { kind: 'file'; bytes: Uint8Array })

giveWay()

self.onmessage = async ({ data }: MessageEvent<AudioMessage>) => {
  if (data.kind === 'open') await readyForAudio()
  const reply: Reply = { id: data.id, value: data.kind === 'file' ? await audioSeconds(data.bytes) : undefined }
  self.postMessage(reply)
}
