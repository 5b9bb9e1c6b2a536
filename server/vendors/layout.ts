/**
 * A service that implements more than one vendor's API: one host, and under it the base path that each vendor's SDK would be given. A
 * channel may name any of these URLs, or its own; the others are derived from it.
 */
import { type Dialect, isSideOperation } from '#shared/ids'
import { cleanBase, endsInPath, isVersioned, notServed, withoutVersion } from './address.ts'
import { openaiPath } from './openai-paths.ts'
import type { EndpointTarget } from './vendor.ts'

/** Base paths under the host; absent = the service lacks that API. */
export interface Layout {
  /** For OpenAI's SDK with Chat: `/v1`, `/api/paas/v4`; empty where there is no version. */
  openai: string
  /** Set where Responses has a base path of its own. */
  responses?: string
  /** For Anthropic's SDK, which appends `/v1/messages`. */
  messages?: string
}

const basePath = (layout: Layout, dialect: Dialect) =>
  dialect === 'messages' ? layout.messages : ((dialect === 'responses' ? layout.responses : undefined) ?? layout.openai)

/** Every way to write one of these paths at the end of a base URL, longest first. */
function spellings({ openai, responses, messages }: Layout): string[] {
  const written = [openai, responses, messages, messages === undefined ? undefined : `${messages}/v1`]
  const paths = written.filter((path) => path !== undefined)
  return [...new Set([...paths, ...paths.map(withoutVersion)])].filter((path) => path !== '').sort((a, b) => b.length - a.length)
}

function addressOf(layout: Layout, baseUrl: string, dialect: Dialect): string {
  const path = basePath(layout, dialect)
  if (path === undefined) throw notServed()
  const base = cleanBase(baseUrl)
  const known = spellings(layout).find((spelling) => endsInPath(base, spelling))
  if (known !== undefined) return base.slice(0, -known.length) + path
  if (!isVersioned(base)) return base + path
  // A version that is not in the layout is the channel's own choice for the OpenAI paths.
  if (dialect !== 'messages') return base
  return path === '' ? withoutVersion(base) : new URL(base).origin + path
}

/** The absolute URL of an operation. Throws `unsupported_endpoint` for one the layout lacks. */
export function layoutEndpoint(layout: Layout, baseUrl: string, target: EndpointTarget): string {
  const { operation } = target
  // Other operations are at OpenAI's paths, whatever the channel's dialects.
  const dialect = isSideOperation(operation) ? 'chat' : target.dialect
  if (dialect === 'messages' && operation !== 'generate') throw notServed()
  const path = dialect === 'messages' ? 'v1/messages' : openaiPath(target)
  return `${addressOf(layout, baseUrl, dialect)}/${path}`
}
