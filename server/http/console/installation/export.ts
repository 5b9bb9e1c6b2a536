/** The console's rows as a parley.yaml, without secrets. */
import type { Settings } from '#accounts/settings'
import type { Members } from '#accounts/teams/members'
import type { Teams } from '#accounts/teams/teams'
import type { PriceBook } from '#billing/pricing/price'
import { exportText, type MadeRows } from '#declare/export'
import { consoleRoute } from '#http/console/route/console-route'
import type { ConsoleServices } from '#http/console/route/services'
import type { Route } from '#http/request/route'
import type { ChannelRegistry } from '#routing/channels'
import { inForce } from '#shared/plan-windows'

/** What the export needs from the program. */
export interface ExportDeps extends ConsoleServices {
  teams: Pick<Teams, 'seenBy' | 'rows'> & { members: Pick<Members, 'seenBy' | 'rows'> }
  selling: { plans: { all(): Promise<MadeRows['plans']> } }
  channels: Pick<ChannelRegistry, 'rows' | 'all'>
  prices: Pick<PriceBook, 'all'>
  settings: Pick<Settings, 'row'>
}

/** `GET /api/export`. Management keys need the scope `read`: it contains rows of every kind. */
export function exportRoutes(deps: ExportDeps): Route[] {
  const { accounts, teams, selling, channels, prices, settings, clock } = deps
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/export',
      who: 'admin',
      scope: 'read',
      async handle({ user }) {
        const vendors = new Map([...channels.all()].map(({ id, vendor }) => [id, vendor]))
        const { fallbacks, balancing, checkMinutes, managedByFile } = settings.row()
        const isOwn = (name: 'balancing' | 'checkMinutes') => !managedByFile.routing.includes(name)
        const text = exportText(
          {
            groups: [...accounts.groups.all()].map((group) => accounts.groups.managedRow(group, user)),
            channels: channels.rows(),
            prices: [...prices.all()].map(({ model, managed, fields }) => ({ model, managed, ...fields })),
            plans: await selling.plans.all(),
            held: heldNow(accounts.directory, clock.now()),
            users: await accounts.users.rows([...accounts.users.all()]),
            teams: await Promise.all(
              (await teams.rows(user, teams.seenBy(user))).map(async (row) => ({
                row,
                members: await teams.members.rows(teams.members.seenBy(user, row.id)),
              })),
            ),
            keys: accounts.keys.all().map(accounts.keys.row),
            fallbacks: Object.fromEntries(Object.entries(fallbacks).filter(([model]) => !managedByFile.fallbacks.includes(model))),
            routing: {
              ...(balancing !== undefined && isOwn('balancing') && { balancing }),
              ...(checkMinutes !== undefined && isOwn('checkMinutes') && { checkMinutes }),
            },
          },
          (id) => {
            const { baseUrl = null, speaks = [], operations = [] } = vendors.get(id) ?? {}
            return { baseUrl, speaks: [...speaks], operations: [...operations] }
          },
        )
        const headers = { 'content-type': 'application/yaml; charset=utf-8', 'content-disposition': 'attachment; filename="parley.yaml"' }
        return { stream: new Blob([text]).stream(), headers }
      },
    }),
  ]
}

/** Current holders of plans that parley.yaml did not give. */
function heldNow({ users, teams }: ConsoleServices['accounts']['directory'], now: number): MadeRows['held'] {
  const payers = [...users.all(), ...[...teams.all()].map(({ team }) => team)]
  return new Map(
    payers.flatMap(({ id, plan }) => (plan && !plan.byFile && inForce(plan, now) ? [[id, { name: plan.name, until: plan.until }]] : [])),
  )
}
