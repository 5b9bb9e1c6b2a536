/** Parameters that several endpoints share. */
import type { Parameter } from './route-doc.ts'

/** The version headers of the Messages protocol. */
export const anthropicVersion: readonly Parameter[] = [
  {
    name: 'partner-version',
    in: 'header',
    description: 'Version of the protocol as YYYY-MM-DD. Either this header or `anthropic-version` is required; they mean the same.',
  },
  { name: 'anthropic-version', in: 'header', description: 'The same under the vendor’s name.' },
]

/** Paging parameters of the console and of Gemini. */
export const paging = {
  console: [
    { name: 'limit', in: 'query', description: 'Rows per page, 1 to 200. Default: 50.' },
    { name: 'after', in: 'query', description: '`next` of the previous page.' },
  ],
  gemini: [
    { name: 'pageSize', in: 'query', description: 'Models per page, up to 1,000. Default: 50.' },
    { name: 'pageToken', in: 'query', description: '`nextPageToken` of the previous page.' },
  ],
} as const satisfies Record<string, readonly Parameter[]>
