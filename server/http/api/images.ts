/** The doors of pictures: made from words, and changed by words, from JSON or a form. */

import { isForm, readForm } from '#http/request/read-form'
import type { Route, Visit } from '#http/request/route'
import { answer } from './operation-route.ts'
import type { RelayServices } from './relay-route.ts'

function edit(services: RelayServices, visit: Visit): Promise<Response> {
  const form = isForm(visit.request) ? { read: ({ request }: Visit) => readForm(services, request) } : {}
  return answer(services, visit, { operation: 'image', style: 'openai', variant: 'edit', ...form })
}

export function imageRoutes(services: RelayServices): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({ method: 'POST', path, envelope: 'chat', slow: true, handle })
  return [
    post('/v1/images/generations', (visit) => answer(services, visit, { operation: 'image', style: 'openai' })),
    post('/v1/images/edits', (visit) => edit(services, visit)),
    // What edits were called before there was more than one kind.
    post('/v1/edits', (visit) => edit(services, visit)),
  ]
}
