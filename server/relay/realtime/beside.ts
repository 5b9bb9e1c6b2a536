/** A session next to a call: its owner can receive and send any event, and everything is charged with the call itself. */
import { resolveRates } from '#billing/pricing/rates'
import type { RealtimeMeter } from '#canonical/operation/realtime'
import { noUsage } from '#canonical/usage'
import type { RelayParts } from '#relay/contract/ask'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { Held } from './booking.ts'
import type { RealtimeAsk } from './contract.ts'
import { meterFor } from './limits.ts'

/** A request to an account that already has the object. */
export interface At {
  channel: string
  key: string | null
}

const gone = () => new GatewayError('no_channel_available', 'The channel that has this call no longer exists.', { retryAfter: 30 })

/** The only candidate for an object in an account. Throws `no_channel_available` when its channel or key is gone. */
export function candidateAt({ channels }: Pick<RelayParts, 'channels'>, { channel: id, key: keyId }: At, model: string): Candidate {
  const channel = channels.get(id)
  const key = channel?.keys.find((one) => one.id === keyId) ?? null
  if (!channel || (keyId !== null && !key)) throw gone()
  return { channel, key, model: channel.models.get(model) ?? unnamed(model), dialect: 'chat', style: 'openai', native: true }
}

const unnamed = (model: string) => ({ name: model, upstream: model, capabilities: {} })

const nothing = { model: '', fields: { request: '0' }, rates: resolveRates({ request: '0' }), managed: 'file' as const }

/** The hold of such a session: none. */
export function heldBeside(ask: RealtimeAsk, candidate: Candidate): Held {
  const meter = meterFor(ask, [candidate], nothing, () => undefined)
  const looks: RealtimeMeter = {
    asked: meter.asked,
    answered: () => undefined,
    running: () => 0,
    next: noUsage,
    unfinished: () => undefined,
  }
  return { candidates: [candidate], price: nothing, meter: looks, first: 0n }
}
