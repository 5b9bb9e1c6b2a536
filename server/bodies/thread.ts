/** The main thread's side of the thread of kept bodies. */
import type { Clock } from '#runtime/clock'
import { serverScript } from '#runtime/package-file'
import { WorkerLink } from '#runtime/worker-link'
import type { BodyWork } from './work.ts'
import type { BodyMessage } from './worker.ts'

/** The functions of the thread, from here: each rejects with a `WorkerFault`. */
export type BodyThread = {
  [Name in keyof BodyWork]: (...args: Parameters<BodyWork[Name]>) => Promise<ReturnType<BodyWork[Name]>>
} & { close(): Promise<void> }

const script = serverScript('bodies/worker')

/** A thread on the files of `instance` in a folder; it starts with the first call. */
export function createBodyThread(clock: Clock, folder: string, instance: string): BodyThread {
  const link = new WorkerLink<BodyMessage>({
    script,
    first: { kind: 'open', folder, instance },
    what: 'the thread of kept bodies',
    clock,
  })
  async function call<Name extends keyof BodyWork>(name: Name, args: Parameters<BodyWork[Name]>, handed: ArrayBuffer[] = []) {
    return (await link.ask({ kind: 'call', name, args }, handed)) as Awaited<ReturnType<BodyWork[Name]>>
  }
  return {
    keep: (lot) => call('keep', [lot], [lot.bytes.buffer]),
    read: (...args) => call('read', args),
    closed: () => call('closed', []),
    turn: () => call('turn', []),
    rewrite: (...args) => call('rewrite', args),
    remove: (name) => call('remove', [name]),
    close: () => link.close({ kind: 'close' }).catch(() => undefined),
  }
}
