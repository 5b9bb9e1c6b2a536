/** The doors of pictures: made from words, and changed by words, from JSON or a form. */
import { answer } from './operation-door.ts'
import { isForm, readForm } from './read-form.ts'
import type { RelayDoor } from './relay-door.ts'
import type { Route, Visit } from './route.ts'

function edit(door: RelayDoor, visit: Visit): Promise<Response> {
  const form = isForm(visit.request) ? { read: ({ request }: Visit) => readForm(door, request) } : {}
  return answer(door, visit, { operation: 'image', style: 'openai', variant: 'edit', ...form })
}

export function imageRoutes(door: RelayDoor): Route[] {
  const post = (path: string, handle: Route['handle']): Route => ({ method: 'POST', path, envelope: 'chat', slow: true, handle })
  return [
    post('/v1/images/generations', (visit) => answer(door, visit, { operation: 'image', style: 'openai' })),
    post('/v1/images/edits', (visit) => edit(door, visit)),
    // What edits were called before there was more than one kind.
    post('/v1/edits', (visit) => edit(door, visit)),
  ]
}
