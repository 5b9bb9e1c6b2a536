/**
 * One thing that a request can ask for, with the least request that asks for it. Which dialects can say it is not written
 * down: it is found by trying. The lists are in said-, tool- and setting-features.ts.
 */
import type { ConversationRequest, Part, Turn } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'

export interface RequestFeature {
  /** Section of the mapping rules that tell what becomes of it. */
  row: string
  name: string
  /** What the least request has besides a greeting. */
  fields(dialect: Dialect): Partial<ConversationRequest>
  /** What of a request says it: alike in two requests that say the same. */
  of(request: ConversationRequest): unknown
  /** As a client writes it, where its own codec would not write it so. */
  body?: Partial<Record<Dialect, unknown>>
}

type Of = RequestFeature['of']

export const feature = (row: string, name: string, fields: Partial<ConversationRequest>, of: Of): RequestFeature => ({
  row,
  name,
  fields: () => fields,
  of,
})

/** Something said in a conversation. */
export const said = (row: string, name: string, turns: Turn[], of: Of): RequestFeature => feature(row, name, { turns }, of)

/** A field that one dialect alone knows. */
export const own = (row: string, dialect: Dialect, field: string, value: unknown): RequestFeature =>
  feature(row, `${dialect}: ${field}`, { extensions: { [dialect]: { [field]: value } } }, (it) => it.extensions[dialect]?.[field])

export const partsOf = (request: ConversationRequest): Part[] => request.turns.flatMap((turn) => turn.parts)

const pick = (from: object, keys: readonly string[]) => keys.map((key) => (from as Record<string, unknown>)[key])

/** `keys` of the parts of a kind. */
export const partFields =
  (kind: Part['kind'], ...keys: string[]): Of =>
  (request) =>
    partsOf(request)
      .filter((part) => part.kind === kind)
      .map((part) => pick(part, keys))

/** `keys` of the tools, and what kinds they are. */
export const toolFields =
  (...keys: string[]): Of =>
  ({ tools }) =>
    tools.map((tool) => [tool.kind, ...pick(tool, keys)])

/** What is said in words or pictures, wherever else it differs. */
export const shown = (part: Part): unknown =>
  part.kind === 'media' ? [part.media, part.source, part.mimeType] : part.kind === 'text' ? part.text : part.kind

export const roles: Of = (request) => request.turns.map(({ role }) => role)

/** Bodies of clients whose one message has this content. */
export function bodies(contents: Partial<Record<Dialect, unknown>>): Partial<Record<Dialect, unknown>> {
  const all = Object.entries(contents) as [Dialect, unknown][]
  return Object.fromEntries(all.map(([dialect, content]) => [dialect, bodyWith(dialect, content)]))
}

function bodyWith(dialect: Dialect, content: unknown): unknown {
  const message = { role: 'user', content }
  switch (dialect) {
    case 'gemini':
      return { contents: [{ role: 'user', parts: content }] }
    case 'responses':
      return { model: 'asked', input: [message] }
    case 'completions':
      return { model: 'asked', prompt: content }
    case 'chat':
      return { model: 'asked', messages: [message] }
    case 'messages':
      return { model: 'asked', max_tokens: 900, messages: [message] }
  }
}
