/** Routes and their descriptions: each has the other. The list is only built here; nothing is served. */
import { expect, test } from 'bun:test'
import { routeDocs, strayRoutes } from '#http/docs/openapi'
import { type RouteParts, routesOf } from './routes.ts'

/** Stub for anything that building a list of routes accesses. */
const anything: unknown = new Proxy(() => undefined, { get: (_, name) => (name === Symbol.toPrimitive ? () => '' : anything) })

test('every route is described, and every description is of a route', () => {
  const routes = routesOf(anything as RouteParts)
  expect(routes.length).toBeGreaterThan(40)
  expect(strayRoutes(routes)).toEqual({ undescribed: [], unserved: [] })
})

test('undescribed and unserved routes are found', () => {
  const handle = () => new Response()
  const stray = strayRoutes([{ method: 'GET', path: '/v1/stray', envelope: 'chat', handle }])
  expect(stray.undescribed).toEqual(['GET /v1/stray'])
  expect(stray.unserved).toHaveLength(new Set(routeDocs.map(({ route }) => route)).size)
})
