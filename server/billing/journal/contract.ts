/** What the books know of the journal. */
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { makeSegment } from '#runtime/segment'
import type { BookLine } from '#store/ledger/book-line'
import type { JournalEnd } from './journal-ends.ts'

/** What a power failure may cost: what the kernel had not written, the last 100 ms, or nothing that was answered. */
export type Fsync = 'never' | '100ms' | 'always'

/** What a journal is made from. */
export interface JournalOptions {
  /** Used by nothing else. */
  folder: string
  instance: bigint
  fsync: Fsync
  /** The most bytes of lines that wait for the database or are kept although it has them. */
  maxBytes: number
  clock: Clock
  log: Log
  /** Makes one file; that of the runtime unless a test's disk fails. */
  createSegment?: typeof makeSegment
}

/**
 * An open journal. What is said is written together with what else is said in this turn, before anybody goes on who awaits something; at
 * once by `flush`.
 */
export interface Journal {
  /** A request is admitted; nothing may be sent upstream before it is `written`. Amount in nano-dollars. Throws `journal_full`; then nothing is. */
  open(id: string, accounts: readonly string[], amount: bigint): void
  /** Resolves when what was said so far is written: whether it was. A request whose opening was not is to be dropped. Never rejects. */
  written(): Promise<boolean>
  /** The hold of an open request has grown by so many nano-dollars. */
  grow(id: string, amount: bigint): void
  /** What an open request owes so far. Skipped when room is short. */
  progress(line: BookLine): void
  /**
   * The end of an open request, written when it is `safe`; `bytes`: the line as `encodeLine` makes it, where that is there already. Never
   * throws: what the disk refuses stays in memory, and no new request is admitted.
   */
  settle(line: BookLine, bytes?: Uint8Array): void
  /**
   * The end of a request that was never open. False when there is no room, or such requests have all that they may; then nothing is
   * written. They never take the room of those that pay.
   */
  record(line: BookLine, bytes?: Uint8Array): boolean
  /** An open request ends without a line: nothing will be charged for it here. */
  drop(id: string): void
  /** Resolves when everything so far is written, and as durable as `fsync` demands before an answer may end. Never rejects. */
  safe(): Promise<unknown>
  /** Writes what was said so far at once; false where the disk refuses it. */
  flush(): boolean
  /** The share of `maxBytes` that waits for the database, from 0 to 1. */
  waitingShare(): number
  /** Whether it takes a request now; if not, it is made ready for the next one as far as the disk allows. */
  hasRoom(): boolean
  /** The database has the request. */
  flushed(id: string): void
  /** Lines that the database had and that are kept all the same, oldest first, in batches: for a database that has lost them. */
  kept(): AsyncGenerator<JournalEnd[]>
  /** Closes the files. `needed`: the next start must look at them even if they are empty. */
  close(needed: boolean): Promise<void>
}
