/** What a request would cost, before it is sent. */
import { Exact, Int, Name, type Static, Type } from '../../typebox.ts'
import type { Bill } from '../log.ts'

const Amount = () => Type.Optional(Int(0, 1_000_000_000))
const Word = () => Type.Optional(Name(40))

/** POST /api/prices/cost: what a request would use, by the names of its prices. */
export const CostQuestion = Exact({
  model: Name(256),
  /** Default: that of the caller. */
  group: Type.Optional(Name()),
  /** `output` without the reasoning, audio and images that are named beside it. `request` is 1 unless it is named. */
  amounts: Exact({
    ...{ input: Amount(), cacheRead: Amount(), cacheWrite5m: Amount(), cacheWrite1h: Amount(), audioIn: Amount(), imageIn: Amount() },
    ...{ output: Amount(), reasoning: Amount(), audioOut: Amount(), imageOut: Amount() },
    ...{ request: Amount(), image: Amount(), second: Amount(), search: Amount(), character: Amount() },
  }),
  /** How it would be served, where the price has factors. */
  servedAs: Type.Optional(Exact({ service_tier: Word(), speed: Word(), inference_geo: Word(), size: Word() })),
})
export type CostQuestion = Static<typeof CostQuestion>

/** The answer: what it would cost now, as it would be billed. */
export interface CostAnswer {
  model: string
  group: string
  bill: Bill
}
