/** Videos in Google's format: `:predictLongRunning`, its operations, and the files of complete ones. */
import type { KeptVideo } from '#canonical/operation/kept-video'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { extendedIn, withVideo, writeOperation } from '#protocols/videos'
import { GatewayError } from '#shared/errors'
import { type BegunBy, begin, fileOf, noVideo, type VideoServices, videoAt, videoNow } from './video-making.ts'

/** Clients accept only letters and digits in the id. */
const addressesOf = (origin: string, { id }: KeptVideo) => {
  const name = id.replace('_', '')
  return (index: number) => `${origin}/v1beta/files/${name}${index === 0 ? '' : `n${index}`}:download?alt=media`
}

const shownBy =
  ({ publicUrl }: VideoServices) =>
  (video: KeptVideo) =>
    writeOperation(video, addressesOf(publicUrl.origin, video))

/** Serves `:predictLongRunning`; `path` names model and action. A Parley video to extend is replaced by the upstream's own. */
export function beginVideo(services: VideoServices, visit: Visit, path: string): Promise<Response> {
  const by: BegunBy = {
    ...{ style: 'gemini', path, shown: shownBy(services) },
    asked: (ask) => ({
      ...ask,
      async body(room) {
        const came = await ask.body(room)
        const named = came.large ? undefined : videoNamed(String(came.content))
        if (!named) return came
        const from = await videoAt(services, visit, named.id)
        by.from = from
        const uri = from.style === 'gemini' ? from.report.files[named.index] : undefined
        if (uri === undefined) throw notExtended(from)
        const pinned = { channel: from.channel, key: from.key }
        return { ...came, content: withVideo(String(came.content), uri), known: [{ kind: 'file', id: uri }], pinned }
      },
    }),
  }
  return begin(services, visit, by)
}

const notExtended = ({ style, report }: KeptVideo) =>
  style === 'gemini' && report.state !== 'completed'
    ? new GatewayError('invalid_request', 'The video is not complete.')
    : new GatewayError('unsupported_here', 'The upstream that made this video cannot extend it by this call. Use /v1/videos/extensions.', {
        param: 'instances[0].video',
      })

/** The Parley video to extend, by its address. */
function videoNamed(text: string): { id: string; index: number } | undefined {
  const [, file] = /^(?:.*\/)?files\/(video[0-9a-f]{32}(?:n\d{1,2})?)(?::download)?(?:\?.*)?$/.exec(extendedIn(text) ?? '') ?? []
  return file === undefined ? undefined : videoFileIn(file)
}

/** The same, but undefined for any other action. */
export const geminiVideoAt = (services: VideoServices, visit: Visit, path: string): Promise<Response> | undefined =>
  path.endsWith(':predictLongRunning') ? beginVideo(services, visit, path) : undefined

/** The operation of this name, with or without its model. Rejects with `not_found`. */
export async function operationAt(services: VideoServices, visit: Visit, name: string): Promise<Response> {
  return json(shownBy(services)(await videoNow(services, visit, name)))
}

/** Parses the name of a file in an address: `video...:download`. Undefined: not a video's. */
export function videoFileIn(name: string): { id: string; index: number } | undefined {
  const [, hex, index = '0'] = /^video([0-9a-f]{32})(?:n(\d{1,2}))?(?::download)?$/.exec(name) ?? []
  return hex === undefined ? undefined : { id: `video_${hex}`, index: Number(index) }
}

/** The file of a video. Rejects with `not_found`. */
export async function downloadVideo(
  services: VideoServices,
  visit: Visit,
  { id, index }: { id: string; index: number },
): Promise<Response> {
  const video = await videoNow(services, visit, id)
  const file = video.report.files[index]
  if (video.report.state === 'completed' && (video.style === 'gemini' ? file === undefined : index > 0)) throw noVideo()
  return fileOf(services, visit, video, file === undefined ? {} : { file })
}

/** `/v1beta/operations/{id}`; `/v1beta/models/{model}/operations/{id}` is among the models. */
export function geminiVideoRoutes(services: VideoServices): Route[] {
  const handle = (visit: Visit) => operationAt(services, visit, visit.params.id ?? '')
  return [{ method: 'GET', path: '/v1beta/operations/:id', envelope: 'gemini', handle }]
}
