/** Quotas: how much stored data one user may have. */
import { Exact, Int, type Static, Type } from '../typebox.ts'

/** The part of the settings that changes quotas. A lower quota removes nothing; only more is refused. */
export const QuotasPatch = Exact({
  /** API keys of one user; those of parley.yaml do not count. */
  keys: Type.Optional(Int(0, 1_000_000)),
  /** Names in the list of models of one key. */
  modelsPerKey: Type.Optional(Int(0, 10_000)),
  /** Stored answers of Responses of one user. */
  conversations: Type.Optional(Int(0, 100_000_000)),
  /** Their size as they are stored. */
  conversationBytes: Type.Optional(Int(0, 1_000_000_000_000)),
  /** Files that one user keeps for requests. */
  files: Type.Optional(Int(0, 10_000)),
  /** Their size. */
  fileBytes: Type.Optional(Int(0, 1_000_000_000_000)),
  /** Invitations that one user has made, including ended ones as long as they are listed. */
  invitations: Type.Optional(Int(0, 100_000)),
})
export type QuotasPatch = Static<typeof QuotasPatch>

/** Quotas of each user. */
export type Quotas = Required<QuotasPatch>

/** Quotas of a user where the settings have none. */
export const usualQuotas: Quotas = {
  ...{ keys: 200, modelsPerKey: 500, conversations: 10_000, conversationBytes: 256 * 1024 * 1024 },
  ...{ files: 1000, fileBytes: 256 * 1024 * 1024, invitations: 200 },
}

/** A row of GET /api/quotas. */
export interface QuotaRow {
  name: keyof Quotas
  /** Null where each key is counted separately. */
  used: number | null
  most: number
}
