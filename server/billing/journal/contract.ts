/** The journal's interface for the books. */
import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { makeSegment } from '#runtime/segment'
import type { BookLine } from '#store/ledger/book-line'
import type { JournalEnd } from './journal-ends.ts'

/** What a power failure may lose: what the kernel had not written, the last 100 ms, or nothing that was answered. */
export type Fsync = 'never' | '100ms' | 'always'

/** Options of a journal. */
export interface JournalOptions {
  /** Used by nothing else. */
  folder: string
  instance: bigint
  fsync: Fsync
  /** Most bytes of lines that wait for the database or are kept although it has them. */
  maxBytes: number
  clock: Clock
  log: Log
  /** Creates one file; the runtime's function unless a test makes its disk fail. */
  createSegment?: typeof makeSegment
}

/**
 * An open journal. Everything noted in one turn of the event loop is written together, before any pending await resumes; `flush` writes
 * at once.
 */
export interface Journal {
  /** A request is admitted; send nothing upstream before it is `written`. Amount in nano-dollars. Throws `journal_full` without effect. */
  open(id: string, accounts: readonly string[], amount: bigint): void
  /** Resolves when everything noted so far is written; false if it was not: then drop requests whose opening is among it. Never rejects. */
  written(): Promise<boolean>
  /** The hold of an open request has grown by this many nano-dollars. */
  grow(id: string, amount: bigint): void
  /** What an open request owes so far. Skipped when room is short. */
  progress(line: BookLine): void
  /**
   * The end of an open request, written when it is `safe`; `bytes`: the line from `encodeLine`, where already encoded. Never
   * throws: what the disk refuses stays in memory, and no new request is admitted.
   */
  settle(line: BookLine, bytes?: Uint8Array): void
  /**
   * The end of a request that was never open. False (nothing is written) when there is no room or such requests have used their share.
   * They never take the room of paid requests.
   */
  record(line: BookLine, bytes?: Uint8Array): boolean
  /** An open request ends without a line: nothing will be charged for it here. */
  drop(id: string): void
  /** Resolves when everything so far is written, and as durable as `fsync` demands before an answer may end. Never rejects. */
  safe(): Promise<unknown>
  /** Writes everything noted so far at once; false where the disk refuses it. */
  flush(): boolean
  /** The share of `maxBytes` that waits for the database, from 0 to 1. */
  waitingShare(): number
  /** Whether it can take a request now; if not, prepares for the next one as far as the disk allows. */
  hasRoom(): boolean
  /** The database has the request. */
  flushed(id: string): void
  /** Lines kept although the database had them, oldest first, in batches: for a database that has lost them. */
  kept(): AsyncGenerator<JournalEnd[]>
  /** Closes the files. `needed`: the next start must read them even if they are empty. */
  close(needed: boolean): Promise<void>
}
