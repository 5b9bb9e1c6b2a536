/** Where long work that an upstream has begun is asked about, by the address at which it was begun. */
import { GatewayError } from '#shared/errors'

/** What is wanted of it. */
export type FollowUp = { want: 'state' } | { want: 'remove' } | { want: 'content'; variant?: string; file?: string }

const missing = () => new GatewayError('not_found', 'The video has no such file.')

/**
 * The address. `url`: where it was begun; `name`: the upstream's name of it, as a path where that has slashes. Undefined: the vendor has no such
 * address. Throws `not_found` for a file that is not at the upstream's own origin.
 */
export function followUpUrl(style: 'openai' | 'gemini', url: string, name: string, followUp: FollowUp): string | undefined {
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
