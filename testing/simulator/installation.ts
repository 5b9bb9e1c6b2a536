/**
 * The configuration of a schedule: channels with keys, users with balances and limits, and three models with prices, two of which may be
 * fallbacks for the one that every client requests.
 */
import type { ApiKey, Caller, Group, User } from '#accounts/caller'
import type { Price, PriceBook } from '#billing/pricing/price'
import { resolveRates } from '#billing/pricing/rates'
import type { Channel, ChannelModel, Channels } from '#routing/channel'
import type { Fallbacks } from '#routing/fallbacks'
import type { Limits } from '#shared/console/limits'
import { parseUsd } from '#shared/money'
import { channelKey, testChannel } from '#testing/candidate'
import type { Seeded } from '#testing/seeded'
import { vendors } from '#vendors/index'
import type { RunLog } from './run-log.ts'
import { oneIn } from './script.ts'

/** The configuration, and how an administrator changes it. */
export interface Installation {
  channels: Channels
  /** Prices of every model. */
  prices: PriceBook
  /** The fallbacks of the model that every client requests; undefined = none. */
  fallbacks: Fallbacks | undefined
  /** The callers that may send requests. */
  callers: readonly Caller[]
  /**
   * Some upstream generates one image per request; several images are then several requests, which the simulated network does not support.
   */
  hasSingleImageUpstream: boolean
  /** Nano-dollars by user id. */
  balances: ReadonlyMap<string, bigint>
  /** Makes a random administrative change; answers the caller whose key was revoked by it. */
  change(): Caller | undefined
  /** Whether this caller's key is still valid. */
  valid(caller: Caller): boolean
}

const group: Omit<Group, 'ratio' | 'limits'> = {
  ...{ name: 'default', description: '', keepBodies: null, budget: null, fallbacks: null, enabled: true, managed: 'console' },
}

/** By the upstream's dialect. Anthropic has neither embeddings nor images. */
const kinds = {
  chat: { vendor: vendors.openai, baseUrl: 'http://upstream.test/v1', operations: ['generate', 'embed', 'image', 'realtime'] },
  responses: { vendor: vendors.openai, baseUrl: 'http://upstream.test/v1', operations: ['generate', 'embed', 'image', 'realtime'] },
  messages: { vendor: vendors.anthropic, baseUrl: 'http://upstream.test', operations: ['generate'] },
  gemini: { vendor: vendors.gemini, baseUrl: 'http://upstream.test', operations: ['generate', 'embed', 'image'] },
} as const

/** The first is the one that every client requests. */
const models = ['m', 'n', 'o'] as const

/** The upstream name of a model ends with its public name; one with a low output limit begins with this. */
export const small = 'small'

function drawModel(random: Seeded, name: string): [string, ChannelModel] {
  const most = random.pick([undefined, 300, 60_000, 60_000])
  const capabilities = most === undefined ? {} : { maxOutputTokens: most }
  return [name, { name, upstream: most === 300 ? `${small}-${name}` : oneIn(random, 2) ? name : `deep-${name}`, capabilities }]
}

function drawChannel(random: Seeded, name: string): Channel {
  const dialect = random.pick<keyof typeof kinds>(['chat', 'messages', 'responses', 'gemini'])
  const second = oneIn(random, 3) ? [{ ...channelKey(`${name}-b`), secret: `${name}-b` }] : []
  const seconds = oneIn(random, 3)
    ? { firstEvent: random.pick([1, 10, 30]), betweenEvents: random.pick([1, 20]), total: random.pick([20, 90]) }
    : {}
  const offered = models.filter((model) => (model === 'm' ? name === 'c0' || !oneIn(random, 4) : oneIn(random, 2)))
  return testChannel(name, {
    ...kinds[dialect],
    speaks: [dialect],
    keys: [{ ...channelKey(`${name}-a`), secret: `${name}-a` }, ...second],
    models: new Map(offered.map((model) => drawModel(random, model))),
    priority: random.below(2),
    weight: random.below(3),
    timeouts: seconds,
  })
}

