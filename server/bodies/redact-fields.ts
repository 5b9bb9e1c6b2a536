/** Blanks the values of named fields in JSON, whole or in the events of a stream, character by character, so that offsets stay valid. */

/** The steps of a path: names, list indexes, `*` for any single one, `**` for any number of them. */
export type FieldPath = readonly string[]

/** `metadata.user_id`, `messages.*.content`, `**.password`. */
export const fieldPath = (text: string): FieldPath => text.split('.')

/** The text with the values of these fields blanked: letters of strings become `*`, digits 0. Text that is not JSON is unchanged. */
export function blankFields(text: string, paths: readonly FieldPath[]): string {
  const spans: Span[] = []
  if (/^\s*[[{]/.test(text)) walk(text, 0, text.length, paths, spans)
  else for (const line of text.matchAll(/^data: ?([[{].*)$/gm)) lineSpans(text, line, paths, spans)
  if (spans.length === 0) return text
  const out: string[] = []
  let at = 0
  for (const { from, to, as } of spans) {
    out.push(text.slice(at, from), text.slice(from, to).replace(/[^\s]/g, as))
    at = to
  }
  return out.join('') + text.slice(at)
}

interface Span {
  from: number
  to: number
  as: '*' | '0'
}

function lineSpans(text: string, line: RegExpMatchArray, paths: readonly FieldPath[], spans: Span[]): void {
  const end = (line.index ?? 0) + line[0].length
  walk(text, end - (line[1] ?? '').length, end, paths, spans)
}

/** Requests are never nested deeper. */
const mostDepth = 200

/** Every scalar at or below one of the paths becomes a span. Stops silently where the text is not JSON. */
function walk(text: string, start: number, end: number, paths: readonly FieldPath[], spans: Span[]): void {
  let at = start
  const steps: string[] = []

  function value(isMeant: boolean): boolean {
    blanks()
    const first = text[at]
    if (first === '{') return list(isMeant, true)
    if (first === '[') return list(isMeant, false)
    if (first === '"') {
      const from = at + 1
      if (!string()) return false
      if (isMeant) spans.push({ from, to: at - 1, as: '*' })
      return true
    }
    const from = at
    while (at < end && /[\w.+-]/.test(text[at] ?? '')) at++
    if (isMeant && /[\d-]/.test(first ?? '')) spans.push({ from, to: at, as: '0' })
    return at > from
  }

  function list(isMeant: boolean, isObject: boolean): boolean {
    const close = isObject ? '}' : ']'
    if (steps.length >= mostDepth) return false
    at++
    blanks()
    for (let n = 0; text[at] !== close; n++) {
      if (at >= end) return false
      let name = String(n)
      if (isObject) {
        const from = at
        if (text[at] !== '"' || !string()) return false
        name = nameIn(text.slice(from, at))
        blanks()
        if (text[at++] !== ':') return false
      }
      steps.push(name)
      const went = value(isMeant || paths.some((path) => matches(path, steps)))
      steps.pop()
      if (!went) return false
      blanks()
      if (text[at] === ',') {
        at++
        blanks()
      } else if (text[at] !== close) return false
    }
    at++
    return true
  }

  /** Skips a string. */
  function string(): boolean {
    for (at++; at < end; at++) {
      if (text[at] === '\\') at++
      else if (text[at] === '"') {
        at++
        return true
      }
    }
    return false
  }

  function blanks(): void {
    while (at < end && /\s/.test(text[at] ?? '')) at++
  }

  value(paths.some((path) => matches(path, steps)))
}

/** The unescaped name; the text has one character for each byte. */
function nameIn(quoted: string): string {
  try {
    return JSON.parse(Buffer.from(quoted, 'latin1').toString('utf8'))
  } catch {
    return quoted
  }
}

function matches(path: FieldPath, steps: readonly string[], p = 0, s = 0): boolean {
  const step = path[p]
  if (step === undefined) return s === steps.length
  if (step === '**') return matches(path, steps, p + 1, s) || (s < steps.length && matches(path, steps, p, s + 1))
  return s < steps.length && (step === '*' || step === steps[s]) && matches(path, steps, p + 1, s + 1)
}
