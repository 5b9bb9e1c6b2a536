/** A channel as routing and the relay use it: defaults filled in, secrets decrypted, looked up from memory. */

import type { Route } from '#runtime/contract/route'
import type { Capabilities } from '#shared/capabilities'
import type { NewChannel } from '#shared/console/channel'
import type { PriceFields } from '#shared/console/price'
import type { Dialect, Managed, Operation } from '#shared/ids'
import type { Vendor } from '#vendors/vendor'

/** A key of a channel, decrypted. */
export interface ChannelKey {
  id: string
  name: string
  secret: string
  hint: string
  weight: number
  enabled: boolean
}

/** A model of a channel. */
export interface ChannelModel {
  /** The name callers use. */
  name: string
  /** The vendor's name for it. */
  upstream: string
  /** The vendor's facts, overridden by the channel's. */
  capabilities: Capabilities
}

/** A channel, as used for requests. */
export interface Channel {
  id: string
  name: string
  vendor: Vendor
  baseUrl: string
  keys: readonly ChannelKey[]
  speaks: readonly Dialect[]
  operations: readonly Operation[]
  groups: ReadonlySet<string>
  models: ReadonlyMap<string, ChannelModel>
  priority: number
  /** Share of the random draw; 0 = used only when nothing else is left. */
  weight: number
  enabled: boolean
  strict: boolean
  systemPrompt: string | null
  headers: Readonly<Record<string, string>>
  params: NonNullable<NewChannel['params']>
  /** Seconds. */
  timeouts: NonNullable<NewChannel['timeouts']>
  options: Readonly<Record<string, string>>
  costs: Readonly<Record<string, PriceFields>>
  /** `allow`: only one tenant uses this account, so ids that Parley never saw are forwarded. */
  foreignState: 'deny' | 'allow'
  /** The route to its upstream; undefined: a direct connection. */
  route: Route | undefined
  tags: readonly string[]
  managed: Managed
  createdAt: Date
}

/** Every channel, from memory. */
export interface Channels {
  all(): IterableIterator<Channel>
  get(id: string): Channel | undefined
  /** Enabled channels of the group that offer the model. */
  offering(group: string, model: string): readonly Channel[]
  /** Names of all models that enabled channels offer to the group, sorted. */
  modelsOf(group: string): readonly string[]
  /** True for a model that only disabled channels offer to the group. */
  isSwitchedOff(group: string, model: string): boolean
}
