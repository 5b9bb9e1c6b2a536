/** Changes as a stream: pages reload what they show on an event, instead of polling. */
import type { Accounts } from '#accounts/accounts'
import { type Asker, type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import type { Route, Visit } from '#http/request/route'
import { readSessionCookie } from '#http/request/session-cookie'
import type { LiveChanges, Watch, Watcher } from '#live/live-changes'
import { outgoingBody } from '#runtime/outgoing-body'
import type { Change } from '#shared/console/overview'
import { GatewayError } from '#shared/errors'

/** What the route needs from the program. */
export interface EventDeps extends ConsoleDeps {
  accounts: Accounts
  live: LiveChanges
}

const heartbeat = { bytes: new TextEncoder().encode(': here\n\n'), everyMs: 15_000 }
/** Seconds after which a refused caller may try again. */
const retryAfter = 30

/** `GET /api/events`. */
export function eventRoutes(deps: EventDeps): Route[] {
  const { live, clock } = deps
  const route = consoleRoute(deps, {
    method: 'GET',
    path: '/api/events',
    who: 'session',
    scope: 'read',
    handle({ visit, user }) {
      const watch = live.watch(watcherOf(deps, visit, user))
      if (watch === undefined) throw new GatewayError('rate_limit_exceeded', 'You have too many event streams open.', { retryAfter })
      const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
      return { headers, stream: outgoingBody(eventsOf(watch), clock, heartbeat, visit.idleGuard) }
    },
  })
  return [{ ...route, slow: true }]
}

function watcherOf({ accounts, publicUrl }: EventDeps, { request }: Visit, { id: userId, through }: Asker): Watcher {
  const session = accounts.nameOf(readSessionCookie(request, publicUrl) ?? '')
  return {
    userId,
    isAdmin: () => accounts.users.get(userId)?.role === 'admin',
    isLive: () => (through ? accounts.managementKeys.isLive(through.id) : accounts.isLive(session)),
    keys: () => {
      const user = accounts.users.get(userId)
      return user ? accounts.keys.ownedBy(user).map(({ id }) => id) : []
    },
    teams: () => [...accounts.directory.members.all()].flatMap((member) => (member.userId === userId ? member.teamId : [])),
  }
}

/** The bytes of a watch: a first line at once, to show the caller that it has begun, then an event for each change. */
function eventsOf(watch: Watch) {
  const encoder = new TextEncoder()
  let begun = false
  return {
    async next() {
      if (!begun) {
        begun = true
        return encoder.encode('retry: 3000\n\n')
      }
      const what = await watch.next()
      return what && encoder.encode(`event: change\ndata: ${JSON.stringify({ what } satisfies Change)}\n\n`)
    },
    close: watch.close,
  }
}
