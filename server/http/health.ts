/** Liveness and readiness. */
import { json } from '#http/request/respond'
import type { Route } from '#http/request/route'

/** `degraded`: the database is unreachable but requests are still served; `unavailable`: they are not. */
export type Readiness = 'starting' | 'ready' | 'degraded' | 'unavailable' | 'draining'

const serves = (readiness: Readiness) => readiness === 'ready' || readiness === 'degraded'

/** 200 as soon as the port is open. */
export const live = (): Response => json({ status: 'alive' })

/** 200 while requests are accepted, else 503. */
export const ready = (readiness: Readiness): Response => json({ status: readiness }, serves(readiness) ? 200 : 503)

/** `GET /healthz` and `GET /readyz`. */
export function healthRoutes(readiness: () => Promise<Readiness>): Route[] {
  return [
    { method: 'GET', path: '/healthz', envelope: 'chat', handle: live },
    { method: 'GET', path: '/readyz', envelope: 'chat', handle: async () => ready(await readiness()) },
  ]
}
