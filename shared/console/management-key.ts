/** Management keys, with which programs use the console's API. Only the response to POST contains the key itself. */
import { Exact, Name, OneOf, type Static, Type } from '../typebox.ts'

/**
 * What a management key may do. `read` reads everything but kept bodies; `usage`, `audit` and `bodies` read their subject; `replay`
 * replays kept requests, reads the results, and spends its owner's money; every other one reads and changes its subject.
 */
export const scopes = [
  'read',
  'usage',
  'keys',
  'channels',
  'prices',
  'users',
  'groups',
  'teams',
  'credits',
  'audit',
  'settings',
  'bodies',
  'replay',
] as const
export type Scope = (typeof scopes)[number]

/** POST /api/management-keys */
export const NewManagementKey = Exact({
  name: Name(),
  scopes: Type.Array(OneOf(scopes), { minItems: 1, maxItems: scopes.length, uniqueItems: true }),
  /** RFC 3339; null or absent: never. */
  expiresAt: Type.Optional(Type.Union([Type.String({ format: 'instant' }), Type.Null()])),
})
export type NewManagementKey = Static<typeof NewManagementKey>

/** A row of GET /api/management-keys. */
export interface ManagementKeyRow {
  id: string
  name: string
  scopes: Scope[]
  /** `pk-...Ab3d` */
  hint: string
  createdAt: string
  expiresAt: string | null
  lastUsedAt: string | null
  /** The address of the last use. */
  lastUsedFrom: string | null
  /** Whether it works now; false once it has expired, or its owner's role has changed since it was made. */
  valid: boolean
}
