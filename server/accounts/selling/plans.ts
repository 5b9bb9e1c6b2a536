/**
 * Plans: a group and budget windows that a user or team has for a time. Holders have a copy of its terms, so that changing a plan does not
 * affect them. For the effect of a plan on a request see `withPlan` of `server/accounts/admission.ts` and
 * `server/billing/ledger/budgets.ts`.
 */
import type { Directory } from '#accounts/directory'
import { newRecord } from '#accounts/keys'
import { demandConsole, invalid, notFound, readUsd, uniquely } from '#accounts/refusals'
import { demandGroup } from '#accounts/users'
import type { Clock, Random } from '#runtime/clock'
import { type Actor, theFile } from '#shared/console/audit'
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
  /** The same without the number of holders. */
  all(): Promise<Omit<PlanRow, 'holders'>[]>
  /** Throws `name_taken`, `invalid_value`. */
  create(by: Actor, fields: NewPlan): Promise<PlanRow>
  /** Throws `not_found`, `managed_by_file`, `name_taken`, `invalid_value`. */
  change(by: Actor, id: string, fields: PlanPatch): Promise<PlanRow>
  /** Holders keep it. Throws `not_found`, `managed_by_file`, and `still_in_use` while there are codes that give it. */
  remove(by: Actor, id: string): Promise<void>
  /** The id of the user or team with this id or name. Throws `not_found`. */
  payerId(of: 'user' | 'team', word: string): string
  /** Gives a user or team a plan from now on, or moves the end of the same one. Throws `invalid_value`, `managed_by_file`. */
  give(by: Actor, payerId: string, gift: PlanGift): Promise<HeldPlan>
  /** Removes it at once. Throws `managed_by_file`. */
  take(by: Actor, payerId: string): Promise<void>
}

/** What `createPlans` needs. */
export interface PlanParts {
  store: Store
  directory: Directory
  clock: Clock
  random: Random
}

/** The longest duration of a plan, in milliseconds. */
export const longestMs = 3660 * 86_400_000

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
    return records.map((record) => ({ ...rowWithoutHolders(record), holders: holders.get(record.id) ?? 0 }))
  }

  return {
    rows: async () => rowsOf(await loadPlans(store)),
    all: async () => (await loadPlans(store)).map(rowWithoutHolders),
    async create(by, { name, group = null, windows = [] }) {
      if (group !== null) demandGroup(directory, group, 'group')
      checkWindows(windows)
      const { id, at } = newRecord(clock, random)
      await uniquely(
        write(by, 'create', id, (store) =>
          insertPlan(store, { id, name, group, windows, enabled: true, managed: 'console', createdAt: at }),
        ),
      )
      return rowOf(id)
    },
    async change(by, id, fields) {
      demandConsole(await rowOf(id))
      if (fields.group) demandGroup(directory, fields.group, 'group')
      checkWindows(fields.windows ?? [])
      await uniquely(write(by, 'change', id, (store) => updatePlan(store, id, fields)))
      return rowOf(id)
    },
    async remove(by, id) {
      demandConsole(await rowOf(id))
      await write(by, 'remove', id, (store) => deletePlan(store, id)).catch((thrown: unknown) => {
        if (sqlState(thrown) !== foreignKeyViolation) throw thrown
        throw new GatewayError('still_in_use', 'There are codes for this plan, so it cannot be deleted. Switch it off instead.')
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
      if (!(until > now && until <= now + longestMs)) throw invalid('until', 'a time within the next ten years')
      return givePlan(store, by, payerId, plan, now, () => until)
    },
    async take(by, payerId) {
      await takePlan(store, by, payerId, clock.now())
    },
  }
}

/**
 * Gives a user or team this plan, and records it: the same plan in force is extended until the time of `untilOf` (milliseconds since
 * 1970); any other is replaced. Only `theFile` changes what parley.yaml gave. Throws `not_found`, `managed_by_file`; what `untilOf` throws.
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
    demandOwn(by, held)
    const until = new Date(untilOf(held)).toISOString()
    const { id, name, group, windows } = plan
    const terms: HeldPlan = held?.id === id ? { ...held, until } : { id, name, group, windows, from: new Date(now).toISOString(), until }
    const given: HeldPlan = by === theFile ? { ...terms, byFile: true } : terms
    await setHeldPlan(store, payerId, given)
    return given
  })
}

/** Removes the plan of a user or team, and records it. Throws `not_found`, `managed_by_file`. */
export function takePlan(store: Store, by: Actor, payerId: string, now: number): Promise<void> {
  return writePayer(store, by, payerId, async (store) => {
    const row = await lockHeldPlan(store, payerId)
    if (row === undefined) throw notFound()
    demandOwn(by, row.plan && inForce(row.plan, now) ? row.plan : undefined)
    await setHeldPlan(store, payerId, null)
  })
}

const rowWithoutHolders = ({ createdAt, ...row }: PlanRecord) => ({ ...row, createdAt: createdAt.toISOString() })

function demandOwn(by: Actor, held: HeldPlan | undefined): void {
  if (held?.byFile && by !== theFile) demandConsole({ managed: 'file' })
}

/** Runs a write to a user or team, whoever manages the row, and records it in the audit trail. */
function writePayer<T>(store: Store, by: Actor, id: string, write: (store: Store) => Promise<T>): Promise<T> {
  if (isTeamId(id)) return audited(store, by, { action: 'team.plan', target: id }, (store) => loadTeam(store, id), write)
  return audited(store, by, { action: 'user.plan', target: id }, (store) => loadUser(store, id), write)
}

/** Throws `invalid_value` for windows that a plan cannot have. */
export function checkWindows(windows: readonly PlanWindow[]): void {
  const seen = new Set<string>()
  for (const [n, { every, amount }] of windows.entries()) {
    readUsd(amount, `windows.${n}.amount`)
    if (seen.has(every)) throw invalid(`windows.${n}.every`, 'another length than the others have')
    if (longestWindow(every) > 31) throw invalid(`windows.${n}.every`, 'at most a month: 744h, 31d, 4w or 1mo')
    seen.add(every)
  }
}
