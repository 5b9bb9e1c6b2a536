/**
 * Answers in progress in the background, until they are stored. Sealed, per tenant. The process that makes one renews its heartbeat every
 * few seconds; one without a heartbeat was interrupted.
 */

import type { Clock } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import { parseExact } from '#shared/exact-numbers'
import { note, onRecord } from '#store/accounts/audit'
import {
  abandonedBackground,
  type BackgroundRecord,
  beatBackground,
  cancelBackground,
  deleteBackground,
  findBackground,
  insertBackground,
  type OpenAsked,
  openBackground,
} from '#store/accounts/background-responses'
import type { Store } from '#store/engine/store'
import type { Exchange } from './stored-conversations.ts'

/** An answer in progress. */
export interface BackgroundAnswer extends Exchange {
  tenant: string
  id: string
  cancelled: boolean
  /** No process makes it any more. */
  isAbandoned: boolean
}

/** An entry in the list of answers in progress. */
export interface OpenAnswer {
  tenant: string
  id: string
  model: string | null
  cancelled: boolean
  createdAt: Date
}

/** Answers in progress. */
export interface BackgroundAnswers {
  /** `exchange`: the question, and the current response. */
  begin(tenant: string, id: string, exchange: Exchange): Promise<void>
  /** Undefined if the tenant has none of this id in progress. */
  find(tenant: string, id: string): Promise<BackgroundAnswer | undefined>
  /** Answers in progress, newest first. */
  open(asked: OpenAsked): Promise<OpenAnswer[]>
  /** Renews the heartbeat of these; resolves to the ids among them that are to be cancelled. */
  beat(ids: readonly string[]): Promise<string[]>
  /** Asks the process that makes it to stop. Undefined as for `find`. `by`: the actor for the audit trail. */
  cancel(tenant: string, id: string, by?: Actor): Promise<BackgroundAnswer | undefined>
  /** Marks it as ended; false if another process has already done so. */
  end(tenant: string, id: string): Promise<boolean>
  /** Some of the interrupted answers. */
  abandoned(): Promise<BackgroundAnswer[]>
}

/** Milliseconds without a heartbeat after which an answer counts as interrupted. */
const silence = 20_000

const identity = (tenant: string, id: string) => JSON.stringify(['background response', tenant, id])
/** Any other text is not an id of ours, and the database may reject it. */
const isId = (id: string) => /^resp_[0-9A-Za-z]{1,100}$/.test(id)

/** Answers in this store. */
export function createBackgroundAnswers({ store, sealer, clock }: { store: Store; sealer: Sealer; clock: Clock }): BackgroundAnswers {
  const before = () => new Date(clock.now() - silence)

  function opened({ tenant, id, cancelled, beatAt, sealed }: BackgroundRecord): BackgroundAnswer {
    // Sealed by us with its identity, so it needs no validation.
    const exchange = parseExact(sealer.open(sealed, identity(tenant, id))) as Exchange
    return { ...exchange, tenant, id, cancelled, isAbandoned: beatAt < before() }
  }

  const stoppedBy = (by: Actor, tenant: string, id: string) =>
    onRecord(store, async (store) => {
      const row = await cancelBackground(store, tenant, id)
      if (row) await note(store, by, { action: 'answer.stop', target: id, name: id })
      return row
    })

  return {
    async begin(tenant, id, exchange) {
      const at = new Date(clock.now())
      const sealed = sealer.seal(JSON.stringify(exchange), identity(tenant, id))
      await insertBackground(store, { tenant, id, createdAt: at, beatAt: at, cancelled: false, sealed })
    },
    async find(tenant, id) {
      const row = isId(id) ? await findBackground(store, tenant, id) : undefined
      return row && opened(row)
    },
    async open(asked) {
      if (asked.id !== undefined && !isId(asked.id)) return []
      return (await openBackground(store, asked)).map((row) => {
        const { model = null } = opened(row).response as { model?: string }
        return { tenant: row.tenant, id: row.id, model, cancelled: row.cancelled, createdAt: row.createdAt }
      })
    },
    beat: (ids) => beatBackground(store, ids, new Date(clock.now())),
    async cancel(tenant, id, by) {
      if (!isId(id)) return undefined
      const row = await (by ? stoppedBy(by, tenant, id) : cancelBackground(store, tenant, id))
      return row && opened(row)
    },
    end: (tenant, id) => deleteBackground(store, tenant, id),
    abandoned: async () => (await abandonedBackground(store, before())).map(opened),
  }
}
