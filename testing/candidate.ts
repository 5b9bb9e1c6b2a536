/** Channels and candidates for tests of routing, with defaults. */
import type { Channel, ChannelKey } from '#routing/channel'
import type { Candidate } from '#routing/order'
import { vendors } from '#vendors/index'

/** A key of a channel. */
export const channelKey = (id: string, weight = 1, enabled = true): ChannelKey => ({
  id,
  name: id,
  secret: 'secret',
  hint: '...',
  weight,
  enabled,
})

/** A channel; `fields` replace its defaults. */
export function testChannel(name: string, fields: Partial<Channel> = {}): Channel {
  return {
    id: name,
    name,
    vendor: vendors.openai,
    baseUrl: 'http://127.0.0.1:1/v1',
    keys: [channelKey(`${name}-key`)],
    speaks: ['chat'],
    operations: ['generate'],
    groups: new Set(['default']),
    models: new Map([['m', { name: 'm', upstream: 'm', capabilities: {} }]]),
    priority: 0,
    weight: 1,
    enabled: true,
    strict: false,
    systemPrompt: null,
    headers: {},
    params: {},
    timeouts: {},
    options: {},
    costs: {},
    foreignState: 'deny',
    route: undefined,
    tags: [],
    managed: 'console',
    createdAt: new Date(0),
    ...fields,
  }
}

/** A candidate on this channel. */
export const testCandidate = (of: Channel, key = of.keys[0] ?? null, model = 'm'): Candidate => ({
  channel: of,
  key,
  model: { name: model, upstream: model, capabilities: {} },
  dialect: 'chat',
  native: true,
})
