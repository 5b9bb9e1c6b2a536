/** The objects of one caller, in pages: their ids are recorded here, and each object is requested from the account that has it. */
import type { Loss } from '#canonical/loss'
import { inCallersModel, readPage, writePage } from '#protocols/objects'
import type { UpstreamObject } from '#reasoning-state/upstream-objects'
import { redacted } from '#relay/exchange/redacted'
import type { Candidate } from '#routing/order'
import { asGatewayError } from '#shared/errors'
import { phaseLimits, phaseTimer } from '#upstream/timeouts'
import { dialectOf } from '#vendors/account-objects'
import { openChannels } from './choosing.ts'
import type { ObjectOutcome, ObjectParts, ObjectRequest } from './request.ts'
import { call, callersNames, noModel } from './sending.ts'

/** Concurrent calls. */
const atOnce = 8
/** Timeout of each, in seconds. */
const seconds = 30

const unreached: Loss = {
  field: 'data',
  what: 'dropped',
  reason: 'A channel that has some of the objects cannot be asked.',
  meaning: false,
}

/** A page. Objects that their upstream no longer has are forgotten; those whose channel is unavailable are left out, with a loss. */
export async function listed(parts: ObjectParts, { ask }: ObjectRequest): Promise<ObjectOutcome> {
  const { endpoint, caller } = ask
  const tenant = caller.user.id
  const page = readPage(endpoint.api, ask.query)
  const found = await parts.reasoningState.objects.page(tenant, endpoint.api, endpoint.kind, page)
  const shown = found.slice(0, page.limit)
  const channels = new Map(openChannels(parts, ask).map((channel) => [channel.id, channel]))

  function holderOf({ keeper }: UpstreamObject): Candidate | undefined {
    const channel = channels.get(keeper.channel)
    const key = channel?.keys.find(({ id, enabled }) => id === keeper.key && enabled) ?? null
    if (!channel || (keeper.key !== null && key === null)) return undefined
    return { channel, key, model: noModel, dialect: dialectOf[endpoint.api], native: true }
  }

  async function fetched(object: UpstreamObject): Promise<unknown> {
    const candidate = holderOf(object)
    if (!candidate) return unreached
    const timer = phaseTimer(parts.clock, phaseLimits({ firstEvent: seconds, total: seconds }), ask.signal)
    const path = `${endpoint.path.replace(/^\/v\w+\//, '')}/${encodeURIComponent(object.id.replace(/^.*\//, ''))}`
    try {
      const { value } = await call(parts, candidate, { api: endpoint.api, method: 'GET', path, headers: ask.headers }, timer)
      return endpoint.api === 'gemini' ? inCallersModel(value, callersNames(candidate.channel)) : value
    } catch (thrown) {
      const error = asGatewayError(thrown)
      if (error.status !== 404) throw redacted(error, candidate)
      await parts.reasoningState.objects.gone(tenant, object)
      return undefined
    } finally {
      timer.stop()
    }
  }

  const data: unknown[] = []
  for (let at = 0; at < shown.length; at += atOnce) data.push(...(await Promise.all(shown.slice(at, at + atOnce).map(fetched))))
  const there = data.filter((one) => one !== undefined && one !== unreached)
  const next = found.length > shown.length ? shown.at(-1)?.id : undefined
  const losses = data.includes(unreached) ? [unreached] : []
  const body = writePage(endpoint.api, endpoint.kind, there, next)
  return { candidate: undefined, status: 200, contentType: 'application/json', body, losses, headers: {} }
}
