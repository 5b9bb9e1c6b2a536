/** The API reference about sign-in: second factors, proofs, invitations. */
import type { RouteDoc } from '../route-doc.ts'
import { doc, list } from './console-route-doc.ts'

const goesOn = 'Returns 202 with the available second factors if one is required; continue at `POST /api/session/step`.'
const fresh = 'Requires a recent proof of identity (`reauthentication_required`).'

/** Second factors, proofs and invitations. */
export const peopleRouteDocs: readonly RouteDoc[] = [
  doc('POST /api/session/step', 'anyone', 'Give the second factor', {
    ...{ takes: 'FactorGiven', gives: 'User' },
    description:
      'Completes a sign-in that was answered with 202, with exactly one of the fields. After five wrong answers it must start over.',
  }),
  doc('POST /api/session/passkey', 'anyone', 'Sign in by a passkey alone', { takes: 'PasskeySignIn', gives: 'User' }),
  doc('POST /api/session/passkey-options', 'anyone', 'What a browser needs to use or create a passkey', {
    ...{ takes: 'PasskeyOptions', gives: 'PasskeyOptionsAnswer' },
    description: 'The browser’s answer is valid for five minutes, once, and for this use only.',
  }),
  doc('GET /api/session/proof', 'session', 'How the caller can confirm their identity again', { gives: 'ProofMethods' }),
  doc('POST /api/session/proof', 'session', 'Prove again who one is', {
    takes: 'ProofGiven',
    description: 'With exactly one of the fields. For 15 minutes operations on secrets and money do not require it again.',
  }),
  doc('GET /api/session/factors', 'session', 'Second factors of the caller', { gives: 'Factors' }),
  doc('POST /api/session/factors/apps', 'session', 'Add an authenticator app', {
    ...{ takes: 'NewApp', gives: 'App', status: 201 },
    description: `It counts once a code of it was right: \`POST /api/session/factors/apps/{id}\`. ${fresh}`,
  }),
  doc('POST /api/session/factors/apps/:id', 'session', 'Confirm an authenticator app', {
    ...{ takes: 'AppCode', gives: 'RecoveryCodes' },
    description: 'All other sessions end. The first factor also returns recovery codes.',
  }),
  doc('POST /api/session/factors/passkeys', 'session', 'Add a passkey', {
    ...{ takes: 'NewPasskey', gives: 'RecoveryCodes', status: 201 },
    description: `All other sessions end. The first factor also returns recovery codes. ${fresh}`,
  }),
  doc('DELETE /api/session/factors/:id', 'session', 'Remove a second factor', { description: `All other sessions end. ${fresh}` }),
  doc('POST /api/session/recovery-codes', 'session', 'New recovery codes', {
    ...{ gives: 'RecoveryCodes', status: 201 },
    description: `In the place of all others. ${fresh}`,
  }),
  doc('DELETE /api/users/:id/factors', 'admin', 'Reset the second factor of a user', {
    description: `For somebody who has lost it: all factors, recovery codes and sessions of theirs go. ${fresh}`,
  }),
  list(
    'GET /api/invitations',
    'session',
    'Invitations',
    'Invitations',
    [{ name: 'team', in: 'query', description: 'Id of a team.' }],
    'All for administrators; for others those to the teams that they manage.',
  ),
  doc('POST /api/invitations', 'session', 'Invite by a link', {
    ...{ takes: 'NewInvitation', gives: 'NewInvitationAnswer', status: 201 },
    description:
      'Administrators may invite anyone to anything, managers of a team to that team. The link is in `link`, once; it opens as long as whoever made it could make it again.',
  }),
  doc('DELETE /api/invitations/:id', 'session', 'Take an invitation back'),
  doc('POST /api/invitations/accept', 'session', 'Join a team by an invitation', { takes: 'InvitationToken' }),
  doc('POST /api/join/look', 'anyone', 'What an invitation is for', { takes: 'InvitationToken', gives: 'InvitationFacts' }),
  doc('POST /api/join', 'anyone', 'Create an account by an invitation', { takes: 'Join', gives: 'User', status: 201, description: goesOn }),
]
