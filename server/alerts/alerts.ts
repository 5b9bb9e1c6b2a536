/**
 * Alerts: hooks, the outbox, and its deliveries. A notice (`notice.ts`) is written once for each threshold and
 * window, whichever instance makes it, together with its delivery to every hook; each delivery is retried until it succeeds (at least
 * once), or given up after eight tries in nine hours. Nothing here is on the path of a request. Start with `createAlerts`.
 */
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Sealer } from '#runtime/secrets'
import type { AlertDeliveryRow, AlertHookPatch, AlertHookRow, AlertTestAnswer, DeliveryState, NewAlertHook } from '#shared/console/alert'
import type { Actor } from '#shared/console/audit'
import type { Page } from '#shared/console/model'
import { GatewayError } from '#shared/errors'
import { audited } from '#store/accounts/audit'
import { type AlertHookRecord, deleteAlertHook, insertAlertHook, loadAlertHook, loadAlertHooks, updateAlertHook } from '#store/alerts/hooks'
import {
  deleteAlertsBefore,
  endDelivery,
  loadDelivery,
  pageDeliveries,
  reviveDelivery,
  type TakenDelivery,
  takeDue,
  writeAlerts,
} from '#store/alerts/outbox'
import type { Store } from '#store/engine/store'
import type { Notice } from './notice.ts'
import type { Place, Send } from './send.ts'
import { addressOf, assertTarget } from './target.ts'

/** Seconds until the next try, after each failed one. */
const pauses = [5, 30, 120, 600, 1_800, 7_200, 21_600]
/** Longer than a try may take: then a delivery of a dead instance is claimed by another. */
const takenMs = 60_000
const atOnce = 20
const keepMs = 90 * 86_400_000
const mostHooks = 50

/** Alerts of the whole installation. */
export interface Alerts {
  hooks(): Promise<AlertHookRow[]>
  /** The secret (of the form `http`) cannot be retrieved again. Throws `invalid_value`, `quota_exceeded`. */
  create(by: Actor, fields: NewAlertHook): Promise<{ row: AlertHookRow; secret: string | null }>
  /** Throws `not_found`, `invalid_value`. */
  change(by: Actor, id: string, fields: AlertHookPatch): Promise<AlertHookRow>
  /** Throws `not_found`. */
  remove(by: Actor, id: string): Promise<void>
  /** Sends a test at once, bypassing the outbox. Throws `not_found`. */
  test(id: string): Promise<AlertTestAnswer>
  page(asked: { limit: number; after?: string; state?: DeliveryState }): Promise<Page<AlertDeliveryRow>>
  /** Retries a delivery that was given up. Throws `not_found`. */
  retry(by: Actor, id: string): Promise<void>
  /** Writes the notices that were not written before. */
  note(noticed: readonly Notice[]): Promise<void>
  /** Tries every due delivery; resolves to their number. */
  deliver(): Promise<number>
  /** Deletes alerts older than ninety days. */
  sweep(): Promise<void>
}

interface Parts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  log: Log
  send: Send
}

const notFound = () => new GatewayError('not_found', 'There is no hook or delivery with this id.')

