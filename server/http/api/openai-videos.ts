/** `/v1/videos`: videos in OpenAI's format, made from a prompt or from an existing video. Each belongs to its key's user. */
import type { KeptVideo } from '#canonical/operation/kept-video'
import { decodeUtf8, demandJson, join, readJsonPieces } from '#http/request/read-body'
import { isForm, readForm } from '#http/request/read-form'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { withRoom } from '#http/request/with-room'
import { nestedTexts, writeVideo } from '#protocols/videos'
import type { Body } from '#relay/contract/ask'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { mayNameFiles } from '#relay/conversation/kept-files'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { parseObject } from '#wire/json-scan'
import { pageSize } from './page-size.ts'
import { admit, senderOf } from './relay-route.ts'
import { begin, fileOf, type VideoServices, videoAt, videoNow } from './video-making.ts'

/** SDKs send forms even without a file: bracketed fields are converted to JSON, in which stored files are resolved. */
const ofForm =
  (services: VideoServices) =>
  async (visit: Visit, caller: string, room?: Pick<BodyRoom, 'grow'>): Promise<Body> => {
    const { request, capture } = visit
    const { content, release } = await readForm(services, request, capture, room)
    const hasFile = content.parts.some((part) => 'filename' in part)
    if (hasFile || !content.parts.some(({ name }) => name.endsWith(']'))) return { content, release }
    release()
    const body = { content: JSON.stringify(nestedTexts(content)) }
    const as = { operation: 'video', dialect: 'openai' } as const
    return mayNameFiles(body) ? services.putFilesIn(body, { tenant: admit(services, visit).user.id, caller, as }) : body
  }

const create = (services: VideoServices, visit: Visit): Promise<Response> =>
  begin(services, visit, { style: 'openai', shown: writeVideo, ...(isForm(visit.request) && { read: ofForm(services) }) })

/** The upstream's reference to a video. Throws `unsupported_here` where the upstream cannot make such a video from it. */
function sourceIn({ style, upstreamId, report }: KeptVideo, variant: 'edit' | 'extend' | 'remix') {
  if (style === 'openai') return { id: upstreamId }
  const [uri] = report.files
  if (variant === 'extend' && uri !== undefined) return { uri }
  const needs = variant === 'extend' ? 'It can be extended once it is complete.' : 'That needs a video made on an OpenAI channel.'
  throw new GatewayError('unsupported_here', `The upstream of this video cannot make another video from it by this call. ${needs}`, {
    param: 'video',
  })
}

/** The call's fields, from JSON or a form. Rejects with GatewayError. */
async function fieldsIn(services: VideoServices, visit: Visit, caller: string): Promise<Record<string, unknown>> {
  if (isForm(visit.request)) {
    const read = (room: BodyRoom) => readForm(services, visit.request, visit.capture, room)
    const { content, release } = await withRoom(services.rooms, caller, read, true)
    release()
    if (!content.parts.some((part) => 'filename' in part)) return nestedTexts(content)
    throw new GatewayError('unsupported_here', 'Only videos made through Parley can be used here: give one as `video.id`.', {
      param: 'video',
    })
  }
  demandJson(visit.request)
  const { pieces } = await withRoom(services.rooms, caller, (room) => readJsonPieces(visit.request, services, room))
  const body = parseObject(decodeUtf8(join(pieces)))
  if (!body) throw new GatewayError('invalid_json', 'The request body is not a JSON object.')
  return body
}

/** Makes a video from an existing one: its id is in the address or the body, and the new one has its model. */
async function makeFrom(services: VideoServices, visit: Visit, variant: 'edit' | 'extend' | 'remix'): Promise<Response> {
  const caller = admit(services, visit)
  const body = await fieldsIn(services, visit, senderOf(caller))
  const named = variant === 'remix' ? visit.params.id : isObject(body.video) ? body.video.id : undefined
  if (typeof named !== 'string') throw new GatewayError('missing_field', 'The field `video.id` is required.', { param: 'video.id' })
  const from = await videoAt(services, visit, named)
  const video = sourceIn(from, variant)
  const content = JSON.stringify({ ...body, model: from.model, ...(variant !== 'remix' && { video }) })
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
    throw new GatewayError('invalid_request', 'The video is still in progress. Wait until it is complete.')
  await services.followUps.remove(video, visit.request.signal).catch((thrown: unknown) => {
    // It is deleted here, and can no longer be requested.
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
  if (video.style === 'gemini' && variant !== undefined && variant !== 'video')
    throw new GatewayError(
      'unsupported_here',
      'The upstream that made this video provides only the video itself. Other variants need an OpenAI channel.',
      {
        param: 'variant',
      },
    )
  const [file] = video.report.files
  return fileOf(services, visit, video, { ...(variant !== undefined && { variant }), ...(file !== undefined && { file }) })
}

/** `/v1/videos` and below. */
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
