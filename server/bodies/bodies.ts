/**
 * Kept requests: what was sent and answered at the four borders, sealed in files of the data folder. This is where they are read and
 * deleted; `captures.ts` is how they get there. Start with `openBodies`.
 */
import type { User } from '#accounts/caller'
import { exists } from '#runtime/folder'
import { every } from '#runtime/schedule'
import type { Actor } from '#shared/console/audit'
import { GatewayError } from '#shared/errors'
import { note, onRecord } from '#store/accounts/audit'
import { type BodyRecord, deleteBodies, findBody, keptAmong, type WhoseBodies } from '#store/bodies/kept-bodies'
import { type Captures, type CapturesParts, createCaptures, openBodyKey } from './captures.ts'
import type { KeptRecord } from './record.ts'
import { createBodyThread } from './thread.ts'
import { keepWithinBounds } from './upkeep.ts'

/** Milliseconds. */
const everyMs = 60_000
/** A request that another instance was answering when bodies were deleted may be written by it a little later. */
const againMs = 5_000
const flushMs = 1_000

/** A kept request, as far as its reader may see it. */
export interface ReadBody {
  record: KeptRecord
  redacted: boolean
  /** Whether the reader sees the borders to upstreams, too. */
  isWhole: boolean
}

/** Kept requests. */
export interface Bodies extends Captures {
  /** The ids of those of these requests whose bodies are kept. */
  keptAmong(requestIds: readonly string[]): Promise<Set<string>>
  /**
   * Reads one, and records that it was read. Throws `not_found` where there is none for this reader, `not_permitted` for an administrator
   * where only owners read, `body_elsewhere` where the files of another instance have it, `body_unreadable` where they are damaged, and
   * `internal_error` for a wrong master key.
   */
  read(by: User & Actor, requestId: string): Promise<ReadBody>
  /** Deletes one; throws `not_found` where there is none that this caller may delete. */
  remove(by: User & Actor, requestId: string): Promise<void>
  /** Deletes all bodies of a key or a user; resolves with how many there were. Who may do so is for the caller to check. */
  removeAll(by: Actor, whose: Exclude<WhoseBodies, { requestId: string }>): Promise<number>
  /** Takes what is deleted or beyond the bounds out of the files: what the background does every minute. */
  tidy(): Promise<void>
  /** Ends what runs in the background, and writes what waits. */
  close(): Promise<void>
}

/** What kept bodies need. */
export interface BodiesParts extends Omit<CapturesParts, 'keep'> {
  folder: string
}

/** Kept requests in a folder. The thread starts with the first one that is kept. */
export function openBodies(parts: BodiesParts): Bodies {
  const { store, sealer, clock, log, instance, settings, folder } = parts
  const thread = createBodyThread(clock, folder, instance)
  const captures = createCaptures({ ...parts, keep: thread.keep })
  const upkeep = { store, clock, instance, settings, thread, flush: captures.flush }
  const failed = (thrown: unknown) => log.warn({ err: thrown }, 'could not keep the files of kept bodies within their bounds')
  let isStale = false
  const job = every(clock, everyMs, tidy, failed)

  async function tidy(): Promise<void> {
    if (!(await exists(folder))) return
    const turns = isStale
    isStale = false
    await keepWithinBounds(upkeep, turns)
  }

  async function flushed(): Promise<void> {
    await Promise.race([captures.flush(), clock.sleep(flushMs)])
  }

  function demandReader({ id, role }: User, { userId }: BodyRecord): void {
    if (userId === id) return
    if (role !== 'admin') throw noBody()
    if (settings().readers === 'owners') throw ownersOnly()
  }

  async function found(requestId: string): Promise<BodyRecord> {
    await flushed()
    const row = await findBody(store, requestId)
    if (!row) throw noBody()
    return row
  }

  async function recordOf(row: BodyRecord): Promise<KeptRecord> {
    const key = openBodyKey(sealer, row)
    const record = await thread.read({ segment: row.segment, offset: row.offset, length: row.length }, row.requestId, key)
    if (record === 'absent') {
      // It may just have been written anew.
      const now = await findBody(store, row.requestId)
      if (now && now.segment !== row.segment) return recordOf(now)
      throw row.instance === instance ? unreadable() : elsewhere(row.instance)
    }
    if (record === 'unreadable') throw unreadable()
    return record
  }

  async function removeRows(by: Actor, whose: WhoseBodies, action: string, target: string): Promise<number> {
    const until = new Date(clock.now())
    captures.forget(whose)
    clock.after(againMs, () => void deleteBodies(store, whose, until).catch(failed))
    const gone = await onRecord(store, async (store) => {
      const count = await deleteBodies(store, whose, until)
      if (count > 0) await note(store, by, { action, target, name: target, after: { count } })
      return count
    })
    isStale = true
    return gone
  }

  return {
    ...captures,
    keptAmong: async (requestIds) => {
      await flushed()
      return keptAmong(store, requestIds)
    },
    async read(by, requestId) {
      const row = await found(requestId)
      demandReader(by, row)
      const record = await recordOf(row)
      await onRecord(store, (store) => note(store, by, { action: 'body.read', target: requestId, name: requestId }))
      const isWhole = by.role === 'admin'
      const own = record.parts.filter(({ border }) => border === 'client-request' || border === 'client-answer')
      return { record: isWhole ? record : { ...record, parts: own }, redacted: row.redacted, isWhole }
    },
    async remove(by, requestId) {
      const row = await found(requestId)
      if (row.userId !== by.id && by.role !== 'admin') throw noBody()
      await removeRows(by, { requestId }, 'body.remove', requestId)
    },
    async removeAll(by, whose) {
      await flushed()
      const target = 'keyId' in whose ? whose.keyId : whose.userId
      return removeRows(by, whose, 'body.remove', target)
    },
    tidy,
    async close() {
      job.cancel()
      captures.end()
      await flushed()
      await thread.close()
    },
  }
}

const noBody = () => new GatewayError('not_found', 'No body of such a request is kept.')
const ownersOnly = () => new GatewayError('not_permitted', 'Here only the owner of a key reads the bodies of its requests.')
const unreadable = () => new GatewayError('body_unreadable', 'This body cannot be read: its file is missing or damaged.')
const elsewhere = (instance: string) =>
  new GatewayError('body_elsewhere', `This body lies in the files of another instance, ${instance.slice(0, 8)}. Ask that one.`)
