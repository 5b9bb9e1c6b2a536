/** The URLs for follow-up requests about long-running work, derived from the URL that started it. */
import { GatewayError } from '#shared/errors'

/** The kind of follow-up. `state`: its current state, with an optional `query`; `remove`; `cancel`; one of its files. */
export type FollowUp =
  | { want: 'state'; query?: string }
  | { want: 'remove' }
  | { want: 'cancel' }
  | { want: 'content'; variant?: string; file?: string }

/** The API format of the original request. */
export type FollowUpStyle = 'openai' | 'gemini' | 'interaction'

const missing = () => new GatewayError('not_found', 'The video has no such file.')

/**
 * The address. `url`: where it was begun; `name`: the upstream's name of it, as a path where that has slashes. Undefined: the vendor has no
 * such address. Throws `not_found` for a file that is not at the upstream's own origin.
 */
export function followUpUrl(style: FollowUpStyle, url: string, name: string, followUp: FollowUp): string | undefined {
  if (style === 'interaction') return interactionUrl(url, name, followUp)
  if (followUp.want === 'cancel') return undefined
  if (style === 'openai') {
    const [path = '', query] = url.split('?')
    const at = `${path}/${encodeURIComponent(name)}`
    const asked = new URLSearchParams(query)
    if (followUp.want === 'content' && followUp.variant !== undefined) asked.set('variant', followUp.variant)
    const more = asked.toString()
    return `${at}${followUp.want === 'content' ? '/content' : ''}${more === '' ? '' : `?${more}`}`
  }
  if (followUp.want === 'remove') return undefined
  if (followUp.want === 'state') return `${url.replace(/\/(?:models|tunedModels)\/[^/]*$/, '')}/${name}`
  const { file } = followUp
  if (file === undefined || !URL.canParse(file) || new URL(file).origin !== new URL(url).origin) throw missing()
  return file
}

function interactionUrl(url: string, name: string, followUp: FollowUp): string | undefined {
  const at = `${url}/${encodeURIComponent(name)}`
  if (followUp.want === 'content') return undefined
  if (followUp.want === 'cancel') return `${at}/cancel`
  const query = followUp.want === 'state' ? (followUp.query ?? '') : ''
  return query === '' ? at : `${at}?${query}`
}
