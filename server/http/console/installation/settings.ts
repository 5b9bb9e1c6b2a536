/** Settings of the whole installation, for administrators. */
import type { Settings } from '#accounts/settings'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import { pageOf, paging, readPaging } from '#http/console/route/page'
import type { Route } from '#http/request/route'
import { type EnvironmentRow, SettingsPatch } from '#shared/console/settings'

/** What the settings routes need from the program. */
export interface SettingsDeps extends ConsoleDeps {
  settings: Pick<Settings, 'row' | 'change'>
  /** Variables of the environment. */
  environment: readonly EnvironmentRow[]
}

/** `GET` and `PATCH /api/settings`, `GET /api/environment`. */
export function settingsRoutes(deps: SettingsDeps): Route[] {
  const { settings, environment } = deps
  const path = '/api/settings'
  return [
    consoleRoute(deps, { method: 'GET', path, who: 'admin', scope: 'settings', handle: () => ({ body: settings.row() }) }),
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/environment',
      who: 'admin',
      scope: 'settings',
      query: paging,
      handle: ({ query }) => ({ body: pageOf('environment', environment, (row) => row.name, readPaging(query)) }),
    }),
    consoleRoute(deps, {
      method: 'PATCH',
      path,
      who: 'admin',
      scope: 'settings',
      fresh: ({ requireSecondFactor, secondFactorAfterProvider, bodies }) =>
        requireSecondFactor !== undefined || secondFactorAfterProvider !== undefined || bodies?.readers !== undefined,
      body: SettingsPatch,
      handle: async ({ user, body }) => ({ body: await settings.change(user, body) }),
    }),
  ]
}
