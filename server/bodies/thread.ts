/** The main thread's side of the thread for kept bodies. */
import type { Clock } from '#runtime/clock'
import { serverScript } from '#runtime/package-file'
import { WorkerLink } from '#runtime/worker-link'
import type { BucketWork } from './bucket-work.ts'
import type { BodyMessage, BodyPlaceOptions, ThreadWork } from './worker.ts'

/** Functions of the thread, called from here: each rejects with a `WorkerFault`. */
type FromHere<Work> = {
  [Name in keyof Work]: Work[Name] extends (...args: infer Args) => infer Result ? (...args: Args) => Promise<Awaited<Result>> : never
}

/** All functions of the thread; those of `BucketWork` exist only with a bucket. */
export type BodyThread = Functions & { close(): Promise<void> }
type Functions = FromHere<ThreadWork> & FromHere<Omit<BucketWork, 'read' | 'line'>>

const script = serverScript('bodies/worker')

/** A thread on the files of an instance; it starts with the first call. */
export function createBodyThread(clock: Clock, place: BodyPlaceOptions): BodyThread {
  const link = new WorkerLink<BodyMessage>({ script, first: { kind: 'open', ...place }, what: 'the thread of kept bodies', clock })
  function call<Name extends keyof Functions>(name: Name, handed: (args: Parameters<Functions[Name]>) => ArrayBuffer[] = () => []) {
    // The result is that of the named function.
    return ((...args: Parameters<Functions[Name]>) => link.ask({ kind: 'call', name, args }, handed(args))) as Functions[Name]
  }
  return {
    keep: call('keep', ([{ bytes }]) => [bytes.buffer]),
    read: call('read'),
    line: call('line'),
    bytes: call('bytes'),
    closed: call('closed'),
    turn: call('turn'),
    rewrite: call('rewrite'),
    remove: call('remove'),
    upload: call('upload'),
    stored: call('stored'),
    rewriteStored: call('rewriteStored'),
    removeStored: call('removeStored'),
    close: () => link.close({ kind: 'close' }).catch(() => undefined),
  }
}
