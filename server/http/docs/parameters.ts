/** Parameters that several doors share. */
import type { Parameter } from './route-doc.ts'

export const anthropicVersion: readonly Parameter[] = [
  {
    name: 'partner-version',
    in: 'header',
    description: 'Version of the protocol as YYYY-MM-DD. This header or `anthropic-version` is required; they mean the same.',
  },
  { name: 'anthropic-version', in: 'header', description: 'The same by its vendor’s name.' },
]

export const paging = {
  console: [
    { name: 'limit', in: 'query', description: 'Rows at once, 1 to 200; 50 unless said.' },
    { name: 'after', in: 'query', description: '`next` of the page before.' },
  ],
  gemini: [
    { name: 'pageSize', in: 'query', description: 'Models at once, up to 1,000; 50 unless said.' },
    { name: 'pageToken', in: 'query', description: '`nextPageToken` of the page before.' },
  ],
} as const satisfies Record<string, readonly Parameter[]>
