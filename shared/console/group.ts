/** Groups: named sets of channels with a price ratio. */
import { Decimal, Exact, Name, type Static, Text, Type } from '../typebox.ts'
import { Budget, Limits } from './limits.ts'

const settings = {
  description: Type.Optional(Text(500)),
  ratio: Type.Optional(Decimal()),
  budget: Type.Optional(Budget),
  limits: Type.Optional(Limits),
}

/** One group in parley.yaml, under its name. */
export const GroupFields = Exact(settings)
export type GroupFields = Static<typeof GroupFields>

/** POST /api/groups */
export const NewGroup = Exact({ name: Name(), ...settings })
/** PATCH /api/groups/:name */
export const GroupPatch = Exact(settings)

/** A row of GET /api/groups. `ratio` is a decimal string. */
export interface GroupRow {
  name: string
  description: string
  ratio: string
}
