/**
 * Kept requests on the main thread: which are stored, the room they share, and the rows with their locations. Any failure
 * here (a full queue, a full disk, an unreachable database) is counted and reported, and affects nothing else.
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

/** Bytes that all captures may hold, both open and waiting for the thread. */
const room = 64 * 1024 * 1024
/** Bytes of it for frames of sessions. */
const frameRoom = room / 2
/** Milliseconds after which a failed disk is tried again. */
const retryMs = 30_000
/** Most rows waiting for the database. */
const mostRows = 20_000

/** A request, from its endpoint. */
export interface CapturedRequest {
  requestId: string
  url: Pick<URL, 'pathname' | 'search' | 'searchParams'>
  request: { method: string; headers: Pick<Headers, 'get'> & Iterable<[string, string]> }
  /** Set for a replay, which is stored too, for the owner of the original, so that both are deleted together. */
  replay?: { owner: Owner } | undefined
}

/** Begins captures. */
export interface Captures {
  /** The capture of a request that may be stored; undefined otherwise. */
  begin(visit: CapturedRequest, caller: Caller): Capture | undefined
  /** What was recorded of these requests so far is never stored. */
  forget(whose: WhoseBodies): void
  /** Resolves to whether everything finished so far is readable or was given up: false when rows wait. Never rejects. */
  flush(): Promise<boolean>
  state(): CaptureState
  /** Begins nothing more; what cannot be written from now on is only counted. */
  end(): void
}

/** State of captures. */
export type CaptureState = Pick<BodiesState, 'kept' | 'dropped' | 'waitingBytes' | 'stopped'>

/** Dependencies of captures. */
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

  /** Reports once when the disk fails, and when it works again. */
  function judge(fault: string | undefined): void {
    if (fault === undefined) {
      if (stopped) log.info({ cause: stopped.cause }, 'bodies are kept again')
      stopped = undefined
      return
    }
    if (!stopped && !isClosed) log.error({ cause: fault }, 'bodies cannot be written and are not kept for now; requests are not affected')
    stopped = { cause: fault, since: stopped?.since ?? clock.now(), retryAt: clock.monotonic() + retryMs }
  }

  /** Writes waiting rows, one statement at a time; those that fail are sent with the next ones. */
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
      log.warn({ err: thrown }, 'could not write the locations of kept bodies')
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
