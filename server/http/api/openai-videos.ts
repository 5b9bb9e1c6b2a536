/** `/v1/videos`: videos in OpenAI's words, made from words or from a video that is there. Each belongs to the user of its key. */
import type { KeptVideo } from '#canonical/operation/kept-video'
import { decodeUtf8, demandJson, join, readJsonPieces } from '#http/request/read-body'
import { isForm, readForm } from '#http/request/read-form'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { withRoom } from '#http/request/with-room'
import { writeVideo } from '#protocols/videos'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { pageSize } from './page-size.ts'
import { admit, senderOf } from './relay-route.ts'
import { begin, fileOf, type VideoServices, videoAt, videoNow } from './video-making.ts'

const ofForm =
  (services: VideoServices) =>
  ({ request, capture }: Visit, _: string, room?: Pick<BodyRoom, 'grow'>) =>
    readForm(services, request, capture, room)

const create = (services: VideoServices, visit: Visit): Promise<Response> =>
  begin(services, visit, { style: 'openai', shown: writeVideo, ...(isForm(visit.request) && { read: ofForm(services) }) })

/** What is asked of a video that is there: its id stands in the address or in the body, and its model is that of the new one. */
async function makeFrom(services: VideoServices, visit: Visit, variant: 'edit' | 'extend' | 'remix'): Promise<Response> {
  if (isForm(visit.request)) {
    throw new GatewayError('unsupported_here', 'Parley makes videos of those that were made here: name one as `video.id` in a JSON body.', {
      param: 'video',
    })
  }
  const caller = admit(services, visit)
  demandJson(visit.request)
  const { pieces } = await withRoom(services.rooms, senderOf(caller), (room) => readJsonPieces(visit.request, services, room))
  const body = parseObject(decodeUtf8(join(pieces)))
  if (!body) throw new GatewayError('invalid_json', 'The request body is not a JSON object.')
  const named = variant === 'remix' ? visit.params.id : isObject(body.video) ? body.video.id : undefined
  if (typeof named !== 'string') throw new GatewayError('missing_field', 'The field `video.id` is required.', { param: 'video.id' })
  const from = await videoAt(services, visit, named)
  if (from.style !== 'openai') throw new GatewayError('unsupported_here', 'The upstream that made this video makes no others of it.')
  const content = JSON.stringify({ ...body, model: from.model, ...(variant !== 'remix' && { video: { id: from.upstreamId } }) })
  return begin(services, visit, {
    ...{ style: 'openai', variant, from, path: from.upstreamId, shown: writeVideo },
    read: async () => ({ content, release: () => undefined }),
    asked: (ask) => ({ ...ask, ownFields: ['model'], isSpooled: false }),
  })
}

async function list(services: VideoServices, visit: Visit): Promise<Response> {
  const tenant = admit(services, visit).user.id
  const query = visit.url.searchParams
  const limit = pageSize(query.get('limit'))
  const named = query.get('after')
  const after = named === null ? undefined : await services.videos.find(named, tenant)
  if (named !== null && !after) throw new GatewayError('invalid_value', 'There is no such video in this list.', { param: 'after' })
  const found = await services.videos.list({
    tenant,
    most: limit + 1,
    isOldestFirst: query.get('order') === 'asc',
    ...(after && { after }),
  })
  const shown = found.slice(0, limit)
  const [first, last] = [shown.at(0), shown.at(-1)]
  return json({
    object: 'list',
    data: shown.map(writeVideo),
    first_id: first?.id ?? null,
    last_id: last?.id ?? null,
    has_more: found.length > limit,
  })
}

async function remove(services: VideoServices, visit: Visit): Promise<Response> {
  const video = await videoAt(services, visit, visit.params.id ?? '')
  if (!(await services.videos.remove(video.id, video.tenant)))
    throw new GatewayError('invalid_request', 'The video is still being made. Wait for its end.')
  await services.followUps.remove(video, visit.request.signal).catch((thrown: unknown) => {
    // It is gone here, and nobody can ask for it any more.
    if (!(thrown instanceof GatewayError)) throw thrown
  })
  return json({ id: video.id, object: 'video.deleted', deleted: true })
}

const variants = ['video', 'thumbnail', 'spritesheet']

async function content(services: VideoServices, visit: Visit): Promise<Response> {
  const variant = visit.url.searchParams.get('variant') ?? undefined
  if (variant !== undefined && !variants.includes(variant))
    throw new GatewayError('invalid_value', `The parameter \`variant\` must be one of ${variants.join(', ')}.`, { param: 'variant' })
  const video = await videoNow(services, visit, visit.params.id ?? '')
  const [file] = video.report.files
  return fileOf(services, visit, video, { ...(variant !== undefined && { variant }), ...(file !== undefined && { file }) })
}

/** `/v1/videos` and what is under it. */
export function openaiVideoRoutes(services: VideoServices): Route[] {
  const route = (method: Route['method'], path: string, handle: Route['handle'], slow = false): Route => ({
    ...{ method, path, envelope: 'chat', handle },
    ...(slow && { slow }),
  })
  const at = '/v1/videos/:id'
  const shown = (video: KeptVideo) => json(writeVideo(video))
  return [
    route('POST', '/v1/videos', (visit) => create(services, visit), true),
    route('GET', '/v1/videos', (visit) => list(services, visit)),
    route('POST', '/v1/videos/edits', (visit) => makeFrom(services, visit, 'edit'), true),
    route('POST', '/v1/videos/extensions', (visit) => makeFrom(services, visit, 'extend'), true),
    route('GET', at, async (visit) => shown(await videoNow(services, visit, visit.params.id ?? ''))),
    route('DELETE', at, (visit) => remove(services, visit)),
    route('POST', `${at}/remix`, (visit) => makeFrom(services, visit, 'remix'), true),
    route('GET', `${at}/content`, (visit) => content(services, visit), true),
  ]
}
