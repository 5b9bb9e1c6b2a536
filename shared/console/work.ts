/** Work that lasts longer than its request, beside batches: videos, and answers in the background. */
import { OneOf, type Static, Type } from '../typebox.ts'

/** Where such work stands. An answer in the background is in progress as long as it stands here. */
export const workStates = ['queued', 'in_progress', 'stopping', 'completed', 'failed'] as const

const Text = () => Type.Union([Type.String(), Type.Null()])

/** A row of GET /api/work. */
export const WorkRow = Type.Object({
  id: Type.String(),
  kind: OneOf(['video', 'answer'] as const),
  /** Whose it is; for administrators. */
  user: Type.Optional(Type.Object({ id: Type.String(), name: Text() })),
  /** Null where it is not known with which. */
  key: Text(),
  model: Text(),
  state: OneOf(workStates),
  /** Of a hundred; null where nobody can tell. */
  progress: Type.Union([Type.Integer(), Type.Null()]),
  /** The request that asked for it; null where it is not known. */
  requestId: Text(),
  createdAt: Type.String(),
  endedAt: Text(),
})
export type WorkRow = Static<typeof WorkRow>
