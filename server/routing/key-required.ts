/** When the keys of a channel have to be entered again. */
import type { ChannelPatch } from '#shared/console/channel'
import { GatewayError } from '#shared/errors'
import { directly } from './channel-route.ts'
import type { Entry } from './channel-view.ts'

/**
 * Another address, proxy or authority requires the keys again, so that somebody who may edit a channel cannot redirect its key elsewhere.
 * Throws `key_required`.
 */
export function requireKeys({ channel, record }: Entry, { keys, ...fields }: ChannelPatch): void {
  const isOther = fields.baseUrl !== undefined && fields.baseUrl !== channel.baseUrl
  const isProxied = fields.proxy !== undefined && !['', directly, record.proxy].includes(fields.proxy)
  const believes = fields.tls?.ca !== undefined && !['', record.tls.ca].includes(fields.tls.ca)
  if ((isOther || isProxied || believes) && channel.keys.length > 0 && keys === undefined) {
    throw new GatewayError('key_required', 'Changing the address, the proxy or the authorities requires entering the keys again.', {
      param: 'keys',
    })
  }
}
