/**
 * The reviewed list of silent cells (`silent.txt`): losses without a report, under the reason why that is right. Each line is a way, a
 * dialect and a path, then the dialects that do not get it. A new silent cell has no reason, and fails the test until it is fixed or a
 * person has put it under one.
 */
import type { Cell } from './outcome.ts'
import type { Way } from './walk.ts'

/** The cells of each way. */
export type Walked = Readonly<Record<Way, readonly Cell[]>>

const unreviewed = 'NO REASON YET'

/** The silent cells: by line without its targets, the targets. */
export function silentCells(walked: Walked): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [way, cells] of Object.entries(walked)) {
    for (const { plain, inside, from, to, path } of cells) {
      if (plain !== 'silent' || inside !== undefined) continue
      const line = `${way} ${from} ${path}`
      found.set(line, [...new Set([...(found.get(line) ?? []), to])].sort())
    }
  }
  return found
}

interface Entry {
  line: string
  targets: string[]
  reason: string
}

const arrow = ' > '

/** The entries of the list, in its order. */
export function readList(text: string): Entry[] {
  let reason = unreviewed
  return text.split('\n').flatMap((row): Entry[] => {
    if (row.startsWith('## ')) reason = row.slice(3)
    const cut = row.lastIndexOf(arrow)
    return row.startsWith('#') || cut === -1 ? [] : [{ line: row.slice(0, cut), targets: row.slice(cut + arrow.length).split(' '), reason }]
  })
}

/** Whether the entry matches this line. One that ends in `*` matches every line with that prefix. */
const covers = (entry: Entry, line: string): boolean =>
  entry.line.endsWith('*') ? line.startsWith(entry.line.slice(0, -1)) : line === entry.line

/**
 * The differences between the list and the cells that are silent now, one sentence for each line; empty if there are none. In a sample,
 * only lines with `isWalked` can be missing.
 */
export function differences(
  list: readonly Entry[],
  now: ReadonlyMap<string, readonly string[]>,
  isWalked: (line: string) => boolean,
): string[] {
  const fresh = [...now].flatMap(([line, targets]) => {
    const listed = list.filter((entry) => covers(entry, line)).flatMap((entry) => entry.targets)
    const more = targets.filter((to) => !listed.includes(to))
    return more.length > 0 ? [`newly silent: ${line}${arrow}${more.join(' ')}`] : []
  })
  const gone = list.flatMap((entry) => {
    if (!isWalked(entry.line)) return []
    const less = entry.targets.filter((to) => !found(entry, now).includes(to))
    return less.length > 0 ? [`no longer silent: ${entry.line}${arrow}${less.join(' ')}`] : []
  })
  const bare = list.filter(({ reason }) => reason === unreviewed).map(({ line }) => `without a reason: ${line}`)
  return [...fresh, ...gone, ...bare]
}

const found = (entry: Entry, now: ReadonlyMap<string, readonly string[]>): string[] =>
  [...now].flatMap(([line, targets]) => (covers(entry, line) ? targets : []))

const head = `# Fields lost in conversion without a report, and why that is right. Read by testing/walk/silent-list.ts, written by
# \`npm run walk:update\`, which keeps reasons and puts what is new under "${unreviewed}". This list only shrinks.
`

/** The list as it must be now: reviewed lines keep their reasons. */
export function writeList(list: readonly Entry[], now: ReadonlyMap<string, readonly string[]>): string {
  const reviewed = list.filter(({ reason }) => reason !== unreviewed)
  const sections = new Map<string, string[]>()
  const put = (reason: string, line: string, targets: readonly string[]) => {
    if (targets.length > 0) sections.set(reason, [...(sections.get(reason) ?? []), `${line}${arrow}${targets.join(' ')}`])
  }
  for (const entry of reviewed) {
    const still = found(entry, now)
    put(
      entry.reason,
      entry.line,
      entry.targets.filter((to) => still.includes(to)),
    )
  }
  for (const [line, targets] of now) {
    const listed = reviewed.filter((entry) => covers(entry, line)).flatMap((entry) => entry.targets)
    put(
      unreviewed,
      line,
      targets.filter((to) => !listed.includes(to)),
    )
  }
  const parts = [...sections].map(([reason, lines]) => `## ${reason}\n\n${lines.sort().join('\n')}\n`)
  return [head, ...parts].join('\n')
}
