/** Testing one channel: POST /api/channels/:id/test, GET /api/channels/:id/models. */
import { Exact, Name, type Static, Type } from '../../typebox.ts'

/** What to test. */
export const ProbeQuestion = Exact({
  /** A model of the channel; absent: the first that can chat. */
  model: Type.Optional(Name(256)),
  stream: Type.Optional(Type.Boolean()),
  /** Also return what came back. */
  detail: Type.Optional(Type.Boolean()),
})
export type ProbeQuestion = Static<typeof ProbeQuestion>

/** What came back. */
export interface ProbeDetail {
  /** Milliseconds until the first content; null for a whole answer, and where none came. */
  firstTokenMs: number | null
  /** The beginning of the model's output; empty if there was none. */
  text: string
  /** Tokens, as the upstream reports them; null where it does not. */
  tokens: { in: number; out: number } | null
  /** USD that the upstream charges for it, by the `costs` of the channel; null where those do not name the model. */
  cost: string | null
  /** The beginning of the raw answer: the body, or the events of a stream, without the channel's secrets. */
  raw: string
}

/** The result for one key. */
export interface ProbeResult {
  ok: boolean
  /** The upstream's HTTP status; null when it gave none. */
  status: number | null
  /** Milliseconds until the response was complete. */
  ms: number
  error: { code: string; message: string } | null
  /** Only where it was asked for. */
  detail?: ProbeDetail
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
