/** Testing one channel: POST /api/channels/:id/test, GET /api/channels/:id/models. */
import { Exact, Name, type Static, Type } from '../../typebox.ts'

/** What to test. */
export const ProbeQuestion = Exact({
  /** A model of the channel; absent: the first that can chat. */
  model: Type.Optional(Name(256)),
  stream: Type.Optional(Type.Boolean()),
})
export type ProbeQuestion = Static<typeof ProbeQuestion>

/** The result for one key. */
export interface ProbeResult {
  ok: boolean
  /** The upstream's HTTP status; null when it gave none. */
  status: number | null
  /** Milliseconds until the response was complete. */
  ms: number
  error: { code: string; message: string } | null
}

/** The first failed result, or else the first; and all of them by key. */
export interface ProbeAnswer extends ProbeResult {
  model: string
  keys: (ProbeResult & { key: string | null })[]
}

/** The models the upstream lists; `offered` means that the channel already has one under this upstream name. */
export interface UpstreamModels {
  data: { id: string; offered: boolean }[]
}
