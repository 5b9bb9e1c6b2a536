/** The two views of a stored channel: for routing, with decrypted secrets, and for the console, without them. */
import { declaredCapabilities } from '#shared/capabilities'
import type { ChannelRow } from '#shared/console/channel'
import type { ChannelRecord } from '#store/channels/channels'
import { kindFacts } from '#vendors/models/kinds'
import type { Vendor } from '#vendors/vendor'
import type { Channel, ChannelKey, ChannelModel } from './channel.ts'
import { routeOf } from './channel-route.ts'
import { hideSecrets } from './channel-secrets.ts'

/** A channel as stored and as routing uses it. */
export interface Entry {
  record: ChannelRecord
  channel: Channel
}

/** The channel as routing uses it, with defaults filled in. `proxy`: the default proxy. */
export function channelOf(record: ChannelRecord, vendor: Vendor, keys: readonly ChannelKey[], proxy?: string): Channel {
  return {
    ...record,
    vendor,
    keys,
    baseUrl: record.baseUrl ?? vendor.baseUrl ?? '',
    route: vendor.scripted ? undefined : routeOf(record, record.baseUrl ?? vendor.baseUrl ?? '', proxy),
    speaks: record.speaks ?? vendor.speaks,
    operations: record.operations ?? vendor.operations,
    systemPrompt: promptOf(record),
    groups: new Set(record.groups),
    models: new Map(record.models.map((model) => modelOf(model, vendor)).map((model) => [model.name, model])),
  }
}

/** A blank prompt is none, as a form sends it: upstreams would get an empty message, which some refuse. */
const promptOf = ({ systemPrompt }: Pick<ChannelRecord, 'systemPrompt'>): string | null =>
  systemPrompt === null || systemPrompt.trim() === '' ? null : systemPrompt

function modelOf(model: ChannelRecord['models'][number], vendor: Vendor): ChannelModel {
  const { name, upstream = name, capabilities } = typeof model === 'string' ? { name: model } : model
  return {
    name,
    upstream,
    capabilities: { ...kindFacts(upstream), ...vendor.capabilities(upstream), ...declaredCapabilities(capabilities ?? {}) },
  }
}

/** The channel as the console shows it. Models stay as they were entered, so that sending a row back changes nothing. */
export function rowOf({ record: { baseUrl: _, ...stored }, channel }: Entry): ChannelRow {
  const { baseUrl, ...record } = hideSecrets({ ...stored, baseUrl: channel.baseUrl })
  const { priority, weight, enabled, strict, headers, params, timeouts, options, costs, foreignState, proxy, tls, tags, groups, models } =
    record
  return {
    id: record.id,
    name: record.name,
    vendor: record.vendor,
    baseUrl: channel.vendor.scripted ? null : baseUrl,
    keys: channel.keys.map(({ id, name, hint, weight, enabled }) => ({ id, name, hint, weight, enabled })),
    speaks: [...channel.speaks],
    operations: [...channel.operations],
    systemPrompt: promptOf(record),
    managed: record.managed,
    createdAt: record.createdAt.toISOString(),
    proxy: proxy ?? '',
    ...{ priority, weight, enabled, strict, headers, params, timeouts, options, costs, foreignState, tls, tags, groups, models },
  }
}
