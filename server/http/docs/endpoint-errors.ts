/** The errors that an endpoint may return, by who may call it, what it accepts and whether it calls an upstream. */
import type { ErrorCode } from '#shared/errors'
import type { DescribedRoute } from './openapi.ts'
import type { Tag } from './route-doc.ts'

const byCaller: Record<DescribedRoute['doc']['who'], readonly ErrorCode[]> = {
  anyone: [],
  key: ['invalid_api_key', 'conflicting_credentials', 'address_not_allowed'],
  session: ['not_signed_in'],
  admin: ['not_signed_in', 'not_permitted'],
}

const ofJson: readonly ErrorCode[] = ['invalid_json', 'missing_field', 'invalid_value', 'ambiguous_field', 'request_too_large']

/** Errors between admission and the answer of an upstream. */
const ofUpstreams: readonly ErrorCode[] = [
  'model_not_found',
  'unsupported_endpoint',
  'unsupported_value',
  'unpriced_field',
  'rate_limit_exceeded',
  'insufficient_quota',
  'overloaded',
  'books_unavailable',
  'no_channel_available',
  'upstream_error',
  'upstream_timeout',
]

/** Chapters whose endpoints with a body call an upstream. */
const asking: ReadonlySet<Tag> = new Set<Tag>([
  'Conversations',
  'Embeddings',
  'Videos',
  'Images',
  'Audio',
  'Ranking',
  'Moderation',
  'Search',
  'Realtime',
  'Addresses',
])

/** The codes, in the order of the checks; `not_found` last. Codes that any address may return are not repeated for each. */
export function errorsOf({ method, path, doc }: DescribedRoute): ErrorCode[] {
  const isConsole = path.startsWith('/api/')
  const isWriting = method !== 'GET'
  const asks = asking.has(doc.tag) && isWriting && doc.takes !== undefined
  return [
    ...byCaller[doc.who],
    ...(isWriting && (doc.who === 'session' || doc.who === 'admin') ? (['bad_origin'] as const) : []),
    ...(doc.takes ? ofJson : []),
    ...(doc.takes?.form ? (['unsupported_media_type'] as const) : []),
    ...(isConsole && doc.takes ? (['unknown_field'] as const) : []),
    ...(doc.refuses ?? []),
    ...(asks ? ofUpstreams : []),
    ...(/\{(id|\w+_id)\}/.test(path) ? (['not_found'] as const) : []),
  ]
}
