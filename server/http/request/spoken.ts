/** Which protocol a request speaks at an address that several share. */
import type { Visit } from './route.ts'

/** The version header of Messages: the specification's neutral name and the vendor's own; either is accepted. */
export const versionHeaders = ['partner-version', 'anthropic-version'] as const

/**
 * Messages by a version header or `x-api-key`, Gemini by Google's key carriers, OpenAI otherwise; the first match. Empty ones do not count:
 * clients without a key of that kind send them, beside the key that they have.
 */
export function spokenIn({ request, url }: Pick<Visit, 'request' | 'url'>): 'chat' | 'messages' | 'gemini' {
  const sent = (name: string) => (request.headers.get(name) ?? '').trim() !== ''
  if ([...versionHeaders, 'x-api-key'].some(sent)) return 'messages'
  if (['x-third-api-key', 'x-goog-api-key'].some(sent) || url.searchParams.getAll('key').some((key) => key !== '')) return 'gemini'
  return 'chat'
}
