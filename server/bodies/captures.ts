/**
 * Kept requests from the main thread's side: who is kept, the room that all of them share, and the rows that say where they lie. Whatever
 * fails here (a full queue, a full disk, a database that is away) is counted and told, and stops nothing else.
 */
import type { Caller } from '#accounts/caller'
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Sealer } from '#runtime/secrets'
import type { BodiesState, BodySettings } from '#shared/console/body'
import { type BodyRecord, insertBodies, type WhoseBodies } from '#store/bodies/kept-bodies'
import type { Store } from '#store/engine/store'
import { createBodyQueue } from './body-queue.ts'
import { Capture } from './capture.ts'
import { createForgotten } from './forgotten.ts'
import { keepRule, keptFor } from './keep-rule.ts'
import type { RecordFacts } from './record.ts'
import { safeHeaders, safePath } from './safe-head.ts'
import type { Lot, LotResult, WrittenRecord } from './work.ts'

/** Bytes that all captures may hold, open ones and those that wait for the thread. */
const room = 64 * 1024 * 1024
/** Milliseconds after which a disk that refused is tried again. */
const retryMs = 30_000
/** Rows that wait for the database at most. */
const mostRows = 20_000

/** A request as its endpoint has it. */
export interface CapturedRequest {
  requestId: string
  url: Pick<URL, 'pathname' | 'searchParams'>
  request: { method: string; headers: Pick<Headers, 'get'> & Iterable<[string, string]> }
}

/** Begins captures. */
export interface Captures {
  /** The capture of a request that may be kept; undefined when it is not. */
  begin(visit: CapturedRequest, caller: Caller): Capture | undefined
  /** What was noted of these requests so far is never kept. */
  forget(whose: WhoseBodies): void
  /** Resolves with whether all that has finished so far can be read, or could not be kept: false when rows wait. Never rejects. */
  flush(): Promise<boolean>
  state(): BodiesState
  /** Nothing is begun any more; what cannot be written from now on is only counted. */
  end(): void
}

/** What captures need. */
export interface CapturesParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Pick<Random, 'fraction'>
  log: Log
  /** The installation that writes. */
  instance: string
  settings(): BodySettings
  /** The thread. */
  keep(lot: Lot): Promise<LotResult>
}

/** What a record's key is sealed as. */
const keyName = (requestId: string) => `body:${requestId}`

/** The record's key. Throws GatewayError `internal_error` for another master key, another row, or changed text. */
export const openBodyKey = (sealer: Sealer, { requestId, sealedKey }: BodyRecord): string => sealer.open(sealedKey, keyName(requestId))

/** Captures on a store and a thread. */
export function createCaptures(parts: CapturesParts): Captures {
  const { store, sealer, clock, random, log, instance, settings } = parts
  const counts = { kept: 0, dropped: 0 }
  const forgotten = createForgotten(clock)
  let held = 0
  let rows: BodyRecord[] = []
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
      const written = result?.written ?? []
      counts.dropped += captures.length - written.length
      judge(result?.fault ?? (result ? undefined : 'thread'))
      rows.push(...written.filter((record) => !forgotten.has(record)).map(rowOf))
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

  function rowOf({ requestId, at, userId, keyId, segment, offset, length, key, redacted }: WrittenRecord): BodyRecord {
    const place = { instance, segment, offset, length, redacted }
    return { requestId, at: new Date(at), userId, keyId, ...place, sealedKey: sealer.seal(key, keyName(requestId)) }
  }

  /** Writes the rows that wait, one statement at a time; those that the database does not take now go with the next ones. */
  function write(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    const lot = rows.filter((row) => !forgotten.has({ ...row, at: row.at.getTime() }))
    rows = []
    if (lot.length === 0) return
    try {
      await insertBodies(store, lot)
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
    take(bytes: number) {
      if (held + bytes > room) return false
      held += bytes
      return true
    },
    give,
    finished(capture: Capture) {
      const isFine = capture.end === 'complete' || capture.end === 'length'
      if ((capture.onlyFailed && isFine) || forgotten.has(capture.facts)) give(capture.held)
      else if (capture.isGivenUp) counts.dropped += 1
      else queue.put(capture)
    },
  }

  return {
    begin({ requestId, url, request }, { user, key, group }) {
      if (isClosed || request.headers.get('x-parley-store')?.trim().toLowerCase() === 'no') return undefined
      const { keep, days } = settings()
      const kept = keptFor(keepRule(keep, key?.keepBodies, group.keepBodies), random.fraction())
      if (kept === undefined) return undefined
      if (stopped && clock.monotonic() < stopped.retryAt) {
        counts.dropped += 1
        return undefined
      }
      const facts: RecordFacts = { requestId, at: clock.now(), userId: user.id, keyId: key?.id ?? null }
      const onlyFailed = kept === 'failed'
      const capture = new Capture(host, facts, { label: onlyFailed ? 'may' : `${days}d`, onlyFailed })
      capture.asked({ method: request.method, address: safePath(url), headers: safeHeaders(request.headers) })
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
