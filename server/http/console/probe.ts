/** Asking one channel on its own, for administrators: does it answer, and which models does its upstream have. */

import type { Route } from '#http/request/route'
import type { Probe } from '#relay/admin/probe'
import { ProbeQuestion } from '#shared/console/probe'
import { type ConsoleDeps, consoleRoute } from './console-route.ts'

export interface ProbeDeps extends ConsoleDeps {
  probe: Probe
}

export function probeRoutes(deps: ProbeDeps): Route[] {
  const { probe } = deps
  const test = consoleRoute(deps, {
    method: 'POST',
    path: '/api/channels/:id/test',
    who: 'admin',
    body: ProbeQuestion,
    handle: async ({ visit, body }) => ({ body: await probe.test(visit.params.id ?? '', body, visit.request.signal) }),
  })
  const models = consoleRoute(deps, {
    method: 'GET',
    path: '/api/channels/:id/models',
    who: 'admin',
    handle: async ({ visit }) => ({ body: await probe.models(visit.params.id ?? '', visit.request.signal) }),
  })
  // Upstreams take their time; the probe has limits of its own.
  return [test, models].map((route) => ({ ...route, slow: true }))
}
