/**
 * Applies the plans of parley.yaml, and their holders. Plans are matched by name; one that is no longer in the file is switched off. A plan
 * given by the file ends when its line is removed; one given by the console or a code stays where the file names none. Nothing is written
 * when nothing changed. Errors carry `INDEX.field` as `param`.
 */
import { changes, eachRow, insertsAndUpdates, type Step } from '#accounts/declared-changes'
import { newRecord } from '#accounts/keys'
import { invalid, uniquely } from '#accounts/refusals'
import { demandGroup } from '#accounts/users'
import { theFile } from '#shared/console/audit'
import type { DeclaredHold, HeldPlan, NewPlan } from '#shared/console/selling'
import { GatewayError } from '#shared/errors'
import { inForce } from '#shared/plan-windows'
import { auditedAll } from '#store/accounts/audit'
import { insertPlan, loadPlans, type PlanRecord, updatePlan } from '#store/accounts/plans'
import { checkWindows, givePlan, longestMs, type PlanParts, takePlan } from './plans.ts'

/** A user or team of the file. */
export interface DeclaredHolder {
  name: string
  plan?: DeclaredHold
}

/** Call these with all rows of the file: plans after its groups, holders after its users and teams. Throw `name_taken`, `invalid_value`. */
export interface DeclaredPlans {
  declarePlans(rows: readonly NewPlan[]): Promise<void>
  declareHolders(of: 'user' | 'team', rows: readonly DeclaredHolder[]): Promise<void>
}

/** Applies declared plans to the store. */
export function createDeclaredPlans({ store, directory, clock, random }: PlanParts): DeclaredPlans {
  function planStep({ name, group = null, windows = [] }: NewPlan, known: PlanRecord | undefined): Step<PlanRecord> | undefined {
    if (known?.managed === 'console')
      throw new GatewayError('name_taken', 'A plan of this name was already created in the console. Rename or delete one of the two.', {
        param: 'name',
      })
    if (group !== null) demandGroup(directory, group, 'group')
    checkWindows(windows)
    const columns = { name, group, windows, enabled: true, managed: 'file' as const }
    if (known === undefined) {
      const { id, at } = newRecord(clock, random)
      return { fresh: { id, ...columns, createdAt: at } }
    }
    const differing = changes(columns, known)
    return differing && { id: known.id, columns: differing }
  }

  /** Users or teams by name, with their current plans. */
  function holders(of: 'user' | 'team'): { id: string; name: string; held: HeldPlan | undefined }[] {
    const all = of === 'user' ? [...directory.users.all()] : [...directory.teams.all()].map(({ team }) => team)
    const now = clock.now()
    return all.map(({ id, name, plan }) => ({ id, name, held: plan && inForce(plan, now) ? plan : undefined }))
  }

  /** The plan and its end from a line of the file; undefined for none, and for one that has ended. */
  function wantedOf({ plan: wanted }: DeclaredHolder, plans: readonly PlanRecord[]): { plan: PlanRecord; until: number } | undefined {
    if (wanted === undefined) return undefined
    const plan = plans.find(({ name, enabled }) => enabled && name === wanted.name)
    if (plan === undefined) throw invalid('plan.name', 'the name of a plan that is not switched off')
    const until = Date.parse(wanted.until)
    if (until > clock.now() + longestMs) throw invalid('plan.until', 'a time within the next ten years')
    return until > clock.now() ? { plan, until } : undefined
  }

  return {
    async declarePlans(rows) {
      const stored = await loadPlans(store)
      const byName = new Map(stored.map((plan) => [plan.name, plan]))
      const wanted = new Set(rows.map(({ name }) => name))
      const left = stored.filter(({ name, managed, enabled }) => managed === 'file' && enabled && !wanted.has(name))
      const { fresh, changed, deeds } = insertsAndUpdates(
        'plan',
        [...eachRow(rows, (row) => planStep(row, byName.get(row.name))), ...left.map(({ id }) => ({ id, columns: { enabled: false } }))],
        ({ id }) => id,
      )
      if (deeds.length === 0) return
      const look = async (on: typeof store, ids: readonly string[]) => new Map((await loadPlans(on, ids)).map((row) => [row.id, row]))
      await uniquely(
        auditedAll(store, theFile, deeds, look, async (store) => {
          for (const row of fresh) await insertPlan(store, row)
          for (const { id, columns } of changed) await updatePlan(store, id, columns)
        }),
      )
    },
    async declareHolders(of, rows) {
      const plans = rows.some(({ plan }) => plan !== undefined) ? await loadPlans(store) : []
      const wanted = new Map(eachRow(rows, (row) => ({ name: row.name, gift: wantedOf(row, plans) })).map(({ name, gift }) => [name, gift]))
      const now = clock.now()
      for (const { id, name, held } of holders(of)) {
        const gift = wanted.get(name)
        if (gift === undefined) {
          if (held?.byFile) await takePlan(store, theFile, id, now)
        } else if (!(held?.byFile && held.id === gift.plan.id && Date.parse(held.until) === gift.until)) {
          await givePlan(store, theFile, id, gift.plan, now, () => gift.until)
        }
      }
    },
  }
}
