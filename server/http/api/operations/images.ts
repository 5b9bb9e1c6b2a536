/** Image endpoints: generation and edits, from JSON or a form. */

import { answer, type OwnOperation } from '#http/api/operation-route'
import type { RelayServices } from '#http/api/relay-route'
import { isForm, readForm } from '#http/request/read-form'
import type { Route, Visit } from '#http/request/route'

function edit(services: RelayServices, visit: Visit): Promise<Response> {
  const read: OwnOperation['read'] = ({ request, capture }, _, room) => readForm(services, request, capture, room)
  const form = isForm(visit.request) ? { read } : {}
  return answer(services, visit, { operation: 'image', style: 'openai', variant: 'edit', ...form })
}

function vary(services: RelayServices, visit: Visit): Promise<Response> {
  const read: OwnOperation['read'] = ({ request, capture }, _, room) => readForm(services, request, capture, room)
  return answer(services, visit, { operation: 'image', style: 'openai', variant: 'variation', read })
}

/** `/v1/images/generations`, `/v1/images/edits`, `/v1/images/variations` and the older `/v1/edits`. */
export function imageRoutes(services: RelayServices): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({ method: 'POST', path, envelope: 'chat', slow: true, handle })
  return [
    post('/v1/images/generations', (visit) => answer(services, visit, { operation: 'image', style: 'openai' })),
    post('/v1/images/edits', (visit) => edit(services, visit)),
    post('/v1/images/variations', (visit) => vary(services, visit)),
    // The former path of image edits.
    post('/v1/edits', (visit) => edit(services, visit)),
  ]
}
