/** Responses about sign-in: second factors, proofs, invitations. */

import type { AppRow, FactorRow, FactorsRow, NewCodes, ProofMethods, StepNeeded } from '../console/session.ts'
import type { InvitationFacts, InvitationRow } from '../console/user.ts'
import { factorKinds, roles, teamRoles } from '../ids.ts'
import { OneOf, Type } from '../typebox.ts'
import { Instant, Nullable, says } from './console.ts'
import { Open } from './fields.ts'

const methods = { app: Type.Boolean(), passkey: Type.Boolean(), recoveryCode: Type.Boolean() }

/** The answer with status 202 of a sign-in. */
export const StepAnswer = says<StepNeeded>().of(Open({ secondFactor: Open(methods) }))

/** GET /api/session/proof */
export const ProofAnswer = says<ProofMethods>().of(
  Open({
    ...methods,
    password: Type.Boolean(),
    provider: Type.Boolean({ description: 'By the identity provider: `POST /api/session/oidc` with `proof`.' }),
  }),
)

/** POST /api/session/passkey-options */
export const PasskeyOptionsAnswer = Open({
  options: Open({}, 'What `navigator.credentials` takes, in the JSON form of WebAuthn.'),
})

const factor = says<FactorRow>().of(
  Open({ id: Type.String(), kind: OneOf(factorKinds), name: Type.String(), createdAt: Instant(), lastUsedAt: Nullable(Instant()) }),
)

/** GET /api/session/factors */
export const FactorsAnswer = says<FactorsRow>().of(
  Open({
    required: Type.Boolean({ description: 'Whether the installation requires a second factor of this user.' }),
    passkeys: Type.Boolean({ description: 'Whether passkeys work at the address of this installation.' }),
    factors: Type.Array(factor),
    recoveryCodesLeft: Type.Integer(),
  }),
)

/** POST /api/session/factors/apps */
export const AppAnswer = says<AppRow>().of(
  Open({
    id: Type.String(),
    secret: Type.String({ description: 'Base32, for typing by hand.' }),
    uri: Type.String({ description: '`otpauth://totp/...`, for a QR code.' }),
  }),
)

/** New recovery codes. */
export const CodesAnswer = says<NewCodes>().of(
  Open({
    recoveryCodes: Type.Array(Type.String(), { description: 'Only here, and each good once. Empty where the user has some already.' }),
  }),
)

const invitation = {
  id: Type.String(),
  note: Nullable(Type.String()),
  role: OneOf(roles),
  group: Type.String(),
  team: Nullable(Open({ id: Type.String(), name: Type.String() })),
  teamRole: Nullable(OneOf(teamRoles)),
  most: Type.Integer({ description: 'How many people may use it.' }),
  uses: Type.Integer(),
  by: Open({ id: Type.String(), name: Type.String() }, 'Who made it: it ends with their right to invite.'),
  createdAt: Instant(),
  expiresAt: Instant(),
  valid: Type.Boolean({ description: 'Whether it is valid now.' }),
}

/** A row of GET /api/invitations. */
export const InvitationAnswer = says<InvitationRow>().of(Open(invitation))

/** POST /api/invitations */
export const NewInvitationAnswer = Open({ ...invitation, link: Type.String({ description: 'The link, only here.' }) })

/** POST /api/join/look */
export const InvitationFactsAnswer = says<InvitationFacts>().of(
  Open({
    by: Type.String(),
    team: Nullable(Type.String()),
    teamRole: Nullable(OneOf(teamRoles)),
    role: OneOf(roles),
    expiresAt: Instant(),
  }),
)
