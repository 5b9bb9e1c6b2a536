/** The playground's request as a program would write it in another dialect. */
import type { Dialect } from '../../ids.ts'
import type { LossRow } from '../log.ts'

/** Dialects the playground can show a request in, beside its own, chat. */
export const otherDialects = ['responses', 'messages', 'gemini'] as const satisfies readonly Dialect[]
/** One of those dialects. */
export type OtherDialect = (typeof otherDialects)[number]

/** Response of POST /pg/preview/:dialect, whose body is a chat request. Refused when the dialect cannot express the request at all. */
export interface Preview {
  /** In the Gemini dialect, model and stream are in the address, not here. */
  body: Record<string, unknown>
  losses: LossRow[]
}
