/** GET /api/search: objects with this id, name or end of a key, as far as the caller may see them. */

/** Kinds of results, in display order. */
export const foundKinds = ['request', 'key', 'user', 'team', 'model', 'channel', 'group', 'plan', 'page'] as const
export type FoundKind = (typeof foundKinds)[number]

/** A search result; at most four of a kind, the best match first. */
export interface Found {
  kind: FoundKind
  /** Id of a request, key, user, team, channel or plan; address of a page; otherwise the name. */
  id: string
  name: string
  /** The second line: an owner, a status, a hint of a key. */
  note: string | null
  /** Its page in the console. */
  path: string
}

/** Console pages that a search finds: their addresses and English names. */
export const consolePageList: readonly { path: string; name: string; admin?: true }[] = [
  { path: '/', name: 'Playground' },
  { path: '/overview', name: 'Overview' },
  { path: '/requests', name: 'Requests' },
  { path: '/usage', name: 'Usage' },
  { path: '/keys', name: 'Keys' },
  { path: '/models', name: 'Models' },
  { path: '/team', name: 'Team' },
  { path: '/account', name: 'Account' },
  { path: '/docs', name: 'API reference' },
  { path: '/admin/channels', name: 'Channels', admin: true },
  { path: '/admin/prices', name: 'Models and prices', admin: true },
  { path: '/admin/users', name: 'Users', admin: true },
  { path: '/admin/teams', name: 'Teams', admin: true },
  { path: '/admin/selling', name: 'Plans and codes', admin: true },
  { path: '/admin/groups', name: 'Groups', admin: true },
  { path: '/admin/alerts', name: 'Alerts', admin: true },
  { path: '/admin/audit', name: 'Audit', admin: true },
  { path: '/admin/settings', name: 'Settings', admin: true },
]
