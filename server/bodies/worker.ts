/** The thread of kept bodies: `work.ts` behind messages. */
import type { Reply } from '#runtime/worker-link'
import { type BodyWork, createBodyWork } from './work.ts'

/** A message to the thread: where its files are, one of its functions, or its end. */
export type BodyMessage = { id: number } & (
  | { kind: 'open'; folder: string; instance: string }
  | { kind: 'close' }
  | { kind: 'call'; name: keyof BodyWork; args: readonly unknown[] }
)

let work: BodyWork | undefined

self.onmessage = ({ data }: MessageEvent<BodyMessage>) => self.postMessage(answer(data))

function answer(message: BodyMessage): Reply {
  const { id } = message
  try {
    if (message.kind === 'open') work = createBodyWork(message.folder, message.instance)
    if (message.kind === 'close') work?.turn()
    if (message.kind !== 'call' || !work) return { id }
    const run = work[message.name] as (...args: readonly unknown[]) => unknown
    return { id, value: run(...message.args) }
  } catch (thrown) {
    return { id, fault: { message: thrown instanceof Error ? thrown.message : String(thrown) } }
  }
}
