/** The files of a batch that has ended: one with its answers, one with what came to nothing. Neither is there when it would be empty. */
import type { Batch, BatchFacts, BatchResult } from '#canonical/batch'
import { openaiBatches } from '#protocols/batches'
import type { StoredFiles } from '#reasoning-state/stored-files'

/** Milliseconds, as for any file. */
const usualLife = 30 * 24 * 3_600_000
/** Bytes that are written at once. */
const portion = 384 * 1024
const encoder = new TextEncoder()

/** Writes them into this store; undefined for batches whose answers stay where they are. */
export function createOutputFiles(files: Pick<StoredFiles, 'begin' | 'add'>) {
  async function written(batch: Batch, kind: 'output' | 'errors', lines: AsyncIterable<BatchResult>): Promise<string | undefined> {
    const { tenant, outputMs: lastsMs = usualLife } = batch
    let id: string | undefined
    let waiting: Uint8Array[] = []
    let bytes = 0
    async function write(isLast: boolean): Promise<void> {
      const name = `${batch.id}_${kind === 'output' ? 'output' : 'error'}.jsonl`
      // What was paid for is not lost to a quota.
      id ??= await files.begin(tenant, { name, type: 'application/jsonl', purpose: 'batch_output', size: 0, lastsMs, isOwed: true })
      await files.add(tenant, id, { bytes: Buffer.concat(waiting), isLast })
      waiting = []
      bytes = 0
    }
    for await (const result of lines) {
      if ((result.end === 'succeeded') !== (kind === 'output')) continue
      const line = encoder.encode(openaiBatches.writeBatchLine(batch.id, result))
      waiting.push(line)
      bytes += line.length
      if (bytes >= portion) await write(false)
    }
    if (id !== undefined || waiting.length > 0) await write(true)
    return id
  }

  return async (batch: Batch, results: () => AsyncIterable<BatchResult>): Promise<Pick<BatchFacts, 'output' | 'errors'> | undefined> => {
    if (batch.words !== 'chat') return undefined
    const { succeeded, failed, cancelled, expired } = batch.counts
    const output = succeeded > 0 ? await written(batch, 'output', results()) : undefined
    const errors = failed + cancelled + expired > 0 ? await written(batch, 'errors', results()) : undefined
    return { ...(output && { output }), ...(errors && { errors }) }
  }
}
