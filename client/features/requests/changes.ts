/** What became of a request on its way to an upstream: its lines as formatted JSON, with the losses where they happened. */
import { diffLines } from 'diff'
import type { LossRow } from '#shared/console/log'
import { formatted } from './kept-body.ts'

/** A line: sent on, not sent on, or added for the upstream; with what was lost there. */
export interface ChangedLine {
  text: string
  is: 'same' | 'gone' | 'new'
  losses: LossRow[]
}

/** Lines that are added or taken away at most: the work grows with their square. */
const mostEdits = 2_000

/** The lines of both bodies in order, and the losses that no line shows; undefined where they differ too much. */
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

/** The first line that names the field: of what was not sent on, else of what was. */
function placeOf(lines: readonly ChangedLine[], { field }: LossRow): ChangedLine | undefined {
  const name = /(\w[\w-]*)(?:\[\d*\])*$/.exec(field)?.[1]
  if (name === undefined) return undefined
  const named = lines.filter(({ text }) => text.includes(`"${name}":`))
  return named.find(({ is }) => is === 'gone') ?? named[0]
}
