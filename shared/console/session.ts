/** Sessions of the signed-in user, their own password and second factors, and the second step of a sign-in. */
import type { FactorKind } from '../ids.ts'
import { Exact, Name, OneOf, type Static, Type } from '../typebox.ts'
import { Password } from './user.ts'

/** PATCH /api/session/password. Ends all other sessions of the user. */
export const PasswordChange = Exact({ old: Type.String({ maxLength: 1024 }), new: Password })
export type PasswordChange = Static<typeof PasswordChange>

/** A row of GET /api/sessions, newest first. */
export interface SessionRow {
  id: string
  /** When it was started, RFC 3339. */
  at: string
  lastSeenAt: string
  /** IP address at sign-in; null for sessions older than this field. */
  address: string | null
  /** User-Agent at sign-in, at most 200 characters. */
  agent: string | null
  /** Whether it is the session of this request. */
  current: boolean
}

/**
 * POST /api/session/oidc: begins a sign-in by the identity provider; with `link`, adds the identity to the signed-in user instead; with
 * `proof`, has the signed-in user confirm their identity there; with `invitation`, accepts an invitation.
 */
export const ProviderSignIn = Exact({
  to: Type.Optional(Type.String({ maxLength: 2000, description: 'the page to show afterwards, a path' })),
  link: Type.Optional(Type.Boolean()),
  proof: Type.Optional(Type.Boolean()),
  invitation: Type.Optional(Type.String({ maxLength: 100 })),
})
export type ProviderSignIn = Static<typeof ProviderSignIn>

/** A row of GET /api/session/identities: the user's identity at an identity provider. */
export interface IdentityRow {
  id: string
  /** The provider's issuer identifier, a URL. */
  issuer: string
  /** The provider's name for the person; null when it gives none. */
  label: string | null
  /** Since when, RFC 3339. */
  at: string
  lastUsedAt: string
}

/** What a passkey is used for. */
export const passkeyUses = ['sign-in', 'step', 'proof', 'enrolment'] as const
export type PasskeyUse = (typeof passkeyUses)[number]

const Bytes = (maxLength: number) => Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]*$' })
const credential = { id: Bytes(1400), rawId: Bytes(1400), type: Type.Literal('public-key') }

/** A new passkey: a `RegistrationResponseJSON` of WebAuthn. */
export const PasskeyCreated = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: Bytes(8000),
    attestationObject: Bytes(40_000),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 20 })),
  }),
  clientExtensionResults: Type.Object({}),
})
export type PasskeyCreated = Static<typeof PasskeyCreated>

/** What a passkey signed: an `AuthenticationResponseJSON` of WebAuthn. */
export const PasskeyAnswer = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: Bytes(8000),
    authenticatorData: Bytes(8000),
    signature: Bytes(8000),
    userHandle: Type.Optional(Bytes(200)),
  }),
  clientExtensionResults: Type.Object({}),
})
export type PasskeyAnswer = Static<typeof PasskeyAnswer>

const factors = {
  /** Of an authenticator app. */
  code: Type.Optional(Type.String({ maxLength: 20 })),
  recoveryCode: Type.Optional(Type.String({ maxLength: 60 })),
  passkey: Type.Optional(PasskeyAnswer),
}

/** POST /api/session/step: one of them. */
export const FactorGiven = Exact(factors)
export type FactorGiven = Static<typeof FactorGiven>

/** POST /api/session/proof: one of them. */
export const ProofGiven = Exact({ password: Type.Optional(Type.String({ maxLength: 1024 })), ...factors })
export type ProofGiven = Static<typeof ProofGiven>

/** POST /api/session/passkey */
export const PasskeySignIn = Exact({ passkey: PasskeyAnswer })

/** POST /api/session/passkey-options */
export const PasskeyOptions = Exact({ for: OneOf(passkeyUses) })

/** POST /api/session/factors/apps */
export const NewApp = Exact({ name: Name(64) })

/** POST /api/session/factors/apps/:id */
export const AppCode = Exact({ code: Type.String({ maxLength: 20 }) })

/** POST /api/session/factors/passkeys */
export const NewPasskey = Exact({ name: Name(64), passkey: PasskeyCreated })

/** A row of `factors` in GET /api/session/factors. */
export interface FactorRow {
  id: string
  kind: FactorKind
  name: string
  /** RFC 3339. */
  createdAt: string
  lastUsedAt: string | null
}

/** GET /api/session/factors */
export interface FactorsRow {
  /** Whether the installation requires a second factor of this user. */
  required: boolean
  /** Whether this installation has an address at which passkeys work. */
  passkeys: boolean
  factors: FactorRow[]
  /** How many have not been used. */
  recoveryCodesLeft: number
}

/** An authenticator app, inactive until its first code: POST /api/session/factors/apps. */
export interface AppRow {
  id: string
  /** Base32, for typing by hand. */
  secret: string
  /** `otpauth://totp/...`, for a QR code. */
  uri: string
}

/** Recovery codes, shown once. */
export interface NewCodes {
  /** Empty where the user has some already. */
  recoveryCodes: string[]
}

/** Second factors with which a sign-in can continue. */
export interface FactorMethods {
  app: boolean
  passkey: boolean
  recoveryCode: boolean
}

/** The answer with status 202 of a sign-in that needs a second factor. */
export interface StepNeeded {
  secondFactor: FactorMethods
}

/** Ways to confirm the identity again: GET /api/session/proof. */
export interface ProofMethods extends FactorMethods {
  password: boolean
  provider: boolean
}
