/** The doors of pictures: made from words, and changed by words, from JSON or a form. */
import { answer } from './operation-door.ts'
import { isForm, readForm } from './read-form.ts'
import type { RelayServices } from './relay-door.ts'
import type { Route, Visit } from './route.ts'

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
