/** Asking a channel on its own: POST /api/channels/:id/test, GET /api/channels/:id/models. */
import { Exact, Name, type Static, Type } from '../typebox.ts'

export const ProbeQuestion = Exact({
  /** One of the channel's own; absent = the first that holds a conversation. */
  model: Type.Optional(Name(256)),
  stream: Type.Optional(Type.Boolean()),
})
export type ProbeQuestion = Static<typeof ProbeQuestion>

/** How one key did. */
export interface ProbeResult {
  ok: boolean
  /** The upstream's HTTP status; null when it gave none. */
  status: number | null
  /** Until the answer was complete. */
  ms: number
  error: { code: string; message: string } | null
}

/** The first result that is not well, else the first; and all of them by key. */
export interface ProbeAnswer extends ProbeResult {
  model: string
  keys: (ProbeResult & { key: string | null })[]
}

/** What the upstream says it has; `offered` = the channel has it already, under this upstream name. */
export interface UpstreamModels {
  data: { id: string; offered: boolean }[]
}