function drawFallbacks(random: Seeded): Fallbacks | undefined {
  const list = () => random.pick([[], ['n'], ['o'], ['n', 'o'], ['o', 'n']])
  return oneIn(random, 2) ? { error: list(), context: list(), filter: list() } : undefined
}

function drawPrices(random: Seeded): PriceBook {
  const priceOf = (model: string): [string, Price] => {
    const fields = { input: random.pick(['1', '0.37']), output: random.pick(['2', '11.3']) }
    return [model, { model, fields, rates: resolveRates(fields), managed: 'console' }]
  }
  const all = new Map(models.map(priceOf))
  return { get: (model) => all.get(model), all: () => all.values() }
}

function drawLimits(random: Seeded): Limits | null {
  if (oneIn(random, 2)) return null
  if (oneIn(random, 2)) return { tpm: 500 + random.below(700) }
  return {
    ...(oneIn(random, 2) && { rpm: 1 + random.below(4) }),
    ...(oneIn(random, 2) && { tpm: 300 + random.below(1500) }),
    ...(oneIn(random, 2) && { concurrency: 1 + random.below(2) }),
  }
}

function drawCallers(random: Seeded): Caller[] {
  const own: Group = { ...group, ratio: random.pick([1_000_000n, 800_001n]), limits: drawLimits(random) }
  const createdAt = new Date(0)
  const allowed = oneIn(random, 4) ? new Set(['m', 'n']) : null
  return ['ann', 'bob'].map((name) => {
    const limits = drawLimits(random)
    const row = { id: name, name, group: 'default', enabled: true, managed: 'console', createdAt, budget: null } as const
    const user: User = { ...row, role: 'user', groups: ['default'], limits }
    const key: ApiKey = {
      ...row,
      ...{
        userId: name,
        teamId: null,
        hint: '',
        models: null,
        expiresAt: null,
        strict: false,
        keepBodies: false as const,
        lastUsedAt: null,
      },
      ...{ lastUsedFrom: null, note: null, addresses: null, previousUntil: null },
      limits: drawLimits(random),
    }
    return { user, key, group: own, models: allowed, strict: false }
  })
}

/** Draws a configuration. */
export function drawInstallation(random: Seeded, log: RunLog): Installation {
  const all = new Map(Array.from({ length: 1 + random.below(4) }, (_, index) => [`c${index}`, drawChannel(random, `c${index}`)]))
  const callers = drawCallers(random)
  const revoked = new Set<Caller>()
  const offering = (_: string, model: string) => [...all.values()].filter((channel) => channel.enabled && channel.models.has(model))

  function revoke(): Caller | undefined {
    const caller = callers[random.below(callers.length)]
    if (caller) revoked.add(caller)
    return caller
  }

  function change(): Caller | undefined {
    const channel = random.pick([...all.values()] as [Channel, ...Channel[]])
    log.note(`the administrator changes ${channel.id}, or revokes a key`)
    switch (random.below(4)) {
      case 0:
        all.set(channel.id, { ...channel, enabled: !channel.enabled })
        return undefined
      case 1:
        all.set(channel.id, { ...channel, priority: 1 - channel.priority, weight: random.below(3) })
        return undefined
      case 2:
        all.set(channel.id, { ...channel, keys: channel.keys.map((key) => ({ ...key, enabled: oneIn(random, 2) })) })
        return undefined
      default:
        return revoke()
    }
  }

  return {
    channels: { all: () => all.values(), get: (id) => all.get(id), offering, modelsOf: () => models, isSwitchedOff: () => false },
    prices: drawPrices(random),
    fallbacks: drawFallbacks(random),
    callers,
    hasSingleImageUpstream: [...all.values()].some(({ speaks }) => speaks.includes('gemini')),
    balances: new Map(
      callers.map(({ user }) => [user.id, parseUsd(random.pick(['0.0005', '0.004', '0.01', '0.015', '0.05', '0.06', '100', '100']))]),
    ),
    change,
    valid: (caller) => !revoked.has(caller),
  }
}
