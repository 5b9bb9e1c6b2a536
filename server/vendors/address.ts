/** Base URLs as people write them: cleaned, joined, and accepted with or without a version at the end. */
import { GatewayError } from '#shared/errors'

/** Origin and path, without trailing slashes, query and fragment. */
export function cleanBase(baseUrl: string): string {
  const url = new URL(baseUrl)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** A version at the end of a path, alone or before Google's copy of the OpenAI layout: `/v1`, `/v4`, `/v1beta/openai`. Not a host. */
const version = /(?<!\/)\/v\d+[a-z0-9]*(\/openai)?$/

/** True when the path of `base` (cleaned) ends in a version. */
export const isVersioned = (base: string) => version.test(base)

/** `base` (cleaned) without a version at its end. */
export const withoutVersion = (base: string) => base.replace(version, '')

/** True when the path of `base` (cleaned) ends in `path`. A host of that name does not count. */
export const endsInPath = (base: string, path: string) => base.endsWith(path) && base.at(-path.length - 1) !== '/'

/** A model's name as one path segment. `@` is not escaped: Google's model names contain it. */
export const modelSegment = (model: string) => encodeURIComponent(model).replaceAll('%40', '@')

/** Thrown by an endpoint for an operation or dialect that its layout lacks. */
export const notServed = () => new GatewayError('unsupported_endpoint', 'This channel does not serve the requested operation.')

/** Thrown by an endpoint when the channel's options are not enough to build a URL. */
export const badOption = () => new GatewayError('upstream_error', 'A channel option that the vendor requires is missing or invalid.')
