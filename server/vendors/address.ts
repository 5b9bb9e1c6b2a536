/** Base URLs as people write them: cleaned, joined, and with the version at the end understood either way. */
import { GatewayError } from '#shared/errors'

/** Origin and path, without slashes at the end, query and fragment. */
export function cleanBase(baseUrl: string): string {
  const url = new URL(baseUrl)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** A version at the end of a path, alone or before Google's copy of the OpenAI layout: `/v1`, `/v4`, `/v1beta/openai`. Not a host. */
const version = /(?<!\/)\/v\d+[a-z0-9]*(\/openai)?$/

/** `base` is a cleaned one. */
export const isVersioned = (base: string) => version.test(base)

/** `base` (cleaned) without the version at its end, if there is one. */
export const withoutVersion = (base: string) => base.replace(version, '')

/** Does the path of `base` (cleaned) end in `path`? A host of that name does not count. */
export const endsInPath = (base: string, path: string) => base.endsWith(path) && base.at(-path.length - 1) !== '/'

/** A model's name as one path segment. `@` stays readable: Google's names have it. */
export const modelSegment = (model: string) => encodeURIComponent(model).replaceAll('%40', '@')

/** What an endpoint throws for an operation or dialect that its layout lacks. */
export const notServed = () => new GatewayError('unsupported_endpoint', 'This channel does not serve the requested operation.')

/** What an endpoint throws when the channel's options are not enough to build an address. */
export const badOption = () =>
  new GatewayError('upstream_error', 'The channel lacks an option that its vendor needs, or it has a wrong value.')