export function createAlerts({ store, sealer, clock, random, log, send }: Parts): Alerts {
  const id = (prefix: string) => prefix + random.base62(20)

  const seal = (hook: string, target: { url: string; secret: string | null }) => sealer.seal(JSON.stringify(target), `alert-hook:${hook}`)
  const placeOf = ({ id, form, sealed, mailFrom, mailTo }: AlertHookRecord): Place => ({
    form,
    from: mailFrom,
    to: mailTo,
    ...(JSON.parse(sealer.open(sealed, `alert-hook:${id}`)) as { url: string; secret: string | null }),
  })

  /** Notifies the delivery loops. */
  const announce = (to: Store = store) => to.changes.publish('alerts', undefined)

  async function found(id: string): Promise<AlertHookRecord> {
    const row = await loadAlertHook(store, id)
    if (!row) throw notFound()
    return row
  }

  const write = (by: Actor, verb: 'create' | 'change' | 'remove', hook: string, work: (store: Store) => Promise<unknown>) =>
    audited(
      store,
      by,
      { action: `alertHook.${verb}`, target: hook },
      (store) => loadAlertHook(store, hook),
      async (store) => {
        await work(store)
        await announce(store)
      },
    )

  async function tryOnce(taken: TakenDelivery): Promise<void> {
    const hook = await loadAlertHook(store, taken.hookId)
    if (!hook) return
    const end = async (fields: Parameters<typeof endDelivery>[2]) => {
      await endDelivery(store, taken.id, fields)
      await announce()
    }
    if (!hook.enabled) return end({ state: 'dead', answer: 'the place is switched off' })
    const { ok, answer } = await send(placeOf(hook), { id: taken.alertId, kind: taken.kind, at: taken.at, data: taken.data })
    const now = clock.now()
    const pause = pauses[taken.tries - 1]
    if (ok) await end({ state: 'sent', answer, sentAt: new Date(now) })
    else if (pause === undefined) {
      log.warn({ hook: hook.name, alert: taken.kind, answer }, 'an alert could not be delivered and was given up')
      await end({ state: 'dead', answer })
    } else await end({ state: 'waiting', answer, dueAt: new Date(now + pause * 1000) })
  }

  return {
    hooks: async () => (await loadAlertHooks(store)).map(rowOf),
    async create(by, { name, form, url, secret = null, from = null, to = null, kinds = null, enabled = true }) {
      assertTarget({ form, url, from, to })
      const hook = id('ah_')
      const own = form === 'http' ? (secret ?? `whsec_${Buffer.from(random.hex(32), 'hex').toString('base64')}`) : secret
      const row: AlertHookRecord = {
        ...{ id: hook, name, form, address: addressOf(url), sealed: seal(hook, { url, secret: own }) },
        ...{ mailFrom: from, mailTo: to, kinds, enabled, createdAt: new Date(clock.now()) },
      }
      await write(by, 'create', hook, async (store) => {
        if ((await loadAlertHooks(store)).length >= mostHooks)
          throw new GatewayError('quota_exceeded', `There may be at most ${mostHooks} hooks.`)
        await insertAlertHook(store, row)
      })
      return { row: rowOf(row), secret: form === 'http' && secret === null ? own : null }
    },
    async change(by, hook, { url, secret, from, to, ...fields }) {
      const before = await found(hook)
      const place = placeOf(before)
      // With a new URL its secret must be given, too.
      const target = { url: url ?? place.url, secret: secret === undefined ? (url === undefined ? place.secret : null) : secret }
      if (before.form === 'http' && target.secret === null) target.secret = place.secret
      const after = { from: from === undefined ? before.mailFrom : from, to: to === undefined ? before.mailTo : to }
      assertTarget({ form: before.form, url: target.url, ...after })
      const next = {
        ...fields,
        ...{ mailFrom: after.from, mailTo: after.to },
        ...((url !== undefined || secret !== undefined) && { sealed: seal(hook, target), address: addressOf(target.url) }),
      }
      await write(by, 'change', hook, (store) => updateAlertHook(store, hook, next))
      return rowOf(await found(hook))
    },
    async remove(by, hook) {
      await found(hook)
      await write(by, 'remove', hook, (store) => deleteAlertHook(store, hook))
    },
    async test(hook) {
      const data = { text: 'This is a test of the alerts of Parley.', link: null, subject: null, facts: {} }
      return send(placeOf(await found(hook)), { id: id('al_'), kind: 'test', at: new Date(clock.now()), data })
    },
    async page({ limit, ...asked }) {
      const rows = await pageDeliveries(store, { ...asked, limit: limit + 1 })
      const page = rows.slice(0, limit)
      return {
        data: page.map(({ delivery, alert, hook }) => ({
          ...{ id: delivery.id, alert: alert.id, at: alert.at.toISOString(), kind: alert.kind, data: alert.data, hook },
          ...{ state: delivery.state, tries: delivery.tries, answer: delivery.answer },
          nextTryAt: delivery.state === 'waiting' ? delivery.dueAt.toISOString() : null,
          sentAt: delivery.sentAt?.toISOString() ?? null,
        })),
        next: rows.length > limit ? (page.at(-1)?.delivery.id ?? null) : null,
      }
    },
    async retry(by, delivery) {
      const look = async (store: Store) => (await loadDelivery(store, delivery)) ?? {}
      await audited(store, by, { action: 'alert.retry', target: delivery }, look, async (store) => {
        if (!(await reviveDelivery(store, delivery, new Date(clock.now())))) throw notFound()
        await announce(store)
      })
    },
    async note(noticed) {
      const at = new Date(clock.now())
      const written = await writeAlerts(
        store,
        noticed.map((one) => ({ id: id('al_'), at, ...one })),
      )
      if (written > 0) await announce()
    },
    async deliver() {
      const due = await takeDue(store, { now: new Date(clock.now()), forMs: takenMs, most: atOnce })
      await Promise.all(due.map(tryOnce))
      return due.length
    },
    sweep: () => deleteAlertsBefore(store, new Date(clock.now() - keepMs)),
  }
}

const rowOf = ({ id, name, form, address, mailFrom, mailTo, kinds, enabled, createdAt }: AlertHookRecord): AlertHookRow => ({
  ...{ id, name, form, address, from: mailFrom, to: mailTo, kinds, enabled },
  createdAt: createdAt.toISOString(),
})
