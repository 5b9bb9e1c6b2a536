/** Channels: one configured account at a vendor each. */
import { dialects, operations, vendorIds } from '../ids.ts'
import { Exact, Int, MapOf, Name, OneOf, type Static, Text, Type } from '../typebox.ts'
import { PriceFields } from './price.ts'

/** A string of visible characters, or a JSON object such as a Google service account key. */
const secret = Type.String({
  minLength: 1,
  maxLength: 8192,
  pattern: '^([\\u0021-\\u007e]+|\\{[\\t\\n\\r\\u0020-\\u007e]+\\}\\n?)$',
  description: 'visible ASCII characters without spaces, or a JSON object',
})

/** What is known about a model or channel, by name. */
export const Capabilities = MapOf(64, Type.Union([Type.Boolean(), Type.Number(), Text(200)]))

/** A model of a channel: its name, or more about it. */
export const ChannelModel = Type.Union([
  Name(256),
  Exact({ name: Name(256), upstream: Type.Optional(Name(256)), capabilities: Type.Optional(Capabilities) }),
])

/** A key of a channel: the key itself, or more about it. */
export const ChannelKey = Type.Union([
  secret,
  Exact({ key: secret, name: Type.Optional(Name()), weight: Type.Optional(Int(0, 1_000_000)) }),
])

/** Seconds. */
const Timeouts = Exact({
  connect: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 600 })),
  firstEvent: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3600 })),
  betweenEvents: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3600 })),
  total: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 86400 })),
})

const headerValue = Type.String({ maxLength: 8192, pattern: '^[\\t\\u0020-\\u007e]*$', description: 'one line of ASCII characters' })

/** PEM. */
const pem = Type.String({ maxLength: 262_144, pattern: '^[\\t\\n\\r\\u0020-\\u007e]*$', description: 'PEM: ASCII text' })

const optional = {
  baseUrl: Type.Optional(Type.String({ format: 'http-url' })),
  keys: Type.Optional(Type.Array(ChannelKey, { maxItems: 1000 })),
  speaks: Type.Optional(Type.Array(OneOf(dialects), { maxItems: 8 })),
  operations: Type.Optional(Type.Array(OneOf(operations), { maxItems: 16 })),
  groups: Type.Optional(Type.Array(Name(), { maxItems: 1000 })),
  priority: Type.Optional(Int(-1_000_000, 1_000_000)),
  weight: Type.Optional(Int(0, 1_000_000)),
  enabled: Type.Optional(Type.Boolean()),
  strict: Type.Optional(Type.Boolean()),
  systemPrompt: Type.Optional(Text(100_000)),
  headers: Type.Optional(MapOf(64, headerValue, '[A-Za-z0-9-]')),
  params: Type.Optional(
    Exact({
      set: Type.Optional(MapOf(128, Type.Unknown())),
      remove: Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 100 })),
    }),
  ),
  timeouts: Type.Optional(Timeouts),
  options: Type.Optional(MapOf(64, Text())),
  costs: Type.Optional(MapOf(256, PriceFields)),
  foreignState: Type.Optional(OneOf(['deny', 'allow'] as const)),
  /** `http://`, `https://` or `socks5://` with host and port, or `direct`; empty: the setting for all channels. */
  proxy: Type.Optional(Text(2048)),
  /** Certificate authorities trusted instead of the machine's own; a client certificate with its key. */
  tls: Type.Optional(Exact({ ca: Type.Optional(pem), cert: Type.Optional(pem), key: Type.Optional(pem) })),
  tags: Type.Optional(Type.Array(Name(), { maxItems: 100 })),
}
const models = Type.Array(ChannelModel, { minItems: 1, maxItems: 10_000 })

/** POST /api/channels, and an entry of `channels` in parley.yaml. */
export const NewChannel = Exact({ name: Name(), vendor: OneOf(vendorIds), models, ...optional })
export type NewChannel = Static<typeof NewChannel>

/** POST /api/channels/models: a channel that does not exist yet, to ask its upstream which models it lists. */
export const ChannelDraft = Exact({ vendor: OneOf(vendorIds), ...optional })
export type ChannelDraft = Static<typeof ChannelDraft>

/** PATCH /api/channels/:id */
export const ChannelPatch = Exact({
  name: Type.Optional(Name()),
  models: Type.Optional(models),
  ...optional,
  /** Added to the existing keys; `keys` would replace them all. */
  addKeys: Type.Optional(Type.Array(ChannelKey, { maxItems: 1000 })),
  /** Ids of keys to remove. */
  removeKeys: Type.Optional(Type.Array(Name(), { maxItems: 1000 })),
})
export type ChannelPatch = Static<typeof ChannelPatch>

/** PATCH /api/channels/:id/keys/:key: settings of one key; its secret stays. */
export const ChannelKeyPatch = Exact({
  name: Type.Optional(Name()),
  /** Among the keys of the channel; 0: only when nothing else is left. */
  weight: Type.Optional(Int(0, 1_000_000)),
  enabled: Type.Optional(Type.Boolean()),
})
export type ChannelKeyPatch = Static<typeof ChannelKeyPatch>

/** A row of GET /api/channels: the fields of NewChannel with defaults filled in, and secrets as hints. */
export interface ChannelRow extends Omit<Required<NewChannel>, 'keys' | 'baseUrl' | 'systemPrompt'> {
  id: string
  createdAt: string
  managed: 'file' | 'console'
  baseUrl: string | null
  systemPrompt: string | null
  keys: { id: string; name: string; hint: string; weight: number; enabled: boolean }[]
}

/** GET /api/channels/totals: how many channels there are in each state, and which vendors and tags they have. */
export interface ChannelTotals {
  channels: number
  healthy: number
  degraded: number
  open: number
  off: number
  vendors: string[]
  tags: string[]
}

/** A row of GET /api/health: the same for any channel. */
export interface ChannelHealthRow extends HealthRow {
  channelId: string
}

/** POST /api/channels/:id/reset: one row of its health. Without a body, all of them. */
export const HealthReset = Exact({
  /** Name of the key; null where the channel has none. */
  key: Type.Union([Name(), Type.Null()]),
  /** Null for what holds for all models. */
  model: Type.Union([Name(256), Type.Null()]),
})
export type HealthReset = Static<typeof HealthReset>

/** GET /api/channels/:id/outcomes: how attempts of the last hour ended, as seen by the answering instance since its start. */
export interface ChannelOutcomes {
  /** Seconds of one slice. */
  sliceSeconds: number
  data: OutcomeRow[]
}

/** Outcomes of one key with one model. Keys and models without attempts in the last hour have no row. */
export interface OutcomeRow {
  /** Name of the key; null where the channel has none. */
  key: string | null
  model: string
  /** Oldest first, the current one last. `failed`: attempts that failed by fault of the upstream. */
  slices: { attempts: number; failed: number }[]
}

/** A row of GET /api/channels/outcomes: outcomes of all keys and models of a channel. Channels without recent attempts have none. */
export interface ChannelAttempts {
  channelId: string
  /** Oldest first, the current one last. `failed`: attempts that failed by fault of the upstream. */
  slices: OutcomeRow['slices']
}

/** Why a channel is resting: a row of GET /api/channels/:id/health. Each ends by itself, or by POST .../reset. */
export interface HealthRow {
  /** Name of the key; null where the channel has none. */
  key: string | null
  /** Null for all models. */
  model: string | null
  state: 'closed' | 'open' | 'half-open'
  /** Error code of the last failure. */
  cause: string
  /** When it is tried again. */
  retryInMs: number
}
