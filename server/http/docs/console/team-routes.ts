/** The API reference about teams. */
import type { RouteDoc } from '../route-doc.ts'
import { doc, list, once } from './console-route-doc.ts'
import { entryDescription, entryFilters } from './user-routes.ts'

const inTeam = 'For members of the team, and administrators.'
const running = 'For owners and managers of the team, and administrators. Managers may change members and accountants, owners everyone.'

/** `/api/teams`. */
export const teamRouteDocs: readonly RouteDoc[] = [
  list('GET /api/teams', 'session', 'Teams', 'Teams', [], 'The caller’s own; all for administrators.'),
  doc('POST /api/teams', 'admin', 'Create a team', { takes: 'NewTeam', gives: 'Team', status: 201 }),
  doc('GET /api/teams/:id', 'session', 'One team', { gives: 'Team', description: inTeam }),
  doc('PATCH /api/teams/:id', 'admin', 'Change a team', { takes: 'TeamPatch', gives: 'Team' }),
  doc('DELETE /api/teams/:id', 'admin', 'Delete a team', {
    description: 'Its keys stop working. Its wallet, entries and usage rows stay.',
  }),
  doc('POST /api/teams/:id/credit', 'admin', 'Add or withdraw a team’s credit', { takes: 'Credit', gives: 'Team', parameters: [once] }),
  {
    ...list('GET /api/teams/:id/entries', 'session', 'Entries of a team’s wallet', 'Entries', entryFilters),
    description: `For owners, managers and accountants of the team. ${entryDescription}`,
    gives: { json: ['Entries'], types: ['text/csv'] },
  },
  list(
    'GET /api/teams/:id/members',
    'session',
    'Members of a team',
    'Members',
    [],
    'Members see only themselves, all other roles every member.',
  ),
  doc('POST /api/teams/:id/members', 'session', 'Add a member', { takes: 'NewMember', gives: 'Member', status: 201, description: running }),
  doc('PATCH /api/teams/:id/members/:user', 'session', 'Change role or cap of a member', {
    ...{ takes: 'MemberPatch', gives: 'Member', description: running },
  }),
  doc('DELETE /api/teams/:id/members/:user', 'session', 'Remove a member', {
    description: `${running} The keys that the member made stay the team’s.`,
  }),
]
