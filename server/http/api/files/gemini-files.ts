/** Files at Gemini's addresses: uploads that can be resumed, lists, deletion. They are those of `files.ts`. */
import type { KeptFile } from '#canonical/kept-file'
import { downloadVideo, videoFileIn } from '#http/api/gemini-videos'
import { admit } from '#http/api/relay-route'
import type { VideoServices } from '#http/api/video-making'
import { bodyPieces, bodyTimeMs, readBody } from '#http/request/read-body'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { fileWriters } from '#protocols/files'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { fileName, fileType } from './file-type.ts'
import { type FileServices, list, remove, shown } from './files.ts'
import { inPortions } from './in-portions.ts'

/** Milliseconds: as long as Google keeps them. */
const life = 48 * 3_600_000
/** Bytes: of what is said of a file, and of one part of an upload. */
const mostWords = 64 * 1024
const mostBytes = 26 * 1024 * 1024

const header = ({ request }: Visit, name: string) => request.headers.get(`x-goog-upload-${name}`)

async function words(visit: Visit, services: FileServices): Promise<Record<string, unknown>> {
  const text = new TextDecoder().decode(await readBody(visit.request, mostWords, services.clock, services.idleMs))
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    const file = isObject(value) ? value.file : undefined
    return isObject(file) ? file : {}
  } catch {
    throw new GatewayError('invalid_json', 'The request body is not valid JSON.')
  }
}

async function begin(services: FileServices, visit: Visit, tenant: string): Promise<Response> {
  const said = await words(visit, services)
  if (said.name !== undefined) {
    throw new GatewayError('unsupported_here', 'Parley names files itself: leave out `name` and use the one in the answer.', {
      param: 'file.name',
    })
  }
  const size = Number(header(visit, 'header-content-length') ?? 0)
  const named = typeof said.displayName === 'string' ? said.displayName : header(visit, 'file-name')
  const name = fileName(named)
  const declared = header(visit, 'header-content-type') ?? (typeof said.mimeType === 'string' ? said.mimeType : null)
  const id = await services.files.begin(tenant, {
    name,
    type: fileType(declared, name),
    purpose: 'user_data',
    size: Number.isSafeInteger(size) && size > 0 ? size : 0,
    lastsMs: life,
  })
  const answer = json({})
  answer.headers.set('x-goog-upload-url', `${services.publicUrl.origin}${visit.url.pathname}?upload_id=${id}`)
  answer.headers.set('x-goog-upload-status', 'active')
  return answer
}

/** What the client sends now. A part that breaks off is kept as far as it came: the client asks where it stands and goes on there. */
async function* sentNow(services: FileServices, visit: Visit, isUpload: boolean): AsyncGenerator<Uint8Array> {
  const { clock, idleMs } = services
  if (isUpload) yield* bodyPieces(visit.request, { maxBytes: mostBytes, clock, timeMs: bodyTimeMs, idleMs })
}

async function goOn(services: FileServices, visit: Visit, tenant: string, commands: readonly string[]): Promise<Response> {
  const id = visit.url.searchParams.get('upload_id') ?? ''
  const ends = commands.includes('finalize')
  let offset = Number(header(visit, 'offset') ?? 0)
  let file: KeptFile | undefined
  for await (const { bytes, isLast } of inPortions(sentNow(services, visit, commands.includes('upload')))) {
    file = await services.files.add(tenant, id, { offset, bytes, isLast: isLast && ends })
    offset += bytes.length
  }
  const answer = json(ends && file ? { file: fileWriters.gemini.file(file, services.publicUrl.origin) } : {})
  answer.headers.set('x-goog-upload-status', ends ? 'final' : 'active')
  return answer
}

/** Where an upload stands, for a client that lost count. */
async function told(services: FileServices, visit: Visit, tenant: string): Promise<Response> {
  const file = await services.files.find(tenant, visit.url.searchParams.get('upload_id') ?? '')
  if (!file) throw new GatewayError('not_found', 'There is no such upload.')
  const answer = json({})
  answer.headers.set('x-goog-upload-status', file.isWhole ? 'final' : 'active')
  answer.headers.set('x-goog-upload-size-received', String(file.bytes))
  return answer
}

async function cancelled(services: FileServices, visit: Visit, tenant: string): Promise<Response> {
  await services.files.remove(tenant, visit.url.searchParams.get('upload_id') ?? '')
  const answer = json({})
  answer.headers.set('x-goog-upload-status', 'cancelled')
  return answer
}

function upload(services: FileServices, visit: Visit): Promise<Response> {
  const tenant = admit(services, visit).user.id
  const commands = (header(visit, 'command') ?? '').split(',').map((command) => command.trim().toLowerCase())
  if (commands.includes('start')) return begin(services, visit, tenant)
  if (commands.includes('upload') || commands.includes('finalize')) return goOn(services, visit, tenant, commands)
  if (commands.includes('query')) return told(services, visit, tenant)
  if (commands.includes('cancel')) return cancelled(services, visit, tenant)
  throw new GatewayError('unsupported_here', 'Parley takes uploads that can be resumed: begin with X-Goog-Upload-Command: start.')
}

/** `/upload/v1beta/files`, `/upload/v1/files`, `/v1beta/files` and what is under it. */
export function geminiFileRoutes(services: FileServices & VideoServices): Route[] {
  const envelope = 'gemini'
  const at = '/v1beta/files/:id'
  const uploads = ['/upload/v1beta/files', '/upload/v1/files'].map(
    (path): Route => ({ method: 'POST', path, envelope, slow: true, handle: async (visit) => upload(services, visit) }),
  )
  return [
    ...uploads,
    { method: 'GET', path: '/v1beta/files', envelope, handle: (visit) => list(services, visit, 'gemini') },
    {
      method: 'GET',
      path: at,
      envelope,
      slow: true,
      handle: async (visit) => {
        const ofVideo = videoFileIn(visit.params.id ?? '')
        if (ofVideo) return downloadVideo(services, visit, ofVideo)
        return shown(services, visit, 'gemini')
      },
    },
    { method: 'DELETE', path: at, envelope, handle: (visit) => remove(services, visit, 'gemini') },
  ]
}
