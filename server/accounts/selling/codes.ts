/**
 * Codes: made in batches, shown once, redeemed once. Redeeming marks the code, posts the entry `code:<id>` and gives the plan in one
 * transaction, so that only one of any number of attempts on any instances succeeds, atomically.
 */
import type { User } from '#accounts/caller'
import { type Directory, groupExists } from '#accounts/directory'
import { createThrottle } from '#accounts/guard/throttle'
import { newRecord } from '#accounts/keys'
import { invalid, notFound, notPermittedInTeam, readUsd, teamNotAllowed } from '#accounts/refusals'
import { manages, roleIn } from '#accounts/team-rights'
import { sha256Hex } from '#runtime/secrets'
import type { Actor } from '#shared/console/audit'
import type { CodeRow, NewCodes, Redeemed, Redemption } from '#shared/console/selling'
import { GatewayError } from '#shared/errors'
import { formatUsd } from '#shared/money'
import { note, onRecord } from '#store/accounts/audit'
import {
  type CodeRecord,
  codeWithDigest,
  insertCodes,
  isCodeOrBatch,
  openCodesOf,
  pageCodes,
  revokeCodes,
  takeCode,
} from '#store/accounts/codes'
import { findPlan, loadPlans } from '#store/accounts/plans'
import type { Store } from '#store/engine/store'
import { postGrant, readWallets } from '#store/ledger/ledger'
import { codeLetters, codeOf } from './code-text.ts'
import { payersLike } from './payers.ts'
import { givePlan, type PlanParts } from './plans.ts'

/** Where a page of codes ended. */
export interface CodeCursor {
  at: Date
  id: string
}

/** Creates, lists, revokes and redeems codes. */
export interface Codes {
  /**
   * Newest first. `q`: part of the note, hint, batch or id, or of the name of its addressee or redeemer. `more`: where the next page
   * begins.
   */
  page(asked: { limit: number; after?: CodeCursor; batch?: string; state?: CodeRow['state']; q?: string }): Promise<{
    rows: CodeRow[]
    more: CodeCursor | null
  }>
  /** For administrators. The rows, each with its code, which cannot be retrieved again. Throws `invalid_value`, `missing_field`. */
  create(by: Actor, fields: NewCodes): Promise<{ batch: string; codes: (CodeRow & { code: string })[] }>
  /** For administrators. Revokes a code, or what is left of a batch; resolves to how many. Throws `not_found`. */
  revoke(by: Actor, idOrBatch: string): Promise<number>
  /** Throws `invalid_code`, `code_used`, `plan_running`, `too_many_attempts`, `team_not_allowed`, `not_permitted`. */
  redeem(by: User & Actor, redemption: Redemption, address: string): Promise<Redeemed>
}

const dayMs = 86_400_000

const invalidCode = () =>
  new GatewayError('invalid_code', 'This code is not valid: it is mistyped, used, revoked, expired, or for someone else.', {
    param: 'code',
  })

