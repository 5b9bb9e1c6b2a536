/**
 * One feature of a request, with the smallest request that has it. Which dialects can express a feature is determined by trying. The lists
 * are in turn-, tool- and setting-features.ts.
 */
import type { ConversationRequest, Part, Turn } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'

/** One feature of a request. */
export interface RequestFeature {
  /** The section of the mapping rules that covers it. */
  row: string
  name: string
  /** The fields of the smallest request, besides a greeting. */
  fields(dialect: Dialect): Partial<ConversationRequest>
  /** The feature's content in a request; equal for requests that agree on it. */
  of(request: ConversationRequest): unknown
  /** The body as a client writes it, where Parley's own codec would write it differently. */
  body?: Partial<Record<Dialect, unknown>>
}

type Of = RequestFeature['of']

/** A feature that some fields of a request have. */
export const feature = (row: string, name: string, fields: Partial<ConversationRequest>, of: Of): RequestFeature => ({
  row,
  name,
  fields: () => fields,
  of,
})

/** A feature of what is said in a conversation. */
export const said = (row: string, name: string, turns: Turn[], of: Of): RequestFeature => feature(row, name, { turns }, of)

/** A field that only one dialect has. */
export const own = (row: string, dialect: Dialect, field: string, value: unknown): RequestFeature =>
  feature(row, `${dialect}: ${field}`, { extensions: { [dialect]: { [field]: value } } }, (it) => it.extensions[dialect]?.[field])

/** All parts of all turns. */
export const partsOf = (request: ConversationRequest): Part[] => request.turns.flatMap((turn) => turn.parts)

const pick = (from: object, keys: readonly string[]) => keys.map((key) => (from as Record<string, unknown>)[key])

/** Compares these keys of the parts of a kind. */
export const partFields =
  (kind: Part['kind'], ...keys: string[]): Of =>
  (request) =>
    partsOf(request)
      .filter((part) => part.kind === kind)
      .map((part) => pick(part, keys))

/** Compares these keys of the tools, and their kinds. */
export const toolFields =
  (...keys: string[]): Of =>
  ({ tools }) =>
    tools.map((tool) => [tool.kind, ...pick(tool, keys)])

/** The text or media of a part, without its other fields. */
export const shown = (part: Part): unknown =>
  part.kind === 'media' ? [part.media, part.source, part.mimeType] : part.kind === 'text' ? part.text : part.kind

/** Compares the roles of the turns. */
export const roles: Of = (request) => request.turns.map(({ role }) => role)

/** Clients' bodies whose one message has this content, by dialect. */
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
