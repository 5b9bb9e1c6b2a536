/** Searches by id, name or the end of a key, within what the caller may see. */
import type { Accounts } from '#accounts/accounts'
import type { User } from '#accounts/caller'
import type { Teams } from '#accounts/teams/teams'
import { type ConsoleDeps, consoleRoute } from '#http/console/route/console-route'
import { readOne } from '#http/console/route/one-value'
import type { Route } from '#http/request/route'
import type { ChannelRegistry } from '#routing/channels'
import { consolePageList, type Found, type FoundKind } from '#shared/console/search'
import { GatewayError } from '#shared/errors'

/** What the route needs from the program. */
export interface SearchDeps extends ConsoleDeps {
  accounts: Accounts
  channels: ChannelRegistry
  teams: Pick<Teams, 'seenBy'>
  selling: { plans: { all(): Promise<{ id: string; name: string }[]> } }
}

/** Most results of a kind. */
const mostOfAKind = 4

/** `GET /api/search`. */
export function searchRoutes(deps: SearchDeps): Route[] {
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/search',
      who: 'session',
      scope: 'read',
      query: ['q'],
      async handle({ user, query }) {
        const q = (readOne(query, 'q') ?? '').trim()
        if (!/^\P{Cc}{1,256}$/u.test(q)) throw new GatewayError('invalid_value', 'q: expected 1 to 256 characters.', { param: 'q' })
        const data = [...(await requestsNamed(deps, user, q)), ...(await thingsNamed(deps, user, q))]
        return { body: { data, next: null } }
      },
    }),
  ]
}

async function requestsNamed({ accounts }: SearchDeps, user: User, q: string): Promise<Found[]> {
  if (!/^[\w-]{8,200}$/.test(q)) return []
  try {
    const { row } = await accounts.usageLog.find(user, q)
    const note = [row.model, row.status, `$${row.charged}`].join(', ')
    return [{ kind: 'request', id: q, name: q, note, path: `/requests/${encodeURIComponent(q)}` }]
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === 'not_found') return []
    throw thrown
  }
}

async function thingsNamed(deps: SearchDeps, user: User, q: string): Promise<Found[]> {
  const words = q.toLowerCase()
  return (await candidates(deps, user, q)).flatMap(({ kind, rows }) =>
    rows
      .map((row) => ({ row: { kind, ...row }, rank: row.exact === true ? 0 : rankOf(row, words) }))
      .filter(({ rank }) => rank < missed)
      .sort((a, b) => a.rank - b.rank || (a.row.name < b.row.name ? -1 : 1))
      .slice(0, mostOfAKind)
      .map(({ row: { exact: _, ...found } }) => found),
  )
}

/** A candidate row; `exact` if it matched by something other than its name or id. */
type Candidate = Omit<Found, 'kind'> & { exact?: boolean }

const missed = 4

/** 0 for the whole name or id, 1 for the beginning of a name, 2 for the beginning of a word in it, 3 for another part. */
function rankOf({ id, name }: Pick<Candidate, 'id' | 'name'>, words: string): number {
  const text = name.toLowerCase()
  if (text === words || id.toLowerCase() === words) return 0
  const at = text.indexOf(words)
  if (at < 0) return missed
  return at === 0 ? 1 : /[\s/._:-]/.test(text[at - 1] ?? '') ? 2 : 3
}

async function candidates(deps: SearchDeps, user: User, q: string): Promise<{ kind: FoundKind; rows: Candidate[] }[]> {
  const { accounts, channels, teams, selling } = deps
  const admin = user.role === 'admin'
  const seg = encodeURIComponent
  const usable = admin ? [...accounts.groups.all()] : accounts.groupsOf(user)
  const models = new Set(usable.flatMap(({ name }) => channels.modelsOf(name)))
  return [
    { kind: 'key', rows: keysFor(accounts, user, q) },
    {
      kind: 'user',
      rows: !admin
        ? []
        : [...accounts.users.all()].map(({ id, name, role }) => ({ id, name, note: role, path: `/admin/users/${seg(id)}` })),
    },
    {
      kind: 'team',
      rows: teams.seenBy(user).map(({ id, name }) => ({
        ...{ id, name, note: null },
        path: `${admin ? '/admin/teams' : '/team'}?open=${seg(id)}`,
      })),
    },
    { kind: 'model', rows: [...models].map((name) => ({ id: name, name, note: null, path: `/models?q=${seg(name)}` })) },
    {
      kind: 'channel',
      rows: !admin ? [] : channels.rows().map(({ id, name, vendor }) => ({ id, name, note: vendor, path: `/admin/channels/${seg(id)}` })),
    },
    {
      kind: 'group',
      rows: usable.map(({ name, description }) => ({
        id: name,
        name,
        note: description === '' ? null : description,
        path: admin ? `/admin/groups?open=${seg(name)}` : `/models?group=${seg(name)}`,
      })),
    },
    {
      kind: 'plan',
      rows: !admin ? [] : (await selling.plans.all()).map(({ id, name }) => ({ id, name, note: null, path: '/admin/selling' })),
    },
    {
      kind: 'page',
      rows: consolePageList.filter((page) => admin || page.admin !== true).map(({ path, name }) => ({ id: path, name, note: null, path })),
    },
  ]
}

/** Keys by name, id, or the last characters of a secret, which may be pasted whole. */
function keysFor({ keys }: Accounts, user: User, q: string): Candidate[] {
  const end = /^(sk-)?[\x21-\x7e]{4,}$/.test(q) ? q.slice(-4) : undefined
  return (user.role === 'admin' ? keys.all() : keys.ownedBy(user)).map((key) => {
    const row = keys.row(key)
    const note = user.role === 'admin' ? `${row.hint}, ${row.user.name}` : row.hint
    return { id: row.id, name: row.name, note, path: `/keys/${encodeURIComponent(row.id)}`, exact: row.hint.slice(-4) === end }
  })
}
