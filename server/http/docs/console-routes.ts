/** The doors of the console, described. */
import type { SchemaName } from '#shared/api/schemas'
import { paging } from './parameters.ts'
import type { Parameter, RouteDoc } from './route-doc.ts'

interface Told {
  takes?: SchemaName
  /** Absent = 204. */
  gives?: SchemaName
  status?: number
  parameters?: readonly Parameter[]
  description?: string
}

const doc = (route: string, who: RouteDoc['who'], summary: string, { takes, gives, status, ...more }: Told = {}): RouteDoc => ({
  tag: 'Console',
  route,
  who,
  summary,
  ...more,
  ...(takes && { takes: { json: takes } }),
  gives: gives ? { status: status ?? 200, json: [gives] } : { status: status ?? 204 },
})
const list = (route: string, who: RouteDoc['who'], summary: string, gives: SchemaName, more: readonly Parameter[] = []) =>
  doc(route, who, summary, { gives, parameters: [...more, ...paging.console] })

const once: Parameter = { name: 'Idempotency-Key', in: 'header', required: true, description: 'Makes a repeated credit harmless.' }
const filters = (['actor', 'target', 'action'] as const).map(
  (name): Parameter => ({
    name,
    in: 'query',
    description: name === 'action' ? '`key.create`, or `key` for all of a kind.' : 'An id or a name.',
  }),
)
const inQuery = (parameters: Record<string, string>): Parameter[] =>
  Object.entries(parameters).map(([name, description]) => ({ name, in: 'query', description }))
const usageFilters = inQuery({
  from: 'RFC 3339. Rows of this time and later.',
  to: 'RFC 3339. Rows before this time.',
  model: 'As it was asked for.',
  key: 'Name or id of a key.',
  group: 'Name of a group.',
  user: 'Name or id of a user; one’s own, but for administrators.',
  channel: 'Name of a channel; for administrators.',
})
const usageForm = inQuery({
  by: 'What one row is of: model, key, user, group, channel, hour or day, or two of them with a comma between; everything in one row unless said.',
  timezone: 'IANA name of the zone of the days, UTC unless said.',
  format: 'json or csv, in the place of the header Accept.',
})
const group: Parameter = { name: 'group', in: 'query', description: 'The user’s own unless said.' }

export const consoleRouteDocs: readonly RouteDoc[] = [
  doc('GET /api/status', 'anyone', 'What this installation is', { gives: 'Status' }),
  doc('POST /api/setup', 'anyone', 'Make the first administrator', {
    takes: 'Setup',
    gives: 'SetupAnswer',
    status: 201,
    description: 'With the token that was printed at start.',
  }),
  doc('POST /api/session', 'anyone', 'Sign in', { takes: 'SignIn', gives: 'User' }),
  doc('GET /api/session', 'session', 'Who is signed in', { gives: 'User' }),
  doc('DELETE /api/session', 'session', 'Sign out'),
  doc('GET /api/groups', 'session', 'Groups that the caller may use', {
    gives: 'Groups',
    parameters: [...inQuery({ all: 'true: all groups, for administrators.' }), ...paging.console],
    description: 'With `all=true` administrators get all groups, with their budgets, what is left of those, and their limits.',
  }),
  doc('POST /api/groups', 'admin', 'Make a group', { takes: 'NewGroup', gives: 'Group', status: 201 }),
  doc('PATCH /api/groups/:name', 'admin', 'Change a group', { takes: 'GroupPatch', gives: 'Group' }),
  doc('DELETE /api/groups/:name', 'admin', 'Remove a group'),
  list('GET /api/models', 'session', 'Models of a group', 'Models', [group]),
  list('GET /api/keys', 'session', 'Keys of the caller', 'Keys'),
  doc('POST /api/keys', 'session', 'Make a key', {
    takes: 'NewKey',
    gives: 'Key',
    status: 201,
    description: 'The answer has the key itself in `key`, here and never again.',
  }),
  doc('PATCH /api/keys/:id', 'session', 'Change a key', { takes: 'KeyPatch', gives: 'Key' }),
  doc('DELETE /api/keys/:id', 'session', 'Remove a key'),
  list('GET /api/logs', 'session', 'Usage rows', 'LogRows', usageFilters),
  doc('GET /api/logs/:requestId', 'session', 'One usage row', { gives: 'LogRow' }),
  {
    ...list('GET /api/usage', 'session', 'Usage, added up', 'UsageRows', [...usageFilters, ...usageForm]),
    description:
      'Of the last 30 days unless said, 366 at most. `charged` is what the ledger says, exactly; percentiles are right to within 5 percent. As CSV it is one file of up to 50,000 rows, where a text that a spreadsheet would take for a formula begins with an apostrophe.',
    gives: { json: ['UsageRows'], types: ['text/csv'] },
  },
  list('GET /api/prices', 'session', 'Prices', 'Prices'),
  doc('PUT /api/prices/:model', 'admin', 'Set a price', { takes: 'PriceFields', gives: 'Price' }),
  doc('DELETE /api/prices/:model', 'admin', 'Remove a price'),
  list('GET /api/channels', 'admin', 'Channels', 'Channels'),
  doc('POST /api/channels', 'admin', 'Make a channel', { takes: 'NewChannel', gives: 'Channel', status: 201 }),
  doc('GET /api/channels/:id', 'admin', 'One channel', { gives: 'Channel' }),
  doc('PATCH /api/channels/:id', 'admin', 'Change a channel', { takes: 'ChannelPatch', gives: 'Channel' }),
  doc('DELETE /api/channels/:id', 'admin', 'Remove a channel'),
  doc('GET /api/channels/:id/health', 'admin', 'What is held against a channel', { gives: 'ChannelHealth' }),
  doc('POST /api/channels/:id/reset', 'admin', 'Forget what is held against a channel', { gives: 'ChannelHealth' }),
  doc('POST /api/channels/:id/test', 'admin', 'Ask a channel a tiny question', {
    takes: 'ProbeQuestion',
    gives: 'ProbeAnswer',
    description: 'A real request with each of its keys. Nobody is charged, and it does not count for its health.',
  }),
  doc('GET /api/channels/:id/models', 'admin', 'Models that a channel’s upstream lists', { gives: 'UpstreamModels' }),
  doc('GET /api/settings', 'admin', 'What holds for the whole installation', { gives: 'Settings' }),
  doc('PATCH /api/settings', 'admin', 'Change that', { takes: 'SettingsPatch', gives: 'Settings' }),
  doc('POST /api/route', 'admin', 'What would happen to a request', {
    takes: 'RouteQuestion',
    gives: 'RouteAnswer',
    description: 'Nothing is sent, held or charged.',
  }),
  list('GET /api/users', 'admin', 'Users', 'Accounts'),
  doc('POST /api/users', 'admin', 'Make a user', { takes: 'NewUser', gives: 'Account', status: 201 }),
  doc('PATCH /api/users/:id', 'admin', 'Change a user', { takes: 'UserPatch', gives: 'Account' }),
  doc('DELETE /api/users/:id', 'admin', 'Remove a user'),
  list('GET /api/audit', 'admin', 'Who changed what', 'AuditRows', filters),
  doc('POST /api/users/:id/credit', 'admin', 'Give or take back money', { takes: 'Credit', gives: 'Account', parameters: [once] }),
]
