/** Descriptions of the endpoints of videos. */
import type { RouteDoc } from './route-doc.ts'

const video = { who: 'key', tag: 'Videos' } as const
const paging = [
  { name: 'limit', in: 'query', description: 'Videos per page, 1 to 100. Default: 20.' },
  { name: 'after', in: 'query', description: 'Id of the last video of the previous page.' },
  { name: 'order', in: 'query', description: '`asc` for the oldest first.' },
] as const
const one: RouteDoc['gives'] = { json: ['Video'] }

/** Descriptions of the endpoints of videos. */
export const videoRouteDocs: readonly RouteDoc[] = [
  {
    ...video,
    route: 'POST /v1/videos',
    summary: 'Make a video',
    description:
      'The answer comes when an upstream has begun. What the video may cost is held until it is made, and charged then, once; a video that fails is free. A row in the log follows its end.',
    takes: { json: 'VideoRequest', form: 'VideoForm' },
    gives: one,
  },
  { ...video, route: 'GET /v1/videos', summary: 'List videos', parameters: paging, gives: { json: ['VideoList'] } },
  {
    ...video,
    route: 'POST /v1/videos/edits',
    summary: 'Edit a video',
    description: 'The video was made here; the upstream that made it makes the new one.',
    takes: { json: 'VideoFromRequest' },
    gives: one,
  },
  {
    ...video,
    route: 'POST /v1/videos/extensions',
    summary: 'Extend a video',
    description: 'The video was made here; the upstream that made it makes the new one.',
    takes: { json: 'VideoFromRequest' },
    gives: one,
  },
  { ...video, route: 'GET /v1/videos/:id', summary: 'A video and how far it is', gives: one },
  { ...video, route: 'DELETE /v1/videos/:id', summary: 'Delete a video that has ended', gives: { json: ['VideoDeleted'] } },
  { ...video, route: 'POST /v1/videos/:id/remix', summary: 'Remix a video', takes: { json: 'VideoRemixRequest' }, gives: one },
  { ...video, route: 'GET /v1/videos/:id/content', summary: 'The file of a video', gives: { types: ['video/mp4'] } },
  ...['/v1beta', '/v1'].map(
    (prefix): RouteDoc => ({
      ...video,
      route: `POST ${prefix}/models/*`,
      path: `${prefix}/models/{model}:predictLongRunning`,
      summary: 'Gemini: make videos',
      description: 'As clients of Veo ask. The answer is an operation, which is asked for until it is done.',
      takes: { json: 'PredictVideosRequest' },
      gives: { json: ['VideoOperation'] },
    }),
  ),
  { ...video, route: 'GET /v1beta/operations/:id', summary: 'Gemini: an operation', gives: { json: ['VideoOperation'] } },
]
