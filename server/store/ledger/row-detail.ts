/**
 * The two columns into which a usage row packs what would otherwise be expensive: `detail`, a text that is only read with its row, and
 * `figures`, which are summed. Rows of earlier versions have a column for each part instead; both forms read alike.
 */
import type { logs } from '#db/schema'
import type { NewLog } from './ledger.ts'

type Stored = typeof logs.$inferSelect

/** A usage row as it is read. */
export type StoredLog = Omit<Stored, 'detail' | 'figures' | 'attempts'> & Pick<NewLog, 'attempts' | 'batch' | 'replayOf'>

/** Path of each figure in `usage`, in the order of the column: those usually zero come last, and are omitted there. */
export const figurePaths = [
  ['in', 'fresh'],
  ['out', 'total'],
  ['in', 'cacheRead'],
  ['out', 'reasoning'],
  ['in', 'cacheWrite', '5m'],
  ['in', 'cacheWrite', '1h'],
  ['in', 'cacheWrite', 'other'],
  ['in', 'audio'],
  ['in', 'image'],
  ['out', 'audio'],
  ['out', 'image'],
  ['units', 'images'],
  ['units', 'seconds'],
  ['units', 'characters'],
  ['units', 'searches'],
] as const

/** The figures of a row as PostgreSQL reads an array of numbers; empty where there is no usage. */
export function figuresText(usage: NewLog['usage']): string {
  if (!usage) return ''
  const { in: input, out, units } = usage
  const age = input?.cacheWrite
  const figures = [input?.fresh, out?.total, input?.cacheRead, out?.reasoning, age?.['5m'], age?.['1h'], age?.other]
  figures.push(input?.audio, input?.image, out?.audio, out?.image)
  figures.push(units?.images, units?.seconds, units?.characters, units?.searches)
  let text = ''
  let zeros = ''
  for (const figure of figures) {
    if (figure === 0 || typeof figure !== 'number' || !Number.isFinite(figure)) zeros += '0,'
    else {
      text += `${zeros}${figure},`
      zeros = ''
    }
  }
  return `{${text.slice(0, -1)}}`
}

/** The detail of a row as JSON; empty where there is none. */
export function detailText({
  usage,
  price,
  attempts,
  upstreamPrice,
  batch,
  replayOf,
}: Pick<NewLog, 'usage' | 'price' | 'attempts' | 'upstreamPrice'> & { batch?: string | undefined; replayOf?: string | undefined }): string {
  const parts: string[] = []
  if (usage) parts.push(`"usage":${JSON.stringify(usage)}`)
  if (price) parts.push(`"price":${JSON.stringify(price)}`)
  if (attempts.length > 0) parts.push(`"attempts":${JSON.stringify(attempts)}`)
  if (upstreamPrice) parts.push(`"upstreamPrice":${JSON.stringify(upstreamPrice)}`)
  if (batch !== undefined) parts.push(`"batch":${JSON.stringify(batch)}`)
  if (replayOf !== undefined) parts.push(`"replayOf":${JSON.stringify(replayOf)}`)
  return `{${parts.join(',')}}`
}

/** The model that answered and whose price applies, where a fallback replaced the requested one. */
export const answeredModel = (attempts: StoredLog['attempts']): string | undefined =>
  attempts.findLast(({ phase }) => phase === 'stream' || phase === 'done')?.model

/** The row with its detail unpacked. */
export function unpacked({ detail, figures: _, ...row }: Stored): StoredLog {
  const known = { ...row, attempts: row.attempts ?? [] }
  return detail === null ? known : { ...known, ...JSON.parse(detail) }
}
