/** Files at Gemini's addresses: resumable uploads, lists, deletion. The files are those of `files.ts`. */
import type { KeptFile } from '#canonical/kept-file'
import { downloadVideo, videoFileIn } from '#http/api/gemini-videos'
import type { VideoServices } from '#http/api/video-making'
import { bodyPieces, bodyTimeMs, readBody } from '#http/request/read-body'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { admitUpload, type UploadAddressServices, uploadAddress, uploadCommands } from '#http/request/upload-address'
import { fileWriters } from '#protocols/files'
import type { Ask } from '#relay/contract/ask'
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { fileName, fileType } from './file-type.ts'
import { type FileServices, list, remove, shown } from './files.ts'
import { inPortions } from './in-portions.ts'

type UploadServices = FileServices & UploadAddressServices

/** Milliseconds: the same as Google's. */
const life = 48 * 3_600_000
/** Milliseconds: lifetime of an incomplete upload. */
const uploadMs = 3_600_000
const place = 'files'
/** Most bytes of a file's metadata, and of one part of an upload. */
const mostMetadata = 64 * 1024
const mostBytes = 26 * 1024 * 1024

const header = ({ request }: Visit, name: string) => request.headers.get(`x-goog-upload-${name}`)

async function words(visit: Visit, services: FileServices): Promise<Record<string, unknown>> {
  const text = new TextDecoder().decode(await readBody(visit.request, mostMetadata, services.clock, services.idleMs))
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    const file = isObject(value) ? value.file : undefined
    return isObject(file) ? file : {}
  } catch {
    throw new GatewayError('invalid_json', 'The request body is not valid JSON.')
  }
}

async function begin(services: UploadServices, visit: Visit, caller: Ask['caller']): Promise<Response> {
  const fields = await words(visit, services)
  if (fields.name !== undefined) {
    throw new GatewayError('unsupported_here', 'Parley names files itself: leave out `name` and use the one in the answer.', {
      param: 'file.name',
    })
  }
  const size = Number(header(visit, 'header-content-length') ?? 0)
  const named = typeof fields.displayName === 'string' ? fields.displayName : header(visit, 'file-name')
  const name = fileName(named)
  const declared = header(visit, 'header-content-type') ?? (typeof fields.mimeType === 'string' ? fields.mimeType : null)
  const id = await services.files.begin(caller.user.id, {
    name,
    type: fileType(declared, name),
    purpose: 'user_data',
    size: Number.isSafeInteger(size) && size > 0 ? size : 0,
    lastsMs: life,
  })
  const answer = json({})
  answer.headers.set('x-goog-upload-url', uploadAddress(services, visit, { caller, place, upload: id, lastsMs: uploadMs }))
  answer.headers.set('x-goog-upload-status', 'active')
  return answer
}

/** The body of this part. If it breaks off, the received bytes are kept: the client queries the offset and resumes there. */
async function* sentNow(services: FileServices, visit: Visit, isUpload: boolean): AsyncGenerator<Uint8Array> {
  const { clock, idleMs } = services
  if (isUpload) yield* bodyPieces(visit.request, { maxBytes: mostBytes, clock, timeMs: bodyTimeMs, idleMs })
}

/** An upload and its tenant. */
interface Owned {
  tenant: string
  id: string
}

async function goOn(services: FileServices, visit: Visit, { tenant, id }: Owned, commands: readonly string[]): Promise<Response> {
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

/** The state of an upload, for a client that resumes. */
async function progress(services: FileServices, { tenant, id }: Owned): Promise<Response> {
  const file = await services.files.find(tenant, id)
  if (!file) throw new GatewayError('not_found', 'There is no such upload.')
  const answer = json({})
  answer.headers.set('x-goog-upload-status', file.isWhole ? 'final' : 'active')
  answer.headers.set('x-goog-upload-size-received', String(file.bytes))
  return answer
}

async function cancelled(services: FileServices, { tenant, id }: Owned): Promise<Response> {
  await services.files.remove(tenant, id)
  const answer = json({})
  answer.headers.set('x-goog-upload-status', 'cancelled')
  return answer
}

function upload(services: UploadServices, visit: Visit): Promise<Response> {
  const { caller, upload: id = '' } = admitUpload(services, visit, place)
  const commands = uploadCommands(visit.request)
  if (commands.includes('start')) return begin(services, visit, caller)
  const owned = { tenant: caller.user.id, id }
  if (commands.includes('upload') || commands.includes('finalize')) return goOn(services, visit, owned, commands)
  if (commands.includes('query')) return progress(services, owned)
  if (commands.includes('cancel')) return cancelled(services, owned)
  throw new GatewayError('unsupported_here', 'Parley supports resumable uploads only: begin with X-Goog-Upload-Command: start.')
}

/** `/upload/v1beta/files`, `/upload/v1/files`, `/v1beta/files` and below. */
export function geminiFileRoutes(services: UploadServices & VideoServices): Route[] {
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
