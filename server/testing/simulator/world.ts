/** The configured house of a schedule: channels with keys, tenants with money and limits, one model with a price. */
import type { ApiKey, Caller, Group, User } from '#accounts/caller'
import type { Price, PriceBook } from '#metering/price'
import { resolveRates } from '#metering/rates'
import type { Channel, Channels } from '#routing/channel'
import type { Limits } from '#shared/console/limits'
import { parseUsd } from '#shared/money'
import { vendors } from '#vendors/index'
import { channelKey, testChannel } from '../candidate.ts'
import type { Seeded } from '../seeded.ts'
import type { Journal } from './journal.ts'
import { oneIn } from './script.ts'

export interface World {
  channels: Channels
  prices: PriceBook
  price: Price
  /** Who may ask. */
  callers: readonly Caller[]
  /** Nano-dollars by user. */
  balances: ReadonlyMap<string, bigint>
  /** The administrator changes something; answers the caller whose key was revoked. */
  change(): Caller | undefined
  /** May this caller still ask? */
  valid(caller: Caller): boolean
}

const group: Omit<Group, 'ratio' | 'limits'> = { name: 'default', description: '', budget: null, enabled: true, managed: 'console' }

function drawChannel(dice: Seeded, name: string): Channel {
  const speaksMessages = oneIn(dice, 2)
  const second = oneIn(dice, 3) ? [{ ...channelKey(`${name}-b`), secret: `${name}-b` }] : []
  const upstream = oneIn(dice, 2) ? 'm' : 'deep'
  const seconds = oneIn(dice, 3)
    ? { firstEvent: dice.pick([1, 10, 30]), betweenEvents: dice.pick([1, 20]), total: dice.pick([20, 90]) }
    : {}
  return testChannel(name, {
    vendor: speaksMessages ? vendors.anthropic : vendors.openai,
    baseUrl: speaksMessages ? 'http://upstream.test' : 'http://upstream.test/v1',
    speaks: [speaksMessages ? 'messages' : 'chat'],
    keys: [{ ...channelKey(`${name}-a`), secret: `${name}-a` }, ...second],
    models: new Map([['m', { name: 'm', upstream, capabilities: oneIn(dice, 2) ? { maxOutputTokens: 300 } : {} }]]),
    priority: dice.below(2),
    weight: dice.below(3),
    timeouts: seconds,
  })
}

function drawLimits(dice: Seeded): Limits | null {
  if (oneIn(dice, 2)) return null
  return {
    ...(oneIn(dice, 2) && { rpm: 1 + dice.below(4) }),
    ...(oneIn(dice, 2) && { tpm: 300 + dice.below(1500) }),
    ...(oneIn(dice, 2) && { concurrency: 1 + dice.below(2) }),
  }
}

function drawCallers(dice: Seeded): Caller[] {
  const own: Group = { ...group, ratio: dice.pick([1_000_000n, 800_001n]), limits: drawLimits(dice) }
  const createdAt = new Date(0)
  return ['ann', 'bob'].map((name) => {
    const limits = drawLimits(dice)
    const row = { id: name, name, group: 'default', enabled: true, managed: 'console', createdAt, budget: null } as const
    const user: User = { ...row, role: 'user', groups: ['default'], limits }
    const key: ApiKey = {
      ...row,
      ...{ userId: name, hint: '', models: null, expiresAt: null, strict: false, logBodies: false, lastUsedAt: null },
      limits: drawLimits(dice),
    }
    return { user, key, group: own, models: null, strict: false }
  })
}

export function drawWorld(dice: Seeded, journal: Journal): World {
  const all = new Map(Array.from({ length: 1 + dice.below(3) }, (_, index) => [`c${index}`, drawChannel(dice, `c${index}`)]))
  const fields = { input: dice.pick(['1', '0.37']), output: dice.pick(['2', '11.3']) }
  const price: Price = { model: 'm', fields, rates: resolveRates(fields), managed: 'console' }
  const callers = drawCallers(dice)
  const revoked = new Set<Caller>()
  const offering = () => [...all.values()].filter(({ enabled }) => enabled)

  function revoke(): Caller | undefined {
    const caller = callers[dice.below(callers.length)]
    if (caller) revoked.add(caller)
    return caller
  }

  function change(): Caller | undefined {
    const channel = dice.pick([...all.values()] as [Channel, ...Channel[]])
    journal.note(`the administrator changes ${channel.id}, or revokes a key`)
    switch (dice.below(4)) {
      case 0:
        all.set(channel.id, { ...channel, enabled: !channel.enabled })
        return undefined
      case 1:
        all.set(channel.id, { ...channel, priority: 1 - channel.priority, weight: dice.below(3) })
        return undefined
      case 2:
        all.set(channel.id, { ...channel, keys: channel.keys.map((key) => ({ ...key, enabled: oneIn(dice, 2) })) })
        return undefined
      default:
        return revoke()
    }
  }

  return {
    channels: { all: () => all.values(), get: (id) => all.get(id), offering, modelsOf: () => ['m'] },
    prices: { get: (model) => (model === 'm' ? price : undefined), all: () => [price].values() },
    price,
    callers,
    balances: new Map(callers.map(({ user }) => [user.id, parseUsd(dice.pick(['0.0005', '0.002', '0.01', '100']))])),
    change,
    valid: (caller) => !revoked.has(caller),
  }
}
