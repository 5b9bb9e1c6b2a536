/** The outcomes of a cell, and how one is told from what went out with and without the case. */
import type { Loss } from '#canonical/loss'
import { GatewayError } from '#shared/errors'

/**
 * `same`: the bytes arrive as they were sent. `converted`: it changes what arrives. `told`: a loss says that it does not, or not all of
 * it. `refused`: the caller hears a 400. `silent`: nothing arrives and nobody is told.
 */
export const outcomes = ['same', 'converted', 'told', 'refused', 'silent'] as const
/** The outcome of a cell. */
export type Outcome = (typeof outcomes)[number]

/** The outcome of one case, as usual and in strict mode. */
export interface Told {
  plain: Outcome
  strict: Outcome
  /** The heavier of its losses. */
  lost?: Loss['what']
}

/** One case between two dialects: that of what is said, and that of who hears it. */
export interface Cell extends Told {
  /** A dialect; of other operations, their name and style. */
  from: string
  to: string
  path: string
  /** What it is inside of, and shares the outcome of. */
  inside?: string
  /** It says nothing of what may stand inside of it. */
  hollow?: true
}

/** What goes out, and what it has lost. */
export interface Said {
  text: string
  losses: readonly Loss[]
}

/** Compares what goes out with the case and without it. Strict mode refuses a loss of meaning. */
export function told(one: Said | GatewayError, other: Said | GatewayError): Told {
  if (one instanceof GatewayError) return { plain: 'refused', strict: 'refused' }
  const had = new Set(other instanceof GatewayError ? [] : other.losses.map(keyOf))
  const lost = one.losses.filter((loss) => !had.has(keyOf(loss)))
  if (lost.length === 0) {
    const outcome = !(other instanceof GatewayError) && one.text === other.text ? 'silent' : 'converted'
    return { plain: outcome, strict: outcome }
  }
  const isHeavy = lost.some(({ meaning }) => meaning)
  return { plain: 'told', strict: isHeavy ? 'refused' : 'told', lost: lost.some(({ what }) => what === 'dropped') ? 'dropped' : 'adapted' }
}

const keyOf = ({ field, what, meaning }: Loss) => `${field} ${what} ${meaning}`

/**
 * Something inside of what is lost has no words of its own: it is told, or silent, with it. So is a detail of a part of the conversation that arrives
 * in another form, which is told. Cases come after those that they are inside of.
 */
export function withinOthers(cells: readonly Cell[]): Cell[] {
  const lost = new Map<string, Cell>()
  return cells.map((cell) => {
    const around = cell.plain === 'silent' ? holders(cell.path).flatMap((path) => lost.get(`${cell.to} ${path}`) ?? [])[0] : undefined
    const settled = around ? { ...cell, plain: around.plain, strict: around.strict, inside: around.path } : cell
    if (cell.hollow && settled.plain === 'silent') return settled
    if (settled.plain === 'silent' || settled.lost === 'dropped' || (settled.lost === 'adapted' && isItem(cell.path)))
      lost.set(`${cell.to} ${cell.path}`, settled)
    return settled
  })
}

const isItem = (path: string) => /^(messages|input|contents|choices|output|content|candidates|event)\b.*\[/.test(path)

/** The paths that a path is inside of, the nearest one first. */
export function holders(path: string): string[] {
  const cuts = [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).filter((one) => one !== '')
  return cuts.reverse()
}
