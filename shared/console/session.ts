/** Sessions of the signed-in user, and their own password. */
import { Exact, type Static, Type } from '../typebox.ts'
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
  /** IP address at sign-in; null for a session that is older than this field. */
  address: string | null
  /** User-Agent at sign-in, at most 200 characters. */
  agent: string | null
  /** Whether it is the session that asks. */
  current: boolean
}

/** POST /api/session/oidc: begins a sign-in by the identity provider; with `link`, adds the identity to the signed-in user instead. */
export const ProviderSignIn = Exact({
  to: Type.Optional(Type.String({ maxLength: 2000, description: 'the page to show afterwards, a path' })),
  link: Type.Optional(Type.Boolean()),
})
export type ProviderSignIn = Static<typeof ProviderSignIn>

/** A row of GET /api/session/identities: who the user is at an identity provider. */
export interface IdentityRow {
  id: string
  /** The provider's issuer identifier, a URL. */
  issuer: string
  /** What the provider calls the person; null when it tells nothing. */
  label: string | null
  /** Since when, RFC 3339. */
  at: string
  lastUsedAt: string
}
