/** The changes to a request on its way to an upstream: the lines of its formatted JSON, with the losses where they happened. */
import { diffLines } from 'diff'
import type { LossRow } from '#shared/console/log'
import { formatted } from './kept-body.ts'

/** A line: sent on, dropped, or added for the upstream; with the losses at it. */
export interface ChangedLine {
  text: string
  is: 'same' | 'gone' | 'new'
  losses: LossRow[]
}

/** Maximum number of added and removed lines: the work grows with its square. */
const mostEdits = 2_000

/** The lines of both bodies in order, and the losses that belong to no line; undefined if they differ too much. */
export function changesOf(
  asked: string,
  sent: string,
  losses: readonly LossRow[],
): { lines: ChangedLine[]; elsewhere: LossRow[] } | undefined {
  const changes = diffLines(`${formatted(asked)}\n`, `${formatted(sent)}\n`, { maxEditLength: mostEdits })
  if (!changes) return undefined
  const lines = changes.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((text): ChangedLine => ({ text, is: added ? 'new' : removed ? 'gone' : 'same', losses: [] })),
  )
  const elsewhere = losses.filter((loss) => {
    const place = placeOf(lines, loss)
    if (place) place.losses.push(loss)
    return place === undefined
  })
  return { lines, elsewhere }
}

/** The first line that names the field: among dropped ones, else among the others. */
function placeOf(lines: readonly ChangedLine[], { field }: LossRow): ChangedLine | undefined {
  const name = /(\w[\w-]*)(?:\[\d*\])*$/.exec(field)?.[1]
  if (name === undefined) return undefined
  const named = lines.filter(({ text }) => text.includes(`"${name}":`))
  return named.find(({ is }) => is === 'gone') ?? named[0]
}
