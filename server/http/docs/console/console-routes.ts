/** Descriptions of the console's endpoints. */
import { paging } from '../parameters.ts'
import type { Parameter, RouteDoc } from '../route-doc.ts'
import { channelRouteDocs } from './channel-routes.ts'
import { doc, inQuery, list } from './console-route-doc.ts'
import { keptRequestDocs } from './kept-request-routes.ts'
import { modelFilters, priceRouteDocs } from './price-routes.ts'
import { userRouteDocs } from './user-routes.ts'

const filters = (['actor', 'target', 'action'] as const).map(
  (name): Parameter => ({
    name,
    in: 'query',
    description: name === 'action' ? 'An action such as `key.create`, or `key` for every action on keys.' : 'An id or a name.',
  }),
)
const usageOf = inQuery({
  model: 'The model as requested.',
  key: 'Name or id of a key.',
  group: 'Name of a group.',
  user: 'Name or id of a user. Only administrators may name other users, except members of a `team`.',
  team: 'Name or id of a team: what it paid, as far as the caller’s role in it allows.',
  channel: 'Name of a channel. Administrators only.',
})
const usageFilters = [...inQuery({ from: 'RFC 3339. Rows at or after this time.', to: 'RFC 3339. Rows before this time.' }), ...usageOf]
const auditForm = inQuery({
  from: 'RFC 3339. Rows at or after this time.',
  to: 'RFC 3339. Rows before this time.',
  format: '`json` or `csv`. Overrides the Accept header.',
})
const usageLists = inQuery({
  users: 'Ids of up to 200 users, separated by commas: what they paid. Administrators only.',
  keys: 'Ids of up to 200 keys, separated by commas.',
})
const rowConditions = inQuery({
  status: 'An HTTP status.',
  failed:
    '`true`: ended in `error` or `cut`, as usage counts errors. With a `channel` also unanswered requests for which that channel was tried.',
  end: '`complete`, `length`, `cut`, `aborted` or `error`.',
  error: 'An error code.',
  errorText: 'Part of the error’s message, ignoring case.',
  stream: '`true` or `false`.',
  upstreamModel: 'The model that answered, as its upstream names it. Administrators only.',
  losses: '`true`: a conversion changed or dropped something.',
  minCost: 'USD. Rows that cost at least this.',
  minMs: 'Milliseconds. Rows that took at least this long.',
})
const usageForm = inQuery({
  by: 'Dimensions to group by: model, key, user, group, channel, hour or day, or two of them separated by a comma. Without it there is a single total.',
  timezone: 'IANA time zone in which days begin. Default: UTC.',
  format: '`json`, `csv`, or `focus` for CSV with the column names of FOCUS 1.2. Overrides the Accept header.',
})
const payer = inQuery({ team: 'Id or name of a team of the caller: what it may use.' })
const ofPayer = [...inQuery({ group: 'Default: the usual group of the user or team.' }), ...payer]

