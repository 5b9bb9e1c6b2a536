/** POST /api/route: what would happen to a request, without anything being sent. */
import { dialects } from '../ids.ts'
import { Exact, Name, OneOf, type Static, Text, Type } from '../typebox.ts'
import type { LossRow } from './log.ts'

export const RouteQuestion = Exact({
  /** Name or id of the key that would ask; absent = the signed-in administrator. */
  key: Type.Optional(Text(256)),
  group: Type.Optional(Name()),
  /** What the body is written in; absent = chat. */
  dialect: Type.Optional(OneOf(dialects)),
  /** The model, where the address names it and not the body. */
  path: Type.Optional(Text(256)),
  body: Type.Record(Type.String(), Type.Unknown()),
})
export type RouteQuestion = Static<typeof RouteQuestion>

/** One attempt that would be made, in this order. */
export interface RouteCandidate {
  channel: string
  key: string | null
  upstreamModel: string
  /** The dialect spoken to the upstream. */
  dialect: string
  /** The client's own bytes pass. */
  native: boolean
  /** What the conversion would lose. */
  losses: LossRow[]
  /** Why this upstream cannot be told the request; it would be passed over. */
  refused: { code: string; message: string; param: string | null } | null
}

export interface RouteAnswer {
  group: string
  model: string
  /** The order of one draw: channels of equal rank are drawn by weight each time. */
  candidates: RouteCandidate[]
  leftOut: { channel: string; key: string | null; reason: string }[]
  /** Models that would be tried in its place, by why it failed: an error, a context too long, a content filter. */
  fallbacks: { error: string[]; context: string[]; filter: string[] }
  /** The largest cost, which would be held. USD; null when the model has no price. */
  largestCost: string | null
  /** What a caller would be told now, when nothing could serve it. */
  error: { code: string; message: string } | null
}
