/** The shape of parley.yaml: the console's schemas under the names of CONTRACT section 3. */
import { NewChannel } from '#shared/console/channel'
import { GroupFields } from '#shared/console/group'
import { DeclaredKey } from '#shared/console/key'
import { PriceFields } from '#shared/console/price'
import { NewUser } from '#shared/console/user'
import { Exact, MapOf, Name, type Static, Type } from '#shared/typebox'

const models = Type.Optional(Type.Array(Name(256), { minItems: 1, maxItems: 20 }))

/** Models to try in the place of one: after an error, a context too long, a content filter. */
export const Fallback = Exact({ error: models, context: models, filter: models })
export type Fallback = Static<typeof Fallback>

export const File = Exact({
  groups: Type.Optional(MapOf(120, GroupFields)),
  channels: Type.Optional(Type.Array(NewChannel)),
  prices: Type.Optional(MapOf(256, PriceFields)),
  users: Type.Optional(Type.Array(NewUser)),
  keys: Type.Optional(Type.Array(DeclaredKey)),
  fallbacks: Type.Optional(MapOf(256, Fallback)),
})
export type File = Static<typeof File>