/** Descriptions of the console API. */
export const consoleRouteDocs: readonly RouteDoc[] = [
  doc('GET /api/status', 'anyone', 'Status of the installation', { gives: 'Status' }),
  doc('POST /api/setup', 'anyone', 'Create the first administrator', {
    takes: 'Setup',
    gives: 'SetupAnswer',
    status: 201,
    description: 'Requires the setup token that was printed at startup.',
  }),
  doc('POST /api/session', 'anyone', 'Sign in', {
    ...{ takes: 'SignIn', gives: 'User' },
    description: 'Returns 202 with the available second factors if one is required; continue at `POST /api/session/step`.',
  }),
  doc('GET /api/session', 'session', 'The signed-in user', { gives: 'User' }),
  doc('DELETE /api/session', 'session', 'Sign out'),
  doc('PATCH /api/session/password', 'session', 'Change your own password', {
    takes: 'PasswordChange',
    gives: 'User',
    description: 'Requires the old password, and ends all other sessions of the user.',
  }),
  doc('POST /api/session/oidc', 'anyone', 'Begin to sign in by the identity provider', {
    takes: 'ProviderSignIn',
    gives: 'ProviderAnswer',
    description:
      'Send the browser to `address`. The provider sends it back to `GET /api/session/oidc/callback`, which starts the session and leads to `to`; a failure stands in its query as `sign-in`: `refused`, `expired`, `disabled`, `unavailable`, `taken`, `second-factor` or `invitation`. With `link` the identity is added to the signed-in user; with `proof` they prove there again who they are; with `invitation` whoever comes back uses it.',
  }),
  doc('GET /api/session/oidc/callback', 'anyone', 'Where the identity provider sends the browser back to', {
    status: 302,
    description: 'For browsers only: needs the cookie of the sign-in that has begun.',
  }),
  list('GET /api/session/identities', 'session', 'Identities of the caller at the provider', 'Identities'),
  doc('DELETE /api/session/identities/:id', 'session', 'Unlink an identity'),
  list('GET /api/sessions', 'session', 'Sessions of the caller', 'Sessions'),
  doc('DELETE /api/sessions', 'admin', 'End all sessions of all users except the current one', {
    gives: 'EndedSessions',
    description: 'Sign-ins that wait for a second factor end too. Keys are not affected.',
  }),
  doc('DELETE /api/sessions/:id', 'session', 'End a session', {
    description: 'Requests of the playground that run in it end too.',
  }),
  list('GET /api/conversations', 'session', 'Stored conversations of the caller', 'KeptConversations'),
  doc('GET /api/conversations/:id', 'session', 'A stored conversation with its text', { gives: 'KeptConversation' }),
  doc('PUT /api/conversations/:id', 'session', 'Store a conversation', {
    takes: 'KeptConversation',
    description: 'A version older than the stored one changes nothing. Counts towards the quotas for stored conversations.',
  }),
  doc('DELETE /api/conversations/:id', 'session', 'Delete a stored conversation'),
  list('GET /api/shares', 'session', 'Links to conversations, created by the caller', 'Shares'),
  doc('POST /api/shares', 'session', 'Create a link to a conversation', {
    takes: 'NewShare',
    gives: 'Share',
    status: 201,
    description: 'Anyone who has the link can read this copy, at `/share/` followed by the id. Only while the setting `shareLinks` is on.',
  }),
  doc('DELETE /api/shares/:id', 'session', 'End a link'),
  doc('GET /api/shares/:id', 'anyone', 'The conversation behind a link', { gives: 'SharedConversation' }),
  doc('GET /api/groups', 'session', 'Groups that the caller may use', {
    gives: 'Groups',
    parameters: [
      ...inQuery({
        all: '`true` lists all groups. Administrators only.',
        q: 'Part of a name or a description.',
        status: '`on` or `off`.',
        sort: '`name`, `ratio`, `users`, `keys`, `channels` or `models`; a leading `-` reverses the order.',
      }),
      ...payer,
      ...paging.console,
    ],
    description: 'With `all=true` administrators get all groups, with budgets and what is left of them, limits and counts.',
  }),
  doc('POST /api/groups', 'admin', 'Create a group', { takes: 'NewGroup', gives: 'Group', status: 201 }),
  doc('PATCH /api/groups/:name', 'admin', 'Change a group', { takes: 'GroupPatch', gives: 'Group' }),
  doc('DELETE /api/groups/:name', 'admin', 'Delete a group'),
  list('GET /api/models', 'session', 'Models of a group', 'Models', [...ofPayer, ...modelFilters]),
  list(
    'GET /api/capabilities',
    'admin',
    'Capabilities of the models of channels',
    'Capabilities',
    inQuery({ channel: 'Id of a channel: only its models. Default: those of all enabled channels.' }),
    'Including models without a price, each with the capabilities of the channel that is tried first.',
  ),
  list(
    'GET /api/keys',
    'session',
    'Keys of the caller; for administrators of all users',
    'Keys',
    inQuery({
      all: '`true`: all users’ keys. Administrators only.',
      user: 'Id or name of a user. Only administrators may name others.',
      team: 'Id of a team: its keys, as far as the caller’s role in it allows.',
      q: 'Part of a name, note, owner or id, or the last four characters of a key.',
      status: '`active`, `off` or `expired`.',
      group: 'Name of a group in which they act.',
      sort: '`created`, `name` or `lastUsed`; a leading `-` reverses the order.',
    }),
  ),
  doc('POST /api/keys', 'session', 'Create a key', {
    takes: 'NewKey',
    gives: 'Key',
    status: 201,
    description: 'The response contains the key itself in `key`. It is never shown again.',
  }),
  doc('PATCH /api/keys/:id', 'session', 'Change a key', { takes: 'KeyPatch', gives: 'Key' }),
  doc('GET /api/keys/:id', 'session', 'A key', { gives: 'Key' }),
  doc('POST /api/keys/:id/rotate', 'session', 'Give a key a new secret', {
    takes: 'Rotation',
    gives: 'Key',
    description: 'The response has the new secret in `key`, once. The old one stays valid for `overlapHours`.',
  }),
  doc('DELETE /api/keys/:id', 'session', 'Delete a key'),
  list('GET /api/management-keys', 'session', 'Management keys of the caller', 'ManagementKeys'),
  doc('POST /api/management-keys', 'session', 'Create a management key', {
    takes: 'NewManagementKey',
    gives: 'ManagementKey',
    status: 201,
    description:
      'The response contains the key itself in `key`, once. It gives access to this API within its scopes, and never to more than its owner may do at that time; management keys have no access to this endpoint.',
  }),
  doc('DELETE /api/management-keys/:id', 'session', 'Delete a management key'),
  doc('GET /api/quotas', 'session', 'Quotas of the caller', {
    gives: 'Quotas',
    description: 'Quotas of each user, and how much of them the caller uses. Administrators change them in the settings.',
  }),
  list('GET /api/logs', 'session', 'Usage rows', 'LogRows', [...usageFilters, ...rowConditions]),
  doc('GET /api/logs/:requestId', 'session', 'One usage row', { gives: 'LogRow' }),
  ...keptRequestDocs,
  {
    ...doc('GET /api/bodies/export', 'session', 'Kept requests as a file', {
      parameters: [
        ...usageFilters,
        ...rowConditions,
        ...inQuery({
          borders: '`client-request`, `upstream-request`, `upstream-answer`, `client-answer`, or several with commas. Default: all.',
          limit: 'Lines, 1 to 10,000. Default: 1,000.',
          after: '`cursor` of the last line received; with `as`, the header `x-parley-next` of the previous page.',
          as: '`evals` or `fine-tuning`: conversations as lines of a data set in that format of OpenAI’s, 50 requests per page.',
        }),
      ],
      description:
        'One line of JSON for each kept request, newest first: the fields of its usage row, `cursor`, `redacted`, `whole`, and `parts` with the bodies as `text`, or as `base64` where they are not text. A line has `missing`, an error code, where the bodies cannot be read. After `limit` lines, or a broken connection, continue with `after`. With `as` each line is an example, a page examines at most 50 requests, `x-parley-next` is where the next one begins, and `x-parley-left-out` how many requests were left out, by reason: `not_chat`, `several_answers`, `incomplete`, `refused`, `unreadable`. Each exported request is recorded in the audit trail. Management keys need the scope `bodies`.',
    }),
    gives: { types: ['application/jsonl'] },
  },
  {
    ...list('GET /api/usage', 'session', 'Usage report', 'UsageRows', [...usageFilters, ...usageLists, ...usageForm]),
    description:
      'Covers the last 30 days by default and 366 days at most. `charged` matches the ledger exactly; percentiles are accurate to within 5 percent. As CSV it is one file of up to 50,000 rows; text that a spreadsheet would evaluate as a formula gets a leading apostrophe.',
    gives: { json: ['UsageRows'], types: ['text/csv'] },
  },
  doc('GET /api/overview', 'session', 'Overview', {
    gives: 'Overview',
    parameters: inQuery({
      timezone: 'IANA time zone in which the day begins. Default: UTC.',
      days: '`1`, `7` or `30`: only today, or including the days before it. Default: 1.',
    }).concat(usageOf),
    description:
      'Today against the same time last week, or some days against those before them, what needs attention, and the first steps; for administrators, of all users. Filters apply to the figures, not to what needs attention.',
  }),
  doc('GET /api/search', 'session', 'Find a thing', {
    gives: 'FoundRows',
    parameters: [
      {
        name: 'q',
        in: 'query',
        required: true,
        description:
          'A request id, the last four characters of a key, an id, or part of a name of a key, user, team, model, channel, group, plan or page.',
      },
    ],
    description: 'At most four of a kind, and only what the caller may see.',
  }),
  {
    ...doc('GET /api/events', 'session', 'What changes', {
      description:
        'A stream of server-sent events named `change`, whose data is `{"what": [...]}`: one or several of `requests`, `account`, `keys`, `users`, `teams`, `groups`, `channels`, `models`, `prices`, `settings`, `alerts`, `replays`, at most four times a second. It ends with the session. A user may have 16 of them open.',
    }),
    gives: { types: ['text/event-stream'] },
  },
  ...priceRouteDocs,
  ...channelRouteDocs,
  list('GET /api/batches', 'session', 'Batches and their progress, newest first', 'BatchRows'),
  doc('POST /api/batches/:id/stop', 'session', 'Stop a batch', {
    gives: 'BatchRow',
    description: 'Running requests are still answered and charged; the rest are not sent.',
  }),
  list(
    'GET /api/work',
    'session',
    'Background responses and interactions, calls, and videos',
    'WorkRows',
    [],
    'Running work comes first: responses, interactions and calls that have ended are no longer listed. Videos follow, newest first.',
  ),
  doc('POST /api/work/:id/stop', 'session', 'Stop a response, an interaction or a call', {
    gives: 'WorkRow',
    description: 'What was produced until then is charged. Videos cannot be stopped.',
  }),
  list('GET /api/alerts', 'admin', 'Deliveries of alerts, newest first', 'Alerts', [
    { name: 'state', in: 'query', description: '`waiting`, `sent`, or `dead`: given up after the last try.' },
  ]),
  doc('POST /api/alerts/:id/retry', 'admin', 'Retry a delivery that was given up'),
  list('GET /api/alerts/hooks', 'admin', 'Destinations of alerts', 'AlertHooks'),
  doc('POST /api/alerts/hooks', 'admin', 'Add a destination of alerts', {
    takes: 'NewAlertHook',
    gives: 'AlertHook',
    status: 201,
    description: 'The response has the secret that signs plain HTTP in `secret`, once. The URL is never shown again.',
  }),
  doc('PATCH /api/alerts/hooks/:id', 'admin', 'Change a destination of alerts', { takes: 'AlertHookPatch', gives: 'AlertHook' }),
  doc('DELETE /api/alerts/hooks/:id', 'admin', 'Remove a destination of alerts and its pending deliveries'),
  doc('POST /api/alerts/hooks/:id/test', 'admin', 'Send a test to a destination', { gives: 'AlertTest' }),
  doc('GET /api/settings', 'admin', 'Settings of the installation', { gives: 'Settings' }),
  list('GET /api/environment', 'admin', 'Environment variables of this instance', 'Environment'),
  {
    ...doc('GET /api/export', 'admin', 'The console’s configuration as a parley.yaml', {
      description:
        'Groups, channels, prices, users, keys and fallback models that the file does not declare. It contains no secrets: variables take their place and are listed at the top. Balances are not included either.',
    }),
    gives: { types: ['application/yaml'] },
  },
  doc('PATCH /api/settings', 'admin', 'Change settings', { takes: 'SettingsPatch', gives: 'Settings' }),
  doc('GET /api/books', 'admin', 'Check the books', {
    gives: 'Books',
    description:
      'Compares balances with entries, rows with entries, sums with rows, budgets with rows, leases with instances, and the journals of this instance with all of them. It reads everything.',
  }),
  doc('POST /api/route', 'admin', 'Explain how a request would be routed', {
    takes: 'RouteQuestion',
    gives: 'RouteAnswer',
    description: 'Nothing is sent, held or charged.',
  }),
  doc('POST /api/invoices/check', 'admin', 'Compare an upstream’s invoice', {
    takes: 'InvoiceQuestion',
    gives: 'InvoiceReport',
    description:
      'Compares an upstream’s export of its charges (CSV) with the known costs of requests to its channels, by day and model. Changes nothing.',
  }),
  {
    ...list('GET /api/audit', 'admin', 'Audit trail', 'AuditRows', [...filters, ...auditForm]),
    description: 'As CSV it is one file of up to 50,000 rows, newest first, with the same filters.',
    gives: { json: ['AuditRows'], types: ['text/csv'] },
  },
  ...userRouteDocs,
]
