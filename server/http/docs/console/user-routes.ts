/** The API reference about users and their wallets. */
import type { RouteDoc } from '../route-doc.ts'
import { doc, inQuery, list, once } from './console-route-doc.ts'

/** Query parameters of the entries of a wallet. */
export const entryFilters = inQuery({
  kind: '`grant`, `credit` or `usage`.',
  q: 'Part of the reason or the cause, ignoring case.',
  from: 'RFC 3339. Rows at or after this time.',
  to: 'RFC 3339. Rows before this time.',
  by: '`day`: charges for requests are summed by day; all other entries are listed individually.',
  timezone: 'IANA time zone in which days begin. Default: UTC.',
  format: '`json` or `csv`. Overrides the Accept header.',
})
/** Their description. */
export const entryDescription =
  'Newest first, each with the balance after it, regardless of filters; the sum of a day is listed at its newest charge. As CSV it is one file of up to 50,000 rows with the same filters.'

/** `/api/users`. */
export const userRouteDocs: readonly RouteDoc[] = [
  list('GET /api/users', 'admin', 'Users', 'Accounts', [
    ...inQuery({
      q: 'Part of a name; or an id.',
      role: '`user` or `admin`.',
      group: 'Name of a group that they may use.',
      status: '`on` or `off`.',
      sort: '`name`, `created`, `balance`, `held`, `spent` (paid in 30 days) or `lastSeen`; a leading `-` reverses the order.',
    }),
  ]),
  doc('GET /api/users/totals', 'admin', 'Totals over all users', { gives: 'UserTotals' }),
  doc('GET /api/users/:id', 'admin', 'One user', { gives: 'Account' }),
  doc('POST /api/users', 'admin', 'Create a user', { takes: 'NewUser', gives: 'Account', status: 201 }),
  doc('PATCH /api/users/:id', 'admin', 'Change a user', { takes: 'UserPatch', gives: 'Account' }),
  doc('DELETE /api/users/:id', 'admin', 'Delete a user'),
  {
    ...list('GET /api/users/:id/entries', 'admin', 'Entries of a user’s wallet', 'Entries', entryFilters),
    description: entryDescription,
    gives: { json: ['Entries'], types: ['text/csv'] },
  },
  list('GET /api/users/:id/sessions', 'admin', 'Where a user is signed in', 'Sessions'),
  doc('DELETE /api/users/:id/sessions', 'admin', 'End every session of a user', { description: 'Except the current one.' }),
  doc('DELETE /api/users/:id/sessions/:session', 'admin', 'End a session of a user'),
  doc('POST /api/users/:id/credit', 'admin', 'Add or withdraw credit', { takes: 'Credit', gives: 'Account', parameters: [once] }),
]
