/** The journals in a data folder, line by line, as written and as this build reads them. */
import { encodeLine, type JournalLine, readLines } from '#billing/journal/journal-line'
import { namesIn, readSegments } from '#runtime/segment'

/** One line of a journal. */
export interface JournalEntry {
  /** The instance that wrote it: the name of its folder. */
  instance: string
  /** The JSON of the line. */
  written: Record<string, unknown>
  /** Undefined: this build cannot read it. */
  read: JournalLine | undefined
}

/** Every line of every active journal, in the order of writing. */
export async function journalEntries(dataFolder: string): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for (const instance of (await namesIn(`${dataFolder}/journal`)).filter((name) => /^\d+$/.test(name))) {
    for await (const bytes of readSegments(`${dataFolder}/journal/${instance}`)) {
      const read = [...readLines(bytes)]
      const text = new TextDecoder().decode(bytes)
      const lines = text
        .slice(0, text.indexOf('\0') < 0 ? text.length : text.indexOf('\0'))
        .split('\n')
        .filter((line) => line !== '')
      for (const [index, line] of lines.entries()) entries.push({ instance, written: JSON.parse(line.slice(9)), read: read[index] })
    }
  }
  return entries
}

/** The JSON of a line as this build writes it. */
export const rewritten = (line: JournalLine): Record<string, unknown> => JSON.parse(new TextDecoder().decode(encodeLine(line)).slice(9))

/** Every field name in a line with its path, such as `line.row.usage.in.fresh`; list indexes are written as `[]`. */
export function namesInLine(value: unknown, around = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesInLine(each, `${around}[]`))
  if (typeof value !== 'object' || value === null) return [around]
  return Object.entries(value).flatMap(([name, each]) => namesInLine(each, around === '' ? name : `${around}.${name}`))
}
