/** The outcomes of a cell, and how they are determined from the output with and without the case. */
import type { Loss } from '#canonical/loss'
import { GatewayError } from '#shared/errors'

/**
 * `same`: the bytes arrive unchanged. `converted`: it changes the converted message. `reported`: it is lost, at least in part, and a loss
 * says so. `refused`: the caller gets a 400. `silent`: it is lost without a report.
 */
export const outcomes = ['same', 'converted', 'reported', 'refused', 'silent'] as const
/** The outcome of a cell. */
export type Outcome = (typeof outcomes)[number]

/** The outcome of one case, as usual and in strict mode. */
export interface Verdict {
  plain: Outcome
  strict: Outcome
  /** The heavier of its losses. */
  lost?: Loss['what']
}

/** One case between two dialects: that of the sender, and that of the receiver. */
export interface Cell extends Verdict {
  /** A dialect; of other operations, their name and style. */
  from: string
  to: string
  path: string
  /** The case that contains it, whose outcome it shares. */
  inside?: string
  /** It shows nothing about its possible contents. */
  hollow?: true
}

/** The output, and its losses. */
export interface Converted {
  text: string
  losses: readonly Loss[]
}

/** Compares the output with the case and without it. Strict mode refuses a loss of meaning. */
export function compared(one: Converted | GatewayError, other: Converted | GatewayError): Verdict {
  if (one instanceof GatewayError) return { plain: 'refused', strict: 'refused' }
  const had = new Set(other instanceof GatewayError ? [] : other.losses.map(keyOf))
  const lost = one.losses.filter((loss) => !had.has(keyOf(loss)))
  if (lost.length === 0) {
    const outcome = !(other instanceof GatewayError) && one.text === other.text ? 'silent' : 'converted'
    return { plain: outcome, strict: outcome }
  }
  const isHeavy = lost.some(({ meaning }) => meaning)
  return {
    plain: 'reported',
    strict: isHeavy ? 'refused' : 'reported',
    lost: lost.some(({ what }) => what === 'dropped') ? 'dropped' : 'adapted',
  }
}

const keyOf = ({ field, what, meaning }: Loss) => `${field} ${what} ${meaning}`

/**
 * Something inside a lost value has no loss of its own: it is reported, or silent, with it. The same applies to a detail of a part of the
 * conversation that is adapted, which is reported. Cases come after those that contain them.
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

/** The paths that contain a path, the nearest one first. */
export function holders(path: string): string[] {
  const cuts = [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)).filter((one) => one !== '')
  return cuts.reverse()
}
