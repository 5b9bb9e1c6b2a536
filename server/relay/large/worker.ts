/**
 * The worker for large bodies. It has no connection, no file and no secret, and runs at a lower priority than the thread that carries
 * streams.
 */
import { giveWay } from '#runtime/turns'
import type { Reply } from '#runtime/worker-link'
import { GatewayError } from '#shared/errors'
import { createLargeJobs, type LargeJobs } from './jobs.ts'
import { refusalOf } from './refusal.ts'

/** A message to the worker: one of its jobs, or `open` and `close`, which it only acknowledges. */
export type LargeMessage = { id: number } & (
  | { kind: 'open' | 'close' }
  | { [Name in keyof LargeJobs]: { kind: 'job'; name: Name; args: Parameters<LargeJobs[Name]> } }[keyof LargeJobs]
)

giveWay()
const jobs = createLargeJobs()

self.onmessage = async ({ data }: MessageEvent<LargeMessage>) => {
  const reply = await answer(data)
  self.postMessage(reply, buffersOf(reply.value))
}

async function answer(message: LargeMessage): Promise<Reply> {
  const { id } = message
  if (message.kind !== 'job') return { id }
  try {
    const run = jobs[message.name] as (...args: readonly unknown[]) => unknown
    return { id, value: await run(...message.args) }
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { id, value: refusalOf(thrown) }
    return { id, fault: { message: thrown instanceof Error ? thrown.message : String(thrown) } }
  }
}

/** Bytes are transferred, not copied. */
function buffersOf(value: unknown): ArrayBuffer[] {
  if (typeof value === 'object' && value !== null && 'requests' in value && Array.isArray(value.requests)) {
    return [...new Set(value.requests.flatMap(buffersOf))]
  }
  const bytes = typeof value === 'object' && value !== null && 'bytes' in value ? value.bytes : value
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : []
}
