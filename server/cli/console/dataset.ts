/** Stored conversations as a data set, page by page. */
import { type DatasetForm, datasetHeaders, datasetPage } from '#shared/console/body'
import { type Api, CommandError } from './api.ts'
import { queryOf } from './command.ts'

/** Parameters of one export. */
export interface DatasetExport {
  api: Pick<Api, 'page'>
  as: DatasetForm
  asked: Record<string, string | undefined>
  /** Most requests to examine. */
  most: number
  after: string | undefined
  write(line: string): Promise<void>
}

/** The result. */
export interface ExportedDataset {
  examples: number
  /** Requests that are no examples, by reason. */
  leftOut: Record<string, number>
  /** Where to continue. */
  next?: string
}

/** Writes every example. Throws CommandError, which says where to continue: a page that was cut off has written nothing. */
export async function exportDataset({ api, as, asked, most, after, write }: DatasetExport): Promise<ExportedDataset> {
  const leftOut: Record<string, number> = {}
  let examples = 0
  let cursor = after
  for (let left = most; left > 0; ) {
    const limit = Math.min(datasetPage, left)
    const { text, headers } = await api
      .page(`/api/bodies/export${queryOf({ ...asked, as, limit: String(limit), after: cursor })}`)
      .catch((thrown: unknown) => {
        const reason = thrown instanceof CommandError ? thrown.message : 'The connection broke off.'
        throw new CommandError(`${reason}${cursor === undefined ? '' : ` Continue with --after ${cursor}`}`)
      })
    const lines = text.split('\n').filter((line) => line !== '')
    for (const line of lines) await write(line)
    examples += lines.length
    for (const part of headers.get(datasetHeaders.leftOut)?.split(', ') ?? []) {
      const [reason = '', count = '0'] = part.split('=')
      leftOut[reason] = (leftOut[reason] ?? 0) + Number(count)
    }
    cursor = headers.get(datasetHeaders.next) ?? undefined
    if (cursor === undefined) return { examples, leftOut }
    left -= limit
  }
  return { examples, leftOut, ...(cursor !== undefined && { next: cursor }) }
}

/** The result as text. */
export function datasetText({ examples, leftOut, next }: ExportedDataset, out: string): string {
  const reasons = Object.entries(leftOut).map(([reason, count]) => `${count} ${reason}`)
  const left = reasons.length === 0 ? '' : ` Left out: ${reasons.join(', ')}.`
  return `${examples} examples are in ${out}.${left}${next === undefined ? '' : ` Go on with --after ${next}`}`
}