/** Codes over the store and the directory. */
export function createCodes({ store, directory, clock, random }: PlanParts): Codes {
  const throttle = createThrottle(clock, 'to redeem a code')

  return {
    async page({ limit, after, batch, state, q }) {
      const found = await pageCodes(store, {
        limit,
        ...(after && { after }),
        ...(batch !== undefined && { batch }),
        ...(state && { state: { is: state, now: new Date(clock.now()) } }),
        ...(q !== undefined && { words: { text: q, ids: payersLike(directory, q) } }),
      })
      const records = found.slice(0, limit)
      const last = found.length > limit ? records.at(-1) : undefined
      return { rows: await rowsOf(store, directory, records, clock.now()), more: last ? { at: last.createdAt, id: last.id } : null }
    },
    async create(by, fields) {
      const { records, secrets } = await newCodes({ store, directory, clock, random }, fields)
      const [{ batch, value, planId, days, group, forUser, expiresAt } = records[0] as CodeRecord] = records
      const after = { count: records.length, value: formatUsd(value), plan: planId, days, group, user: forUser, expiresAt }
      await onRecord(store, async (store) => {
        await insertCodes(store, records)
        await note(store, by, { action: 'code.create', target: batch, name: fields.note || batch, after: { ...after } })
      })
      const rows = await rowsOf(store, directory, records, clock.now())
      return { batch, codes: rows.map((row, n) => ({ ...row, code: secrets[n] ?? '' })) }
    },
    async revoke(by, idOrBatch) {
      return onRecord(store, async (store) => {
        const open = await openCodesOf(store, idOrBatch)
        if (open.length === 0 && !(await isCodeOrBatch(store, idOrBatch))) throw notFound()
        const ids = open.map(({ id }) => id)
        const count = open.length === 0 ? 0 : await revokeCodes(store, ids, new Date(clock.now()))
        if (count > 0)
          await note(store, by, { action: 'code.revoke', target: idOrBatch, name: open[0]?.hint ?? idOrBatch, after: { count } })
        return count
      })
    },
    async redeem(by, { code, team }, address) {
      const payer = team === undefined ? by : teamFor(directory, by, team)
      const attempt = await throttle.attempt(by.id, address, async () => false)
      try {
        const digest = sha256Hex(codeLetters(code) ?? '')
        const redeemed = await onRecord(store, (store) => redeemOnce(store, by, payer, digest, clock.now()))
        attempt.succeeded()
        return redeemed
      } catch (thrown) {
        if (!(thrown instanceof GatewayError && thrown.code === 'invalid_code')) attempt.undecided()
        throw thrown
      }
    },
  }
}

/** The rows of a batch, and their codes in the same order. */
async function newCodes({ store, directory, clock, random }: PlanParts, fields: NewCodes) {
  const value = fields.value === undefined ? 0n : readUsd(fields.value, 'value')
  const plan = fields.plan === undefined ? undefined : await findPlan(store, fields.plan)
  if (fields.plan !== undefined && !plan?.enabled) throw invalid('plan', 'the id or the name of a plan that is not switched off')
  if ((plan === undefined) !== (fields.days === undefined)) throw invalid('days', 'a number of days with a plan, and none without')
  if (value === 0n && plan === undefined) throw invalid('value', 'an amount above zero, or a plan')
  const forUser = fields.user == null ? undefined : (directory.users.get(fields.user) ?? directory.userNamed(fields.user))
  if (fields.user != null && forUser === undefined) throw invalid('user', 'the id or the name of a user')
  if (fields.group != null && !groupExists(directory, fields.group)) throw invalid('group', 'a group that exists')
  const expiresAt = fields.expiresAt == null ? null : new Date(fields.expiresAt)
  if (expiresAt !== null && !(expiresAt.getTime() > clock.now())) throw invalid('expiresAt', 'a time in the future')
  const batch = `batch_${random.hex(12)}`
  const secrets = Array.from({ length: fields.count }, () => codeOf(random.hex(15)))
  const records = secrets.map((secret): CodeRecord => {
    const { id, at } = newRecord(clock, random)
    return {
      ...{ id, batch, digest: sha256Hex(codeLetters(secret) ?? ''), hint: `...${secret.slice(-4)}`, note: fields.note ?? '', value },
      ...{ planId: plan?.id ?? null, days: fields.days ?? null, group: fields.group ?? null, forUser: forUser?.id ?? null },
      ...{ createdAt: at, expiresAt, revokedAt: null, redeemedAt: null, redeemedBy: null, walletId: null },
    }
  })
  return { records, secrets }
}

/** Codes for a team are redeemed by its managers. */
function teamFor(directory: Directory, by: User, word: string): { id: string; name: string; groups: readonly string[] } {
  const team = (directory.teams.get(word) ?? directory.teamNamed(word))?.team
  const role = team && roleIn(directory, by, team.id)
  if (!team || role === undefined) throw teamNotAllowed()
  if (!manages(role)) throw notPermittedInTeam()
  return team
}

