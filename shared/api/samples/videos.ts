/** Samples of videos. The demo makes none: they show its refusal. */
import { bearer, get, google, post, type Sample } from '../sample.ts'

const none = { language: 'sh', prints: 'json', shows: 'not_found', refusal: 'not_found' } as const
const from = '{"prompt": "At night", "video": {"id": "video_1"}}'

/** In the order in which they run. */
export const videoSamples: readonly Sample[] = [
  {
    route: 'POST /v1/videos',
    language: 'sh',
    text: post('/v1/videos', '{"model": "parley-demo", "prompt": "A red bicycle", "seconds": "8", "size": "1280x720"}'),
    prints: 'json',
    shows: 'unsupported_endpoint',
    refusal: 'unsupported_endpoint',
  },
  { route: 'GET /v1/videos', language: 'sh', text: get('/v1/videos'), prints: 'json', shows: '"list"' },
  { ...none, route: 'POST /v1/videos/edits', text: post('/v1/videos/edits', from) },
  { ...none, route: 'POST /v1/videos/extensions', text: post('/v1/videos/extensions', from) },
  { ...none, route: 'GET /v1/videos/{id}', text: get('/v1/videos/video_1') },
  { ...none, route: 'DELETE /v1/videos/{id}', text: `curl -s -X DELETE "$PARLEY_URL/v1/videos/video_1" ${bearer}` },
  { ...none, route: 'POST /v1/videos/{id}/remix', text: post('/v1/videos/video_1/remix', '{"prompt": "At night"}') },
  { ...none, route: 'GET /v1/videos/{id}/content', text: get('/v1/videos/video_1/content') },
  ...['/v1beta', '/v1'].map(
    (prefix): Sample => ({
      route: `POST ${prefix}/models/{model}:predictLongRunning`,
      language: 'sh',
      text: post(`${prefix}/models/parley-demo:predictLongRunning`, '{"instances": [{"prompt": "A red bicycle"}]}', { key: google }),
      prints: 'text',
      shows: 'serve this endpoint',
    }),
  ),
  {
    route: 'GET /v1beta/operations/{id}',
    language: 'sh',
    text: get('/v1beta/operations/video_1', google),
    prints: 'text',
    shows: 'NOT_FOUND',
  },
]
