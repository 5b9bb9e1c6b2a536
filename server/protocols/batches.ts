/** The registry of batch formats, by protocol. */
import * as anthropic from '#protocols/anthropic/batches'
import * as gemini from '#protocols/gemini/batches'
import * as openai from '#protocols/openai/batches'

const { inLine, readBatch, readBatchLine, writeBatch, writeBatches, writeBatchLine } = openai
const { readMessagesRequest, writeMessagesBatch, writeMessagesBatches, writeMessagesResult } = anthropic

/** `/v1/batches`. */
export const openaiBatches = { inLine, readBatch, readBatchLine, writeBatch, writeBatches, writeBatchLine }

/** `/v1/messages/batches`. */
export const messageBatches = { readMessagesRequest, writeMessagesBatch, writeMessagesBatches, writeMessagesResult }

/** `{model}:batchGenerateContent`, `:asyncBatchEmbedContent` and `/v1beta/batches`. */
export const geminiBatches = gemini
