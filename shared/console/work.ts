/** Work that outlasts its request, other than batches: videos, background answers and interactions, calls. */
import { OneOf, type Static, Type } from '../typebox.ts'

/** States of such work. A background answer is in progress as long as it is listed. */
export const workStates = ['queued', 'in_progress', 'stopping', 'completed', 'failed', 'cancelled'] as const

const Text = () => Type.Union([Type.String(), Type.Null()])

/** A row of GET /api/work. */
export const WorkRow = Type.Object({
  id: Type.String(),
  kind: OneOf(['video', 'answer', 'interaction', 'call'] as const),
  /** Whose it is; for administrators. */
  user: Type.Optional(Type.Object({ id: Type.String(), name: Text() })),
  /** Name of the key; null where it is unknown. */
  key: Text(),
  model: Text(),
  state: OneOf(workStates),
  /** Percent; null where unknown. */
  progress: Type.Union([Type.Integer(), Type.Null()]),
  /** USD that it has cost so far, as far as the answering instance knows; null where unknown. */
  spent: Text(),
  /** Whether it can be stopped by `POST /api/work/{id}/stop`. */
  canStop: Type.Boolean(),
  /** Id of the request that started it; null where unknown. */
  requestId: Text(),
  createdAt: Type.String(),
  endedAt: Text(),
})
export type WorkRow = Static<typeof WorkRow>
