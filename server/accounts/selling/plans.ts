/**
 * Plans: a group and windows of budgets that a user or a team has for a time. Whoever is given one has a copy of its terms, so that a plan
 * that is changed changes nothing for those who have it. What a plan does to a request: `withPlan` of `server/accounts/admission.ts` and
 * `server/billing/ledger/budgets.ts`.
 */
import type { Directory } from '#accounts/directory'
import { newRecord } from '#accounts/keys'
import { invalid, notFound, readUsd, uniquely } from '#accounts/refusals'
import { demandGroup } from '#accounts/users'
import type { Clock, Random } from '#runtime/clock'
import type { Actor } from '#shared/console/audit'
import type { HeldPlan, NewPlan, PlanGift, PlanPatch, PlanRow, PlanWindow } from '#shared/console/selling'
import { GatewayError } from '#shared/errors'
import { isTeamId } from '#shared/ids'
import { inForce, longestWindow } from '#shared/plan-windows'
import { audited } from '#store/accounts/audit'
import {
  countHolders,
  deletePlan,
  findPlan,
  insertPlan,
  loadPlans,
  lockHeldPlan,
  type PlanRecord,
  setHeldPlan,
  updatePlan,
} from '#store/accounts/plans'
import { loadTeam } from '#store/accounts/teams'
import { loadUser } from '#store/accounts/users'
import { foreignKeyViolation, sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'

/** Reads, changes and gives plans. For administrators. */
export interface Plans {
  rows(): Promise<PlanRow[]>
  /** The same without who has them. */
  names(): Promise<Pick<PlanRow, 'id' | 'name'>[]>
  /** Throws `name_taken`, `invalid_value`. */
  create(by: Actor, fields: NewPlan): Promise<PlanRow>
  /** Throws `not_found`, `name_taken`, `invalid_value`. */
  change(by: Actor, id: string, fields: PlanPatch): Promise<PlanRow>
  /** Who has it keeps it. Throws `not_found`, and `still_in_use` while there are codes that give it. */
  remove(by: Actor, id: string): Promise<void>
  /** The id of the user or team with this id or name. Throws `not_found`. */
  payerId(of: 'user' | 'team', word: string): string
  /** Gives a user or team a plan from now on, or moves the end of the same one. Throws `invalid_value`. */
  give(by: Actor, payerId: string, gift: PlanGift): Promise<HeldPlan>
  /** Takes it away at once. */
  take(by: Actor, payerId: string): Promise<void>
}

/** What `createPlans` needs. */
export interface PlanParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
}

const dayMs = 86_400_000
const mostDays = 3660

/** Plans over the store and the directory. */
export function createPlans({ store, directory, clock, random }: PlanParts): Plans {
  const write = <T>(by: Actor, verb: string, id: string, work: (store: Store) => Promise<T>) =>
    audited(store, by, { action: `plan.${verb}`, target: id }, async (store) => (await loadPlans(store, [id]))[0], work)

  async function rowOf(id: string): Promise<PlanRow> {
    const [row] = await rowsOf(await loadPlans(store, [id]))
    if (row === undefined) throw notFound()
    return row
  }

  async function rowsOf(records: readonly PlanRecord[]): Promise<PlanRow[]> {
    const holders = await countHolders(store, new Date(clock.now()))
    return records.map(({ createdAt, ...row }) => ({ ...row, createdAt: createdAt.toISOString(), holders: holders.get(row.id) ?? 0 }))
  }

  return {
    rows: async () => rowsOf(await loadPlans(store)),
    names: () => loadPlans(store),
    async create(by, { name, group = null, windows = [] }) {
      if (group !== null) demandGroup(directory, group, 'group')
      checkWindows(windows)
      const { id, at } = newRecord(clock, random)
      await uniquely(write(by, 'create', id, (store) => insertPlan(store, { id, name, group, windows, enabled: true, createdAt: at })))
      return rowOf(id)
    },
    async change(by, id, fields) {
      await rowOf(id)
      if (fields.group) demandGroup(directory, fields.group, 'group')
      checkWindows(fields.windows ?? [])
      await uniquely(write(by, 'change', id, (store) => updatePlan(store, id, fields)))
      return rowOf(id)
    },
    async remove(by, id) {
      await rowOf(id)
      await write(by, 'remove', id, (store) => deletePlan(store, id)).catch((thrown: unknown) => {
        if (sqlState(thrown) !== foreignKeyViolation) throw thrown
        throw new GatewayError('still_in_use', 'There are codes that give this plan. Switch it off instead.')
      })
    },
    payerId(of, word) {
      const team = () => (directory.teams.get(word) ?? directory.teamNamed(word))?.team
      const found = of === 'team' ? team() : (directory.users.get(word) ?? directory.userNamed(word))
      if (found === undefined) throw notFound()
      return found.id
    },
    async give(by, payerId, gift) {
      const plan = await findPlan(store, gift.plan)
      if (!plan?.enabled) throw invalid('plan', 'the id or the name of a plan that is not switched off')
      const now = clock.now()
      const until = Date.parse(gift.until)
      if (!(until > now && until <= now + mostDays * dayMs)) throw invalid('until', 'a time within the next ten years')
      return givePlan(store, by, payerId, plan, now, () => until)
    },
    async take(by, payerId) {
      await writePayer(store, by, payerId, (store) => setHeldPlan(store, payerId, null))
    },
  }
}

/**
 * Gives a user or team this plan, and records it: one of the same plan that is in force goes on, until `untilOf` says (milliseconds since
 * 1970); any other is replaced. Throws `not_found`; what `untilOf` throws.
 */
export function givePlan(
  store: Store,
  by: Actor,
  payerId: string,
  plan: PlanRecord,
  now: number,
  untilOf: (held: HeldPlan | undefined) => number,
): Promise<HeldPlan> {
  return writePayer(store, by, payerId, async (store) => {
    const row = await lockHeldPlan(store, payerId)
    if (row === undefined) throw notFound()
    const held = row.plan && inForce(row.plan, now) ? row.plan : undefined
    const until = new Date(untilOf(held)).toISOString()
    const { id, name, group, windows } = plan
    const given = held?.id === id ? { ...held, until } : { id, name, group, windows, from: new Date(now).toISOString(), until }
    await setHeldPlan(store, payerId, given)
    return given
  })
}

/** Runs a write to a user or team, whoever manages the row, and records it in the audit trail. */
function writePayer<T>(store: Store, by: Actor, id: string, write: (store: Store) => Promise<T>): Promise<T> {
  if (isTeamId(id)) return audited(store, by, { action: 'team.plan', target: id }, (store) => loadTeam(store, id), write)
  return audited(store, by, { action: 'user.plan', target: id }, (store) => loadUser(store, id), write)
}

function checkWindows(windows: readonly PlanWindow[]): void {
  const seen = new Set<string>()
  for (const [n, { every, amount }] of windows.entries()) {
    readUsd(amount, `windows.${n}.amount`)
    if (seen.has(every)) throw invalid(`windows.${n}.every`, 'another length than the others have')
    if (longestWindow(every) > 31) throw invalid(`windows.${n}.every`, 'at most a month: 744h, 31d, 4w or 1mo')
    seen.add(every)
  }
}
