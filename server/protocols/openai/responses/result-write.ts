/** What a tool answered, for an upstream of this dialect: a text, or parts. */
import type { MediaPart, ResultPart, TextPart } from '#canonical/conversation'
import { breakpoint, inputText, mediaContent, type Writing } from './request-write-content.ts'

type Item = Record<string, unknown>

export function resultOutput(part: ResultPart, writing: Writing): string | Item[] {
  if (part.isError) writing.losses.adapted('result.isError', 'A failed tool says so in its text.')
  const parts = part.isError ? withErrorPrefix(part.parts) : part.parts
  const [only] = parts
  if (!part.cache && (parts.length === 0 || (parts.length === 1 && only?.kind === 'text' && !only.cache))) {
    return only?.kind === 'text' ? only.text : ''
  }
  const written = parts.map((one) => (one.kind === 'text' ? inputText(one, writing) : mediaContent(one, writing)))
  const last = written.at(-1) ?? { type: 'input_text', text: '' }
  return [...written.slice(0, -1), { ...last, ...breakpoint(part.cache, writing) }]
}

function withErrorPrefix(parts: (TextPart | MediaPart)[]): (TextPart | MediaPart)[] {
  const [first, ...rest] = parts
  if (first?.kind === 'text') return [{ ...first, text: `Error: ${first.text}` }, ...rest]
  return [{ kind: 'text', text: 'Error:' }, ...parts]
}
