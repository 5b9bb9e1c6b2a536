/** POST /api/route: explains what would happen to a request, without sending anything. */
import { dialects } from '../../ids.ts'
import { Exact, Name, OneOf, type Static, Text, Type } from '../../typebox.ts'
import type { LossRow } from '../log.ts'
import type { BalancingMode } from '../settings.ts'

/** The request, and its sender. */
export const RouteQuestion = Exact({
  /** Name or id of the key that would be used; absent: the signed-in administrator. */
  key: Type.Optional(Text(256)),
  group: Type.Optional(Name()),
  /** Dialect of the body; absent: chat. */
  dialect: Type.Optional(OneOf(dialects)),
  /** The model, when the address names it and not the body. */
  path: Type.Optional(Text(256)),
  body: Type.Record(Type.String(), Type.Unknown()),
})
export type RouteQuestion = Static<typeof RouteQuestion>

/** One attempt that would be made, in this order. */
export interface RouteCandidate {
  channel: string
  key: string | null
  upstreamModel: string
  /** Of its channel. */
  priority: number
  /** 0 is tried first; other ranks only after all of the ranks before have failed. */
  rank: number
  /** Share of the requests at this rank that try this candidate first, 0 to 1. Null: it rests, or is not drawn by weight. */
  share: number | null
  /** The dialect used with the upstream. */
  dialect: string
  /** Whether the client's own bytes are sent. */
  native: boolean
  /** What the conversion would lose. */
  losses: LossRow[]
  /** Why the request cannot be expressed for this upstream, which would be skipped. */
  refused: { code: string; message: string; param: string | null } | null
}

/** What would happen. */
export interface RouteAnswer {
  group: string
  model: string
  /** How channels of equal rank are ordered, and the figure of each; absent where they are drawn by weight. */
  balancing?: { mode: BalancingMode; channels: { channel: string; figure: string | null }[] }
  /** The order of one draw: channels of equal rank are drawn by weight each time. */
  candidates: RouteCandidate[]
  leftOut: { channel: string; key: string | null; reason: string }[]
  /** Models that would be tried in its place, by why it failed: an error, a context too long, a content filter. */
  fallbacks: { error: string[]; context: string[]; filter: string[] }
  /** The highest possible cost, which would be held, in USD; null when the model has no price. */
  largestCost: string | null
  /** The error a caller would get now, when nothing can serve the request. */
  error: { code: string; message: string } | null
}
