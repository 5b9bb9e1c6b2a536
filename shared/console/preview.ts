/** The playground's request as a program would write it in another dialect. */
import type { Dialect } from '../ids.ts'
import type { LossRow } from './log.ts'

/** The playground itself speaks chat; these are what it can be shown in. */
export const otherDialects = ['responses', 'messages', 'gemini'] as const satisfies readonly Dialect[]
export type OtherDialect = (typeof otherDialects)[number]

/** Answer of POST /pg/preview/:dialect, whose body is a chat request. Refused where the dialect cannot say the request at all. */
export interface Preview {
  /** In Gemini's dialect model and stream stand in the address, not here. */
  body: Record<string, unknown>
  losses: LossRow[]
}
