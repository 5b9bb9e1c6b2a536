/** `/v1/uploads`: a file uploaded in parts, in any order and concurrently; a stored file once it is complete. */
import { keptFileIn } from '#canonical/kept-file'
import type { FormFile } from '#canonical/operation/operation'
import { admit } from '#http/api/relay-route'
import { decodeUtf8, join, readBody } from '#http/request/read-body'
import { readForm } from '#http/request/read-form'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { withRoom } from '#http/request/with-room'
import { readCompletion, readUpload, writePart, writeUpload } from '#protocols/files'
import type { Upload } from '#reasoning-state/stored-files'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { md5OfPieces } from '#runtime/secrets'
import { GatewayError } from '#shared/errors'
import { fileName, fileType } from './file-type.ts'
import { type FileServices, purposes } from './files.ts'
import { inPortions } from './in-portions.ts'

/** Most bytes of a call without a file. */
const mostCallBytes = 256 * 1024
/** Purpose of parts, by which lists of files exclude them. */
const partPurpose = 'upload_part'

const noUpload = () => new GatewayError('not_found', 'No upload with this id is waiting for parts.', { param: 'upload_id' })
const noPart = () => new GatewayError('not_found', 'There is no part with this id in this upload.', { param: 'part_ids' })

const words = async (services: FileServices, { request }: Visit) =>
  decodeUtf8(join([await readBody(request, mostCallBytes, services.clock, services.idleMs)]))

/** The upload that the address names, with its tenant. Rejects with `not_found`, also for a complete one. */
async function uploadAt(services: FileServices, visit: Visit): Promise<{ tenant: string; upload: Upload }> {
  const tenant = admit(services, visit).user.id
  const id = idAs('upload', visit.params.id)
  const upload = id === undefined ? undefined : await services.files.find(tenant, id)
  if (!upload || upload.isWhole || upload.purpose === partPurpose) throw noUpload()
  return { tenant, upload }
}

/** The file id in the id of an upload or a part. */
const idAs = (kind: 'upload' | 'part', named = ''): string | undefined =>
  named.startsWith(`${kind}_`) ? keptFileIn(`file_${named.slice(kind.length + 1)}`) : undefined

async function create(services: FileServices, visit: Visit): Promise<Response> {
  const tenant = admit(services, visit).user.id
  const { bytes, name: named, type, purpose, lastsMs } = readUpload(await words(services, visit), purposes)
  const name = fileName(named)
  const facts = { name, type: fileType(type, name), purpose, size: bytes, lastsMs }
  const id = await services.files.begin(tenant, { ...facts, declared: bytes })
  const upload = await services.files.find(tenant, id)
  if (!upload) throw noUpload()
  return json(writeUpload(upload, 'pending'))
}

async function addPart(services: FileServices, visit: Visit): Promise<Response> {
  const { tenant, upload } = await uploadAt(services, visit)
  return withRoom(services.rooms, tenant, (room) => keptPart(services, visit, { tenant, upload, room }), true)
}

interface PartOf {
  tenant: string
  upload: Upload
  room: BodyRoom
}

async function keptPart(services: FileServices, visit: Visit, { tenant, upload, room }: PartOf): Promise<Response> {
  const { content, release } = await readForm(services, visit.request, undefined, room)
  try {
    const sent = content.parts.find((part): part is FormFile => part.name === 'data' && 'open' in part)
    if (!sent) throw new GatewayError('missing_field', 'The field `data` is required.', { param: 'data' })
    const id = await services.files.begin(tenant, {
      name: upload.id,
      type: 'part',
      purpose: partPurpose,
      size: sent.size,
      lastsMs: 3_600_000,
    })
    try {
      for await (const { bytes } of inPortions(sent.open())) await services.files.add(tenant, id, { bytes, isLast: false })
    } catch (thrown) {
      await services.files.remove(tenant, id)
      throw thrown
    }
    const part = await services.files.find(tenant, id)
    if (!part) throw noUpload()
    return json(writePart(part, upload))
  } finally {
    release()
  }
}

/** All of the parts, in the given order. Rejects with `not_found`. */
async function partsOf(services: FileServices, tenant: string, upload: Upload, named: readonly string[]): Promise<Upload[]> {
  const parts: Upload[] = []
  for (const name of named) {
    const id = idAs('part', name)
    const part = id === undefined ? undefined : await services.files.find(tenant, id)
    if (part?.purpose !== partPurpose || part.name !== upload.id) throw noPart()
    parts.push(part)
  }
  if (new Set(named).size < named.length) throw new GatewayError('invalid_value', 'List each part only once.', { param: 'part_ids' })
  return parts
}

async function complete(services: FileServices, visit: Visit): Promise<Response> {
  const { tenant, upload } = await uploadAt(services, visit)
  const { parts: named, md5 } = readCompletion(await words(services, visit))
  const parts = await partsOf(services, tenant, upload, named)
  const { files } = services
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0)
  if (bytes !== upload.declared) {
    throw new GatewayError('invalid_value', `The parts have ${bytes} bytes in total, but the upload was created for ${upload.declared}.`, {
      param: 'part_ids',
    })
  }
  async function* pieces() {
    for (const { id } of parts) yield* files.read(tenant, id)
  }
  if (md5 !== undefined && (await md5OfPieces(pieces())) !== md5.toLowerCase()) {
    throw new GatewayError('invalid_value', 'The MD5 sum of the parts does not match.', { param: 'md5' })
  }
  for await (const { bytes: next, isLast } of inPortions(pieces())) await files.add(tenant, upload.id, { bytes: next, isLast })
  for (const { id } of parts) await files.remove(tenant, id)
  const file = await files.find(tenant, upload.id)
  if (!file) throw noUpload()
  return json(writeUpload({ ...upload, expiresAt: file.expiresAt }, 'completed', file))
}

async function cancel(services: FileServices, visit: Visit): Promise<Response> {
  const { tenant, upload } = await uploadAt(services, visit)
  await services.files.remove(tenant, upload.id)
  return json(writeUpload(upload, 'cancelled'))
}

/** `/v1/uploads` and below. */
export function uploadRoutes(services: FileServices): Route[] {
  const post = (path: string, handle: (services: FileServices, visit: Visit) => Promise<Response>): Route => ({
    ...{ method: 'POST', path, envelope: 'chat', slow: true },
    handle: (visit) => handle(services, visit),
  })
  const at = '/v1/uploads/:id'
  return [post('/v1/uploads', create), post(`${at}/parts`, addPart), post(`${at}/complete`, complete), post(`${at}/cancel`, cancel)]
}
