/** Responses about the signed-in user: sessions and quotas. */
import type { QuotaRow } from '../console/quota.ts'
import type { SessionRow } from '../console/session.ts'
import { OneOf, Type } from '../typebox.ts'
import { Instant, Nullable, says } from './console.ts'
import { Open } from './fields.ts'

/** A row of GET /api/sessions. */
export const SessionAnswer = says<SessionRow>().of(
  Open({
    id: Type.String(),
    at: Instant(),
    lastSeenAt: Instant(),
    address: Nullable(Type.String()),
    agent: Nullable(Type.String()),
    current: Type.Boolean({ description: 'Whether it is the session that asks.' }),
  }),
)

/** A row of GET /api/quotas. */
export const QuotaAnswer = says<QuotaRow>().of(
  Open({
    name: OneOf(['keys', 'modelsPerKey', 'conversations', 'conversationBytes']),
    used: Nullable(Type.Integer()),
    most: Type.Integer(),
  }),
)
