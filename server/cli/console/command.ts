/** The definition of a command, and shared helpers: flags, tables, money fields. */
import { type Api, CommandError } from './api.ts'

/** A flag, without a value unless `value` names one. */
export interface Flag {
  value?: string
  help: string
  /** The values that it takes; several may be given where `value` has a comma. */
  of?: readonly string[]
  /** One letter that stands for it. */
  short?: string
}

/** The parsed input of a command. */
export interface Input {
  api: Api
  /** The arguments after its words, as many as it names. */
  args: readonly string[]
  flags: Readonly<Record<string, string | undefined>>
  env: Readonly<Record<string, string | undefined>>
  /** Asks for confirmation on a terminal; false where there is none. */
  confirm(question: string): Promise<boolean>
  /** The text of a file, or of standard input for `-`. Throws CommandError. */
  readText(file: string): Promise<string>
  /** Files of the user who runs it. */
  files: Files
  /** Parley's address, as `api` would find it. */
  address: string
  /** Prints while the command runs; nothing with --json. */
  say(text: string): void
}

/** Files of the user, by path. */
export interface Files {
  /** Their home folder. */
  home: string
  /** Null where there is none. */
  read(path: string): Promise<string | null>
  /** Null removes it. Only its owner may read what is written. */
  write(path: string, text: string | null): Promise<void>
  /** Appends to a file, creating it if needed. Rejects when the disk fails. */
  append(path: string, text: string): Promise<void>
}

/** What a command prints: a value for --json, or a text. */
export interface Output {
  value: unknown
  text: string
  /** 0 when absent. */
  code?: number
}

/** A command. */
export interface Command {
  /** `keys create` */
  words: string
  /** Names of its arguments; one in brackets is optional. */
  args?: readonly string[]
  flags?: Readonly<Record<string, Flag>>
  help: string
  /** It needs no management key; then `api` must not be used. */
  keyless?: true
  run(input: Input): Promise<Output>
}

/** A column of a table: its head, and its cells. */
export type Column<Row> = readonly [head: string, cell: (row: Row) => string | number | null | undefined]

/** Rows in aligned columns, numbers right-aligned; without rows the sentence `none`. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], none: string): string {
  if (rows.length === 0) return none
  const cells = rows.map((row) => columns.map(([, cell]) => oneLine(cell(row))))
  const widths = columns.map(([head], at) => Math.max(head.length, ...cells.map((line) => line[at]?.length ?? 0)))
  const right = columns.map(([, cell]) => rows.every((row) => /^-?[\d.]*%?$/.test(String(cell(row) ?? ''))))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, at) => (right[at] ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return [line(columns.map(([head]) => head)), ...cells.map(line)].join('\n')
}

/** Text that is safe to print: no line breaks, no control characters. */
const oneLine = (value: string | number | null | undefined) => String(value ?? '-').replace(/\p{Cc}+/gu, ' ')

/** The fields of a row, one per line. */
export const facts = (row: object): string =>
  table(
    Object.entries(row),
    [
      ['field', ([name]) => name],
      ['value', ([, value]) => (typeof value === 'string' ? value : JSON.stringify(value))],
    ],
    '',
  )

/** Flags that set a budget or limits, with their fields in the API. A row that is changed keeps the others; `none` removes one. */
export const boundFlags: Readonly<Record<string, Flag>> = {
  daily: { value: 'USD', help: 'Budget per day' },
  weekly: { value: 'USD', help: 'Budget per week' },
  monthly: { value: 'USD', help: 'Budget per month' },
  total: { value: 'USD', help: 'Budget in total' },
  timezone: { value: 'ZONE', help: 'IANA zone in which days and months begin' },
  rpm: { value: 'N', help: 'Requests per minute' },
  tpm: { value: 'N', help: 'Tokens per minute' },
  concurrency: { value: 'N', help: 'Requests at the same time' },
}

/** The budget and limits of a row. */
export interface Bounds {
  budget?: object | null
  limits?: object | null
}

/** `budget` and `limits` with what the flags change of the row's own; absent when no flag names any. Throws CommandError. */
export function boundsOf(flags: Input['flags'], { budget, limits }: Bounds = {}): Record<string, unknown> {
  const amounts = pick(flags, ['daily', 'weekly', 'monthly', 'total', 'timezone'])
  const counts = Object.entries(pick(flags, ['rpm', 'tpm', 'concurrency']))
  const numbers = Object.fromEntries(counts.map(([name, text]) => [name, text === 'none' ? text : wholeNumber(text, name)]))
  return {
    ...(Object.keys(amounts).length > 0 && { budget: changed(budget, amounts) }),
    ...(counts.length > 0 && { limits: changed(limits, numbers) }),
  }
}

/** The fields with these changes; `none` removes one. */
export const changed = (before: object | null | undefined, changes: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== 'none'))

/** Those of the flags that were given, by name. */
export const pick = (flags: Input['flags'], names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])))

/** A whole number. Throws CommandError. */
export function wholeNumber(text: string, flag: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new CommandError(`--${flag} takes a whole number.`, 2)
  return Number(text)
}

/** A whole number above zero. Throws CommandError. */
export function aboveZero(text: string, flag: string): number {
  const count = wholeNumber(text, flag)
  if (count < 1) throw new CommandError(`--${flag} takes a whole number above zero.`, 2)
  return count
}

/** A list written with commas; undefined when the flag is absent. */
export const listOf = (text: string | undefined): string[] | undefined =>
  text
    ?.split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** `--on` and `--off` as `enabled`. Throws CommandError for both. */
export function enabledOf({ on, off }: Input['flags']): { enabled?: boolean } {
  if (on !== undefined && off !== undefined) throw new CommandError('Use --on or --off, not both.', 2)
  return on !== undefined ? { enabled: true } : off !== undefined ? { enabled: false } : {}
}

/** Flags of `enabledOf`. */
export const switchFlags: Readonly<Record<string, Flag>> = { on: { help: 'Switch it on' }, off: { help: 'Switch it off' } }

/** The row with this id, or the only one with this name. Throws CommandError. */
export function named<Row extends { id: string; name: string }>(rows: readonly Row[], word: string): Row {
  const byId = rows.find(({ id }) => id === word)
  const byName = rows.filter(({ name }) => name === word)
  if (byId) return byId
  if (byName.length > 1) throw new CommandError(`Several have the name ${word}; give the id.`)
  if (byName[0] === undefined) throw new CommandError(`There is nothing with the id or name ${word}.`)
  return byName[0]
}

/** The query of the given parameters, with `?`; empty without any. */
export function queryOf(params: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, value)
  return query.size === 0 ? '' : `?${query}`
}
