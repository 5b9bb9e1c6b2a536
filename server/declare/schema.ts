/** The schema of parley.yaml: the console's schemas under the names of CONTRACT section 3. */
import { NewChannel } from '#shared/console/channel'
import { GroupFields } from '#shared/console/group'
import { DeclaredKey } from '#shared/console/key'
import { PriceFields } from '#shared/console/price'
import { NewPlan } from '#shared/console/selling'
import { DeclaredRouting, Fallback } from '#shared/console/settings'
import { DeclaredTeam } from '#shared/console/team'
import { DeclaredUser } from '#shared/console/user'
import { Exact, MapOf, type Static, Type } from '#shared/typebox'

/** The schema. */
export const File = Exact({
  groups: Type.Optional(MapOf(120, GroupFields)),
  channels: Type.Optional(Type.Array(NewChannel)),
  prices: Type.Optional(MapOf(256, PriceFields)),
  plans: Type.Optional(Type.Array(NewPlan)),
  users: Type.Optional(Type.Array(DeclaredUser)),
  teams: Type.Optional(Type.Array(DeclaredTeam)),
  keys: Type.Optional(Type.Array(DeclaredKey)),
  fallbacks: Type.Optional(MapOf(256, Fallback)),
  routing: Type.Optional(DeclaredRouting),
})
/** A file that matches the schema. */
export type File = Static<typeof File>
