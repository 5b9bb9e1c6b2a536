/**
 * The files of an ended batch. In OpenAI's format one with answers and one with errors, each omitted
 * when empty; in Gemini's one with both, in order.
 */
import type { Batch, BatchFacts, BatchResult } from '#canonical/batch'
import { geminiBatches, openaiBatches } from '#protocols/batches'
import type { StoredFiles } from '#reasoning-state/stored-files'

/** Milliseconds, as for any file. */
const usualLife = 30 * 24 * 3_600_000
/** Bytes written at once. */
const portion = 384 * 1024
const encoder = new TextEncoder()

/** Which results belong in which file. */
const belongs = {
  output: ({ end }: BatchResult) => end === 'succeeded',
  error: ({ end }: BatchResult) => end !== 'succeeded',
  answers: () => true,
}

const lineOf = ({ words, id }: Batch, result: BatchResult) =>
  words === 'gemini' ? `${geminiBatches.writeGeminiAnswer(result, 'key')}\n` : openaiBatches.writeBatchLine(id, result)

/** Writes them to this store; undefined for batches whose answers stay in the database. */
export function createOutputFiles(files: Pick<StoredFiles, 'begin' | 'add'>) {
  async function written(batch: Batch, kind: keyof typeof belongs, lines: AsyncIterable<BatchResult>): Promise<string | undefined> {
    const { tenant, outputMs: lastsMs = usualLife } = batch
    let id: string | undefined
    let waiting: Uint8Array[] = []
    let bytes = 0
    async function write(isLast: boolean): Promise<void> {
      const name = `${batch.id}_${kind}.jsonl`
      // Paid answers are written regardless of the quota.
      id ??= await files.begin(tenant, { name, type: 'application/jsonl', purpose: 'batch_output', size: 0, lastsMs, isOwed: true })
      await files.add(tenant, id, { bytes: Buffer.concat(waiting), isLast })
      waiting = []
      bytes = 0
    }
    for await (const result of lines) {
      if (!belongs[kind](result)) continue
      const line = encoder.encode(lineOf(batch, result))
      waiting.push(line)
      bytes += line.length
      if (bytes >= portion) await write(false)
    }
    if (id !== undefined || waiting.length > 0) await write(true)
    return id
  }

  return async (batch: Batch, results: () => AsyncIterable<BatchResult>): Promise<Pick<BatchFacts, 'output' | 'errors'> | undefined> => {
    const { words, input, counts } = batch
    if (words === 'messages' || (words === 'gemini' && input === undefined)) return undefined
    const { succeeded, failed, cancelled, expired } = counts
    const isWhole = words === 'gemini'
    const output = isWhole || succeeded > 0 ? await written(batch, isWhole ? 'answers' : 'output', results()) : undefined
    const errors = !isWhole && failed + cancelled + expired > 0 ? await written(batch, 'error', results()) : undefined
    return { ...(output && { output }), ...(errors && { errors }) }
  }
}
