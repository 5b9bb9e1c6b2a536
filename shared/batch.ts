/** Batches in the console. */
import type { Static } from './typebox.ts'
import { Type } from './typebox.ts'

/** How a request of a batch ended. */
export type BatchEnd = 'succeeded' | 'failed' | 'cancelled' | 'expired'

/** States of a batch. */
export const batchStates = ['running', 'stopping', 'ended'] as const

/** A row of GET /api/batches. */
export const BatchRow = Type.Object({
  id: Type.String(),
  /** Its creator; for administrators. */
  user: Type.Optional(Type.Object({ id: Type.String(), name: Type.Union([Type.String(), Type.Null()]) })),
  key: Type.Union([Type.String(), Type.Null()]),
  model: Type.Union([Type.String(), Type.Null()]),
  endpoint: Type.String(),
  state: Type.Union(batchStates.map((state) => Type.Literal(state))),
  createdAt: Type.String(),
  endsAt: Type.String(),
  endedAt: Type.Union([Type.String(), Type.Null()]),
  total: Type.Integer(),
  succeeded: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  expired: Type.Integer(),
})
export type BatchRow = Static<typeof BatchRow>
