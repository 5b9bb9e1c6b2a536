/** Quotas of the signed-in user, and how much of them is used. */
import type { User } from '#accounts/caller'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import type { Route } from '#http/request/route'
import type { QuotaRow, Quotas } from '#shared/console/quota'

/** What the route needs from the program. */
export interface QuotaDeps extends ConsoleDeps {
  quotas(): Quotas
  /** How many keys of the user count. */
  keysOf(user: User): number
  /** How many stored invitations the user has created. */
  invitationsOf(user: User): Promise<number>
  /** What the user has stored of conversations. */
  storedBy(user: User): Promise<{ count: number; bytes: number }>
  /** The user's stored files. */
  filesOf(user: User): Promise<{ count: number; bytes: number }>
}

/** `GET /api/quotas`. */
export function quotaRoutes(deps: QuotaDeps): Route[] {
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/quotas',
      who: 'session',
      scope: 'keys',
      async handle({ user }) {
        const { count, bytes } = await deps.storedBy(user)
        const files = await deps.filesOf(user)
        const stored = {
          conversations: count,
          conversationBytes: bytes,
          files: files.count,
          fileBytes: files.bytes,
          invitations: await deps.invitationsOf(user),
        }
        const used = { keys: deps.keysOf(user), modelsPerKey: null, ...stored }
        const most = deps.quotas()
        const data = Object.entries(used).map(([name, used]) => ({ name, used, most: most[name as keyof Quotas] })) as QuotaRow[]
        return { body: { data, next: null } }
      },
    }),
  ]
}
