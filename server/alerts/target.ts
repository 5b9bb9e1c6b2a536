/** Rules for addresses of hooks. */
import type { AlertForm } from '#shared/console/alert'
import { GatewayError } from '#shared/errors'
import { assertChannelAddress } from '#upstream/addresses'

/** Scheme, host and port. */
export function addressOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

const invalid = (param: string, message: string) => new GatewayError('invalid_value', message, { param })

/** Throws `invalid_value` for an invalid or forbidden address, and for mail without sender or receiver. */
export function assertTarget(target: { form: AlertForm; url: string; from: string | null; to: readonly string[] | null }): void {
  const { form, url: text, from, to } = target
  const url = URL.parse(text)
  if (url === null) throw invalid('url', 'url: expected a URL.')
  if (form !== 'smtp') {
    if (from !== null || to !== null) throw invalid(from === null ? 'to' : 'from', 'from and to are for mail only.')
    reachable(url.href)
    return
  }
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')
    throw invalid('url', 'url: expected smtps://user:password@host:465 or smtp://.')
  if (url.hostname === '') throw invalid('url', 'url: expected the name of a mail server.')
  if (from === null) throw invalid('from', 'from: expected the sender of the mail.')
  if (to === null) throw invalid('to', 'to: expected the recipients of the mail.')
  reachable(`https://${url.host}`)
}

function reachable(url: string): void {
  try {
    assertChannelAddress(url)
  } catch (thrown) {
    throw invalid('url', thrown instanceof GatewayError ? thrown.message : 'url: expected a URL.')
  }
}