async function redeemOnce(
  store: Store,
  by: User & Actor,
  payer: { id: string; name: string; groups: readonly string[] },
  digest: string,
  now: number,
): Promise<Redeemed> {
  const code = await codeWithDigest(store, digest)
  if (code?.redeemedBy === by.id) throw new GatewayError('code_used', 'You have already redeemed this code.', { param: 'code' })
  const isForThem = code && (code.forUser ?? by.id) === by.id && (code.group === null || payer.groups.includes(code.group))
  const taken = isForThem ? await takeCode(store, code.id, { at: new Date(now), userId: by.id, walletId: payer.id }) : undefined
  if (taken === undefined) throw invalidCode()
  const { id, value, planId, days, hint } = taken
  const posting = { kind: 'credit', actor: by.id, reason: `code ${hint}`, at: new Date(now) } as const
  if (value > 0n) {
    await postGrant(store.db, { ...posting, walletId: payer.id, amount: value, ref: `code:${id}` })
    // Leased money counts too: a balance that exceeds the column could not be read any more.
    await readWallets(store.db, [payer.id])
    await store.changes.publish('accounts', payer.id)
  }
  const [plan] = planId === null ? [] : await loadPlans(store, [planId])
  const held = plan && (await givePlan(store, by, payer.id, plan, now, (held) => endOf(held, plan.id, now, days ?? 0)))
  await note(store, by, {
    ...{ action: 'code.redeem', target: id, name: hint },
    after: { value: formatUsd(value), wallet: payer.id, ...(held && { plan: held.name, until: held.until }) },
  })
  return { value: formatUsd(value), plan: held ? { name: held.name, until: held.until } : null }
}

/** A running plan is extended by the days of the code. Throws `plan_running` while a different one runs. */
function endOf(held: { id: string; until: string } | undefined, planId: string, now: number, days: number): number {
  if (held && held.id !== planId) {
    throw new GatewayError('plan_running', 'Another plan is running. Redeem this code when it has ended; the code stays valid.')
  }
  return Math.max(now, held ? Date.parse(held.until) : now) + days * dayMs
}

async function rowsOf(store: Store, directory: Directory, records: readonly CodeRecord[], now: number): Promise<CodeRow[]> {
  const ids = new Set(records.flatMap(({ planId }) => planId ?? []))
  const names = new Map(ids.size === 0 ? [] : (await loadPlans(store, [...ids])).map(({ id, name }) => [id, name]))
  const who = (id: string | null) => (id === null ? null : { id, name: directory.users.get(id)?.name ?? '' })
  const wallet = (id: string | null) => (id === null ? null : { id, name: directory.teams.get(id)?.team.name ?? who(id)?.name ?? '' })
  return records.map((code) => ({
    ...{ id: code.id, batch: code.batch, hint: code.hint, note: code.note, value: formatUsd(code.value) },
    plan: code.planId === null ? null : { id: code.planId, name: names.get(code.planId) ?? '', days: code.days ?? 0 },
    group: code.group,
    user: who(code.forUser),
    state: stateOf(code, now),
    createdAt: code.createdAt.toISOString(),
    expiresAt: code.expiresAt?.toISOString() ?? null,
    redeemedAt: code.redeemedAt?.toISOString() ?? null,
    redeemedBy: who(code.redeemedBy),
    wallet: wallet(code.walletId),
  }))
}

function stateOf({ redeemedAt, revokedAt, expiresAt }: CodeRecord, now: number): CodeRow['state'] {
  if (redeemedAt !== null) return 'redeemed'
  if (revokedAt !== null) return 'revoked'
  return expiresAt !== null && expiresAt.getTime() <= now ? 'expired' : 'open'
}
