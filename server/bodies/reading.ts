/**
 * Reads kept requests: who may read which borders, where the record is, and an audit entry for each read.
 */
import type { User } from '#accounts/caller'
import type { Sealer } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import { type BodySettings, type Border, borders } from '#shared/console/body'
import { GatewayError } from '#shared/errors'
import { memberIdOf } from '#shared/ids'
import { noteAll, onRecord } from '#store/accounts/audit'
import { type BodyRecord, findBodies, findBody } from '#store/bodies/kept-bodies'
import type { Store } from '#store/engine/store'
import { openBodyKey } from './body-keys.ts'
import { type KeptRecord, recordLine } from './record.ts'
import type { BodyThread } from './thread.ts'
import type { Unread } from './work.ts'

/** A kept request, as far as its reader may see it. */
export interface ReadBody {
  record: KeptRecord
  redacted: boolean
  /** Whether the reader also sees the borders to upstreams. */
  isWhole: boolean
}

/** A request to export. */
export interface WantedLine {
  requestId: string
  /** The beginning of its line: a JSON object with at least one field. */
  head: string
}

/** Reads kept requests. */
export interface BodyReading {
  /**
   * Reads one, with an audit entry. Throws `not_found` where there is none for this reader, `not_permitted` for an administrator
   * where only owners read, `body_elsewhere` where the files of another instance have it, `body_unreadable` where they are damaged, and
   * `internal_error` for a wrong master key.
   */
  read(by: User & Actor, requestId: string): Promise<ReadBody>
  /** The arrival times of those of these requests that this caller may read now. Reads and records nothing. */
  readable(by: User, requestIds: readonly string[]): Promise<Map<string, Date>>
  /**
   * Reads those of these requests whose bodies are stored and which the reader may read, in order, each as one line of JSON with its
   * line feed: the fields of its head, `redacted`, `whole` and `parts` with the chosen borders; or `missing`, the code of the error, where
   * its record cannot be read. The audit entry is written before the first line.
   */
  lines(by: User & Actor, wanted: readonly WantedLine[], chosen?: readonly Border[]): AsyncGenerator<Uint8Array>
  /** The row of this request, for its owner and for administrators. Throws `not_found` for others. */
  find(by: User, requestId: string): Promise<BodyRecord>
}

/** What reading needs. */
export interface ReadingParts {
  store: Store
  sealer: Sealer
  instance: string
  settings(): Pick<BodySettings, 'readers'>
  thread: Pick<BodyThread, 'read' | 'line'>
  /** Whether this user is a member of this team. */
  isMember(teamId: string, userId: string): boolean
  /** Resolves when requests answered so far can be found. */
  flushed(): Promise<void>
}

const clientBorders: readonly Border[] = ['client-request', 'client-answer']

/** Reading on a store and a thread. */
export function createReading(parts: ReadingParts): BodyReading {
  const { store, sealer, instance, settings, thread, isMember, flushed } = parts

  /** In a team the sender owns the request, as long as they are a member. */
  function isOwner({ id }: User, { userId, memberId }: BodyRecord): boolean {
    return userId === id || (memberId !== null && memberId === memberIdOf(userId, id) && isMember(userId, id))
  }

  /** Why this user may not read it; undefined: they may. */
  function refusal(by: User, row: BodyRecord): GatewayError | undefined {
    if (isOwner(by, row)) return undefined
    if (by.role !== 'admin') return noBody()
    return settings().readers === 'owners' ? ownersOnly() : undefined
  }

  /** Throws `not_permitted` for an administrator where only owners read: an export must not silently omit requests. */
  function isShown(by: User, row: BodyRecord): boolean {
    const refused = refusal(by, row)
    if (refused?.code === 'not_permitted') throw refused
    return refused === undefined
  }

  async function find(by: User, requestId: string): Promise<BodyRecord> {
    await flushed()
    const row = await findBody(store, requestId)
    if (!row || (by.role !== 'admin' && !isOwner(by, row))) throw noBody()
    return row
  }

  /** Reads this row's record in the thread. Throws `body_elsewhere`, `body_unreadable`, and `internal_error` for a wrong master key. */
  async function opened<T extends object>(row: BodyRecord, ask: (row: BodyRecord, key: string) => Promise<T | Unread>): Promise<T> {
    const found = await ask(row, openBodyKey(sealer, row))
    if (found === 'absent') {
      // It may have just been rewritten.
      const now = await findBody(store, row.requestId)
      if (now && now.segment !== row.segment) return opened(now, ask)
      throw row.instance === instance ? unreadable() : elsewhere(row.instance)
    }
    if (found === 'unreadable') throw unreadable()
    return found as T
  }

  const noteRead = (by: Actor, rows: readonly BodyRecord[]) =>
    onRecord(store, (store) =>
      noteAll(
        store,
        by,
        rows.map(({ requestId }) => ({ action: 'body.read', target: requestId, name: requestId })),
      ),
    )

  return {
    find,
    async read(by, requestId) {
      const row = await find(by, requestId)
      const refused = refusal(by, row)
      if (refused) throw refused
      const record = await opened<KeptRecord>(row, (row, key) => thread.read(spanOf(row), row.requestId, key))
      await noteRead(by, [row])
      const isWhole = by.role === 'admin'
      const own = record.parts.filter(({ border }) => clientBorders.includes(border))
      return { record: isWhole ? record : { ...record, parts: own }, redacted: row.redacted, isWhole }
    },
    async readable(by, requestIds) {
      await flushed()
      const rows = (await findBodies(store, requestIds)).filter((row) => refusal(by, row) === undefined)
      return new Map(rows.map(({ requestId, at }) => [requestId, at]))
    },
    async *lines(by, wanted, chosen = borders) {
      await flushed()
      const ids = wanted.map(({ requestId }) => requestId)
      const rows = (await findBodies(store, ids)).filter((row) => isShown(by, row))
      if (rows.length === 0) return
      await noteRead(by, rows)
      const byId = new Map(rows.map((row) => [row.requestId, row]))
      const isWhole = by.role === 'admin'
      const seen = isWhole ? chosen : chosen.filter((border) => clientBorders.includes(border))
      for (const { requestId, head } of wanted) {
        const row = byId.get(requestId)
        if (!row) continue
        const facts = `${head.slice(0, -1)},"redacted":${row.redacted},"whole":${isWhole}`
        try {
          yield await opened(row, (row, key) => thread.line(spanOf(row), row.requestId, key, facts, seen))
        } catch (thrown) {
          if (!(thrown instanceof GatewayError) || thrown.code === 'internal_error') throw thrown
          yield recordLine(`${facts},"missing":"${thrown.code}"`, undefined, seen)
        }
      }
    },
  }
}

const spanOf = ({ segment, offset, length }: BodyRecord) => ({ segment, offset, length })

const noBody = () => new GatewayError('not_found', 'No body of this request is kept.')
const ownersOnly = () =>
  new GatewayError('not_permitted', 'On this installation only the owner of a key may read the bodies of its requests.')
const unreadable = () => new GatewayError('body_unreadable', 'This body cannot be read: its file is missing or damaged.')
const elsewhere = (instance: string) =>
  new GatewayError('body_elsewhere', `This body is in the files of another instance, ${instance.slice(0, 8)}. Ask that one.`)
