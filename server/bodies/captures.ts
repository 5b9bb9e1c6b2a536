/**
 * Kept requests from the main thread's side: who is kept, the room that all of them share, and the rows that say where they lie. Whatever
 * fails here (a full queue, a full disk, a database that is away) is counted and told, and stops nothing else.
 */
import type { Caller } from '#accounts/caller'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { BodiesState, BodySettings } from '#shared/console/body'
import { memberIdOf } from '#shared/ids'
import { insertBodies, type WhoseBodies } from '#store/bodies/kept-bodies'
import type { Store } from '#store/engine/store'
import { createBodyQueue } from './body-queue.ts'
import { Capture, type Owner } from './capture.ts'
import { createForgotten } from './forgotten.ts'
import { keepRule, keptFor } from './keep-rule.ts'
import type { RecordFacts } from './record.ts'
import type { KeptRows, Lot } from './work.ts'

/** Bytes that all captures may hold, open ones and those that wait for the thread. */
const room = 64 * 1024 * 1024
/** Bytes of it that frames of sessions may fill. */
const frameRoom = room / 2
/** Milliseconds after which a disk that refused is tried again. */
const retryMs = 30_000
/** Rows that wait for the database at most. */
const mostRows = 20_000

/** A request as its endpoint has it. */
export interface CapturedRequest {
  requestId: string
  url: Pick<URL, 'pathname' | 'search' | 'searchParams'>
  request: { method: string; headers: Pick<Headers, 'get'> & Iterable<[string, string]> }
  /** It repeats a kept request, and is kept as well: for whoever owns that one, so that both are deleted together. */
  replay?: { owner: Owner } | undefined
}

/** Begins captures. */
export interface Captures {
  /** The capture of a request that may be kept; undefined when it is not. */
  begin(visit: CapturedRequest, caller: Caller): Capture | undefined
  /** What was noted of these requests so far is never kept. */
  forget(whose: WhoseBodies): void
  /** Resolves with whether all that has finished so far can be read, or could not be kept: false when rows wait. Never rejects. */
  flush(): Promise<boolean>
  state(): CaptureState
  /** Nothing is begun any more; what cannot be written from now on is only counted. */
  end(): void
}

/** What is told of captures. */
export type CaptureState = Pick<BodiesState, 'kept' | 'dropped' | 'waitingBytes' | 'stopped'>

/** What captures need. */
export interface CapturesParts {
  store: Store
  clock: Clock
  random: Pick<Random, 'fraction'>
  log: Log
  settings(): BodySettings
  /** The thread. */
  keep(lot: Lot): Promise<KeptRows>
}

/** A row that waits for the database, as JSON. */
interface WaitingRow {
  facts: RecordFacts
  row: string
}

/** Captures on a store and a thread. */
export function createCaptures(parts: CapturesParts): Captures {
  const { store, clock, random, log, settings } = parts
  const counts = { kept: 0, dropped: 0 }
  const forgotten = createForgotten(clock)
  let held = 0
  let rows: WaitingRow[] = []
  let writing: Promise<void> = Promise.resolve()
  let isClosed = false
  let stopped: { cause: string; since: number; retryAt: number } | undefined

  const queue = createBodyQueue({
    clock,
    keep: (lot) => {
      const { redactFields: fields, redactNumbers: numbers } = settings()
      return parts.keep({ ...lot, rules: { fields, numbers } })
    },
    async done(captures, result) {
      for (const capture of captures) give(capture.held)
      const written = result?.rows ?? []
      counts.dropped += captures.length - written.length
      judge(result?.fault ?? (result ? undefined : 'thread'))
      for (const [n, { facts }] of captures.entries()) {
        const row = written[n]
        if (row !== undefined) rows.push({ facts, row })
      }
      await write()
    },
  })

  /** A disk that refuses, or takes again, is told once. */
  function judge(fault: string | undefined): void {
    if (fault === undefined) {
      if (stopped) log.info({ cause: stopped.cause }, 'bodies are kept again')
      stopped = undefined
      return
    }
    if (!stopped && !isClosed) log.error({ cause: fault }, 'bodies are not kept for now, since they cannot be written; requests go on')
    stopped = { cause: fault, since: stopped?.since ?? clock.now(), retryAt: clock.monotonic() + retryMs }
  }

  /** Writes the rows that wait, one statement at a time; those that the database does not take now go with the next ones. */
  function write(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    const lot = rows.filter(({ facts }) => !forgotten.has(facts))
    rows = []
    if (lot.length === 0) return
    try {
      await insertBodies(
        store,
        lot.map(({ row }) => row),
      )
      counts.kept += lot.length
    } catch (thrown) {
      log.warn({ err: thrown }, 'could not write where kept bodies lie')
      rows = [...lot, ...rows]
      counts.dropped += Math.max(0, rows.length - mostRows)
      rows = rows.slice(-mostRows)
    }
  }

  function give(bytes: number): void {
    held -= bytes
  }

  const host = {
    now: clock.monotonic,
    take(bytes: number, isFrame = false) {
      if (held + bytes > (isFrame ? frameRoom : room)) return false
      held += bytes
      return true
    },
    give,
    finished(capture: Capture) {
      const isFine = capture.end === 'complete' || capture.end === 'length'
      if (capture.label === undefined) return
      if ((capture.onlyFailed && isFine) || forgotten.has(capture.facts)) give(capture.held)
      else if (capture.isGivenUp) counts.dropped += 1
      else queue.put(capture)
    },
  }

  return {
    begin({ requestId, url, request, replay }, { user, member, key, group }) {
      if (isClosed || request.headers.get('x-parley-store')?.trim().toLowerCase() === 'no') return undefined
      const { keep, days, heedStore } = settings()
      const kept = replay ? 'always' : keptFor(keepRule(keep, key?.keepBodies, group.keepBodies), random.fraction())
      if (kept === undefined) return undefined
      if (stopped && clock.monotonic() < stopped.retryAt) {
        counts.dropped += 1
        return undefined
      }
      const memberId = member ? memberIdOf(user.id, member.userId) : null
      const owner = replay?.owner ?? { userId: user.id, memberId, keyId: key?.id ?? null }
      const facts: RecordFacts = { requestId, at: clock.now(), ...owner }
      const onlyFailed = kept === 'failed'
      const capture = new Capture(host, facts, {
        label: onlyFailed ? 'may' : `${days}d`,
        onlyFailed,
        heedsStore: heedStore,
      })
      capture.asked({ method: request.method, address: url.pathname + url.search, headers: request.headers })
      return capture
    },
    forget(whose) {
      forgotten.add(whose)
      for (const capture of queue.take(({ facts }) => forgotten.has(facts))) give(capture.held)
    },
    async flush() {
      await queue.flush()
      await write()
      return rows.length === 0
    },
    end() {
      isClosed = true
    },
    state: () => ({
      ...counts,
      waitingBytes: held,
      stopped: stopped ? { cause: stopped.cause, since: new Date(stopped.since).toISOString() } : null,
    }),
  }
}
