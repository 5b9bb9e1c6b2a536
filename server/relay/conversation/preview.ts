/** A Chat request as a client of another dialect would send it to this server. Pure. */
import { conversationCodecs } from '#protocols/index'
import type { OtherDialect, Preview } from '#shared/console/inspection/preview'
import { GatewayError } from '#shared/errors'

const codec = conversationCodecs.chat

/**
 * No channel is chosen, so no model limits apply. Throws GatewayError for a body that cannot be read, or that this dialect cannot express.
 */
export function previewOf(raw: string, dialect: OtherDialect): Preview {
  const { model, stream, group } = codec.readHead(raw)
  const asked = codec.readRequest(group === undefined ? raw : codec.editRequest(raw, { remove: ['group'] }))
  const { body, losses, memo } = conversationCodecs[dialect].writeRequest(asked, { model, stream, capabilities: {} })
  // Parley cuts an upstream's answer at stop sequences; a client that sends this preview itself would not get that.
  if (memo.stopHere) throw new GatewayError('unsupported_value', 'This dialect has no place for these stop sequences.', { param: 'stop' })
  return { body, losses: losses.map(({ field, what, reason }) => ({ field, what, reason })) }
}
