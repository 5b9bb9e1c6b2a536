/** Tests a single channel, for administrators: whether it responds, and which models its upstream lists. */

import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import type { Route } from '#http/request/route'
import type { Probe } from '#relay/admin/probe'
import type { ChannelRegistry } from '#routing/channels'
import { ChannelDraft } from '#shared/console/channel'
import { ProbeQuestion } from '#shared/console/inspection/probe'

/** What the channel test routes need from the program. */
export interface ProbeDeps extends ConsoleDeps {
  probe: Probe
  channels: Pick<ChannelRegistry, 'draft'>
}

/** `POST /api/channels/{id}/test`, `GET /api/channels/{id}/models` and `POST /api/channels/models`. */
export function probeRoutes(deps: ProbeDeps): Route[] {
  const { probe, channels } = deps
  const test = consoleRoute(deps, {
    method: 'POST',
    path: '/api/channels/:id/test',
    who: 'admin',
    scope: 'channels',
    body: ProbeQuestion,
    handle: async ({ visit, body }) => ({ body: await probe.test(visit.params.id ?? '', body, visit.request.signal) }),
  })
  const models = consoleRoute(deps, {
    method: 'GET',
    path: '/api/channels/:id/models',
    who: 'admin',
    scope: 'channels',
    handle: async ({ visit }) => ({ body: await probe.models(visit.params.id ?? '', visit.request.signal) }),
  })
  const listed = consoleRoute(deps, {
    method: 'POST',
    path: '/api/channels/models',
    who: 'admin',
    scope: 'channels',
    body: ChannelDraft,
    // Its models are not known yet; the name is never shown.
    handle: async ({ visit, body }) => ({
      body: await probe.models(channels.draft({ name: 'draft', models: ['draft'], ...body }), visit.request.signal),
    }),
  })
  // Upstreams can be slow; the probe has its own timeouts.
  return [test, models, listed].map((route) => ({ ...route, slow: true }))
}
