/** Image endpoints: generation and edits, from JSON or a form. */

import { isForm, readForm } from '#http/request/read-form'
import type { Route, Visit } from '#http/request/route'
import { answer } from './operation-route.ts'
import type { RelayServices } from './relay-route.ts'

function edit(services: RelayServices, visit: Visit): Promise<Response> {
  const form = isForm(visit.request) ? { read: ({ request, capture }: Visit) => readForm(services, request, capture) } : {}
  return answer(services, visit, { operation: 'image', style: 'openai', variant: 'edit', ...form })
}

/** `/v1/images/generations`, `/v1/images/edits` and the older `/v1/edits`. */
export function imageRoutes(services: RelayServices): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({ method: 'POST', path, envelope: 'chat', slow: true, handle })
  return [
    post('/v1/images/generations', (visit) => answer(services, visit, { operation: 'image', style: 'openai' })),
    post('/v1/images/edits', (visit) => edit(services, visit)),
    // The former path of image edits.
    post('/v1/edits', (visit) => edit(services, visit)),
  ]
}
