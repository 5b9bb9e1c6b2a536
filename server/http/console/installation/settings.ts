/** Settings of the whole installation, for administrators. */
import type { Settings } from '#accounts/settings'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import type { Route } from '#http/request/route'
import { SettingsPatch } from '#shared/console/settings'

/** What the settings routes need from the program. */
export interface SettingsDeps extends ConsoleDeps {
  settings: Pick<Settings, 'row' | 'change'>
}

/** `GET` and `PATCH /api/settings`. */
export function settingsRoutes(deps: SettingsDeps): Route[] {
  const { settings } = deps
  const path = '/api/settings'
  return [
    consoleRoute(deps, { method: 'GET', path, who: 'admin', scope: 'settings', handle: () => ({ body: settings.row() }) }),
    consoleRoute(deps, {
      method: 'PATCH',
      path,
      who: 'admin',
      scope: 'settings',
      body: SettingsPatch,
      handle: async ({ user, body }) => ({ body: await settings.change(user, body) }),
    }),
  ]
}
