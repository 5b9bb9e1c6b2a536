import { endpointOf } from '#client/features/playground/dialects/endpoint.ts'
import type { PreviewDialect } from '#client/features/playground/dialects/rewritten-request.ts'
import { type Call, olderVersion } from './call.ts'

const bearer = ['Authorization: Bearer $API_KEY']

const headers: Record<PreviewDialect, readonly string[]> = {
  chat: bearer,
  responses: bearer,
  messages: ['x-api-key: $API_KEY', `anthropic-version: ${olderVersion}`],
  gemini: ['x-goog-api-key: $API_KEY'],
}

/** The call as a shell command. The body is in single quotes, where only the single quote needs escaping. */
export function curl(call: Call): string {
  const { body, stream, dialect, origin } = call
  return [
    `curl ${stream ? '--no-buffer ' : ''}${quoted(origin + endpointOf(call))} \\`,
    ...headers[dialect].map((header) => `  -H "${header}" \\`),
    '  -H "Content-Type: application/json" \\',
    `  -d '${inQuotes(JSON.stringify(body, null, 2))}'`,
  ].join('\n')
}

const inQuotes = (text: string) => text.replaceAll("'", "'\\''")

/** Quoted unless every character is safe in a shell. */
const quoted = (address: string) => (/^[\w.:/%@-]+$/.test(address) ? address : `'${inQuotes(address)}'`)
