/** Descriptions of the endpoints of batches, of multipart uploads, and of client secrets. */
import { anthropicVersion } from './parameters.ts'
import type { RouteDoc } from './route-doc.ts'

const batches = { who: 'key', tag: 'Batches' } as const
const openaiPaging = [
  { name: 'limit', in: 'query', description: 'Batches per page, 1 to 100. Default: 20.' },
  { name: 'after', in: 'query', description: 'Id of the last batch of the previous page.' },
] as const
const messagesPaging = [
  openaiPaging[0],
  { name: 'after_id', in: 'query', description: 'Id of the last batch of the previous page.' },
  { name: 'before_id', in: 'query', description: 'Id of the first batch of the next page.' },
] as const

const byGoogle = 'In Gemini’s format if the key is sent as Google’s clients do: the batches that were created that way.'

const openai: readonly RouteDoc[] = [
  {
    ...batches,
    route: 'POST /v1/batches',
    summary: 'Create a batch',
    description:
      'Sends the requests of a file, one per line, within 24 hours, on any upstream: at most four at once, with lower priority than interactive requests, within the limits of the key. All lines are checked first: an error in one, or a balance that does not cover them all, refuses the batch. Nothing stays held: each request holds its maximum cost when it is sent, and has its own row in the log. If money runs out meanwhile, the batch waits for more. A batch has at most 50,000 requests of 1 MiB.',
    takes: { json: 'BatchRequest' },
    gives: { json: ['Batch'] },
  },
  {
    ...batches,
    route: 'GET /v1/batches',
    summary: 'Own batches',
    description: byGoogle,
    parameters: openaiPaging,
    gives: { json: ['Batches', 'GeminiBatches'] },
  },
  { ...batches, route: 'GET /v1/batches/:id', summary: 'One batch', description: byGoogle, gives: { json: ['Batch', 'GeminiBatch'] } },
  {
    ...batches,
    route: 'POST /v1/batches/:id/cancel',
    summary: 'Cancel a batch',
    description: 'Running requests are still answered and charged; the rest are not sent.',
    gives: { json: ['Batch'] },
  },
]

const messages: readonly RouteDoc[] = [
  {
    ...batches,
    route: 'POST /v1/messages/batches',
    summary: 'Messages: create a batch',
    description: 'As at `/v1/batches`, with the requests in the call: 32 MiB in all.',
    parameters: anthropicVersion,
    takes: { json: 'MessageBatchRequest' },
    gives: { json: ['MessageBatch'] },
  },
  {
    ...batches,
    route: 'GET /v1/messages/batches',
    summary: 'Messages: own batches',
    parameters: messagesPaging,
    gives: { json: ['MessageBatches'] },
  },
  { ...batches, route: 'GET /v1/messages/batches/:id', summary: 'Messages: one batch', gives: { json: ['MessageBatch'] } },
  {
    ...batches,
    route: 'DELETE /v1/messages/batches/:id',
    summary: 'Messages: delete a batch',
    description: 'Only an ended one, with its results. They are deleted automatically after 30 days.',
    gives: { json: ['DeletedMessageBatch'] },
  },
  {
    ...batches,
    route: 'POST /v1/messages/batches/:id/cancel',
    summary: 'Messages: cancel a batch',
    description: 'Running requests are still answered and charged; the rest are not sent.',
    gives: { json: ['MessageBatch'] },
  },
  {
    ...batches,
    route: 'GET /v1/messages/batches/:id/results',
    summary: 'Messages: results of a batch',
    description: 'One line of JSON for each request, in their order, once the batch has ended.',
    gives: { types: ['application/x-jsonl'] },
  },
]

const makesGemini = {
  batchGenerateContent: [
    'Gemini: create a batch',
    'As at `/v1/batches`, with the requests in the call (32 MiB in all) or in a stored file, all for the model in the address. The answers are in the batch if its requests were in the call, otherwise in a file, in the order of the requests.',
  ],
  asyncBatchEmbedContent: ['Gemini: create a batch of embeddings', 'Each request has the form of `embedContent`.'],
} as const
const geminiPaging = [
  { name: 'pageSize', in: 'query', description: 'Batches per page, 1 to 100. Default: 20.' },
  { name: 'pageToken', in: 'query', description: '`nextPageToken` of the previous page.' },
] as const
const ofGoogle = 'Used by Google’s newer clients.'
const gemini: readonly RouteDoc[] = [
  ...['/v1beta', '/v1'].flatMap((prefix) =>
    Object.entries(makesGemini).map(
      ([action, [summary, description]]): RouteDoc => ({
        ...{ ...batches, route: `POST ${prefix}/models/*`, path: `${prefix}/models/{model}:${action}`, summary, description },
        takes: { json: 'GeminiBatchRequest' },
        gives: { json: ['GeminiBatch'] },
      }),
    ),
  ),
  {
    ...batches,
    route: 'GET /v1beta/batches',
    summary: 'Gemini: own batches',
    parameters: geminiPaging,
    gives: { json: ['GeminiBatches'] },
  },
  { ...batches, route: 'GET /v1beta/batches/:id', summary: 'Gemini: one batch', gives: { json: ['GeminiBatch'] } },
  ...(['/v1beta', '/v1'] as const).flatMap((prefix): RouteDoc[] => [
    {
      ...batches,
      route: `DELETE ${prefix}/batches/:id`,
      summary: 'Gemini: delete a batch',
      description: `Only an ended one, with its results. They are deleted automatically after 30 days.${prefix === '/v1' ? ` ${ofGoogle}` : ''}`,
      gives: { json: ['EmptyAnswer'] },
    },
    {
      ...batches,
      route: `POST ${prefix}/batches/:id`,
      summary: 'Gemini: cancel a batch',
      description: `At \`{id}:cancel\`. Running requests are still answered and charged; the rest are not sent.${prefix === '/v1' ? ` ${ofGoogle}` : ''}`,
      gives: { json: ['EmptyAnswer'] },
    },
  ]),
]

const files = { who: 'key', tag: 'Files' } as const
const uploads: readonly RouteDoc[] = [
  {
    ...files,
    route: 'POST /v1/uploads',
    summary: 'Begin an upload in parts',
    description: 'For an hour. The file has at most 25 MiB.',
    takes: { json: 'UploadRequest' },
    gives: { json: ['Upload'] },
  },
  {
    ...files,
    route: 'POST /v1/uploads/:id/parts',
    summary: 'Upload a part',
    description: 'In any order, also concurrently.',
    takes: { form: 'UploadPartForm' },
    gives: { json: ['UploadPart'] },
  },
  {
    ...files,
    route: 'POST /v1/uploads/:id/complete',
    summary: 'Complete an upload',
    description: 'The parts become a file, in the given order.',
    takes: { json: 'UploadCompletion' },
    gives: { json: ['Upload'] },
  },
  { ...files, route: 'POST /v1/uploads/:id/cancel', summary: 'Cancel an upload', gives: { json: ['Upload'] } },
]

/** Descriptions of these endpoints. */
export const batchRouteDocs: readonly RouteDoc[] = [...openai, ...messages, ...gemini, ...uploads]
