/** The thread that sends to the collector: `collecting.ts` behind messages. It has lower priority than the thread that carries streams. */
import { systemClock } from '#runtime/clock'
import { giveWay } from '#runtime/turns'
import type { Reply } from '#runtime/worker-link'
import type { CollectingMessage } from '#telemetry/telemetry'
import { type Collecting, createCollecting } from './collecting.ts'

giveWay()
let collecting: Collecting | undefined

self.onmessage = async ({ data }: MessageEvent<CollectingMessage>) => self.postMessage(await answer(data))

async function answer(message: CollectingMessage): Promise<Reply> {
  const { id } = message
  try {
    if (message.kind === 'open') {
      Object.assign(process.env, message.variables)
      collecting = createCollecting(message, systemClock)
    }
    if (message.kind === 'close') await collecting?.close()
    return { id, value: message.kind === 'finished' ? collecting?.take(message) : undefined }
  } catch (thrown) {
    return { id, fault: { message: thrown instanceof Error ? thrown.message : String(thrown) } }
  }
}
