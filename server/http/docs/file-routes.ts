/** Descriptions of the endpoints of files. */
import { paging } from './parameters.ts'
import type { RouteDoc } from './route-doc.ts'

const files = { who: 'key', tag: 'Files' } as const
const byCaller =
  'The format is that of Messages if the request has a version header or `x-api-key`, Gemini’s if it has `x-goog-api-key` or `?key=`, and OpenAI’s otherwise. Empty ones do not count.'

const gemini: readonly RouteDoc[] = [
  ...['/upload/v1beta/files', '/upload/v1/files'].map(
    (path): RouteDoc => ({
      ...files,
      route: `POST ${path}`,
      summary: 'Gemini: upload a file',
      description:
        'Resumable uploads: `X-Goog-Upload-Command: start` answers with an address in `X-Goog-Upload-URL`, which takes `upload`, `upload, finalize`, `query` and `cancel`, valid for an hour and without a key: it acts for the key that began the upload. Stored for 48 hours.',
      parameters: [{ name: 'X-Goog-Upload-Command', in: 'header', required: true, description: 'What is to be done.' }],
      takes: { json: 'GeminiUpload' },
      gives: { json: ['GeminiUploaded'] },
      refuses: ['unsupported_here'],
    }),
  ),
  {
    ...files,
    route: 'GET /v1beta/files',
    summary: 'Gemini: own files',
    parameters: paging.gemini,
    gives: { json: ['GeminiFiles'] },
  },
  { ...files, route: 'GET /v1beta/files/:id', summary: 'Gemini: one file', gives: { json: ['GeminiFile'] } },
  { ...files, route: 'DELETE /v1beta/files/:id', summary: 'Gemini: delete a file', gives: { json: ['EmptyAnswer'] } },
]

/** Descriptions of the endpoints of files. */
export const fileRouteDocs: readonly RouteDoc[] = [
  {
    ...files,
    route: 'POST /v1/files',
    summary: 'Upload a file',
    description: `Requests of any protocol name it by its id, on any upstream: as \`file_id\`, or as \`fileUri\` with Gemini. Stored for 30 days, or as \`expires_after[seconds]\` or \`expires_in_seconds\` says. ${byCaller}`,
    takes: { form: 'FileForm' },
    gives: { json: ['OpenaiFile', 'MessagesFile', 'GeminiFile'] },
  },
  {
    ...files,
    route: 'GET /v1/files',
    summary: 'Own files',
    description: `Newest first. ${byCaller}`,
    parameters: [
      { name: 'limit', in: 'query', description: 'Files per page.' },
      {
        name: 'after',
        in: 'query',
        description: 'Id of the last file of the previous page (`page` with Messages, `pageToken` with Gemini).',
      },
      { name: 'purpose', in: 'query', description: 'Only those for this purpose.' },
    ],
    gives: { json: ['OpenaiFiles', 'MessagesFiles', 'GeminiFiles'] },
  },
  { ...files, route: 'GET /v1/files/:id', summary: 'One file', gives: { json: ['OpenaiFile', 'MessagesFile', 'GeminiFile'] } },
  {
    ...files,
    route: 'DELETE /v1/files/:id',
    summary: 'Delete a file',
    gives: { json: ['DeletedFile', 'DeletedMessagesFile', 'EmptyAnswer'] },
  },
  {
    ...files,
    route: 'GET /v1/files/:id/content',
    summary: 'What is in a file',
    gives: { types: ['application/octet-stream'] },
  },
  ...gemini,
]
