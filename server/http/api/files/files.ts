/**
 * Files stored here, for requests of every protocol on every upstream: `/v1/files` in the format of OpenAI, Messages or Gemini, by
 * client. Each belongs to the key's user, and is visible to no one else. Gemini's own addresses are in `gemini-files.ts`.
 */
import { type KeptFile, keptFileIn } from '#canonical/kept-file'
import type { FormFile } from '#canonical/operation/operation'
import { admit, type RelayServices } from '#http/api/relay-route'
import { type FormServices, readForm } from '#http/request/read-form'
import { json } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import { spokenIn } from '#http/request/spoken'
import { fileWriters } from '#protocols/files'
import type { FileStore } from '#relay/conversation/kept-files'
import { GatewayError } from '#shared/errors'
import { fileName, fileType } from './file-type.ts'
import { inPortions } from './in-portions.ts'

/** What the endpoints of files need from the program. */
export interface FileServices extends FormServices, Pick<RelayServices, 'accounts' | 'rooms'> {
  files: FileStore
  /** Copies of files in upstreams' accounts. */
  fileCopies: {
    originalOf(tenant: string, copy: string): Promise<string | undefined>
    remove(tenant: string, file: string): Promise<void>
  }
  publicUrl: URL
}

/** Milliseconds. */
const day = 24 * 3_600_000
const usualLife = 30 * day

/** Purposes of files, in OpenAI's terms. */
export const purposes = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals']

/** For a file that this user does not have. */
export const noFile = () => new GatewayError('not_found', 'There is no file with this id.', { param: 'file_id' })
const wrong = (param: string, rule: string) => new GatewayError('invalid_value', `The field \`${param}\` must be ${rule}.`, { param })

/** The file id in an address, also if it is that of a copy, which answers of upstreams name. Rejects with `not_found`. */
async function idIn({ fileCopies }: Pick<FileServices, 'fileCopies'>, tenant: string, { params }: Visit): Promise<string> {
  const named = params.id ?? ''
  const id = keptFileIn(named) ?? keptFileIn(`files/${named}`) ?? (await fileCopies.originalOf(tenant, named))
  if (id === undefined) throw noFile()
  return id
}

/** A page of `all`, starting after the file `after`. Throws `invalid_value`. */
export function pageOf(all: readonly KeptFile[], limit: string | null, after: string | null, usual: number) {
  if (limit !== null && !/^[1-9]\d{0,4}$/.test(limit)) throw wrong('limit', 'an integer from 1 to 10000')
  const size = Math.min(Number(limit ?? usual), 10_000)
  const last = after === null || after === '' ? undefined : (keptFileIn(after) ?? after)
  const start = last === undefined ? 0 : all.findIndex(({ id }) => id === last) + 1
  if (last !== undefined && start === 0) throw wrong('after', 'the id of a file in this list')
  return { files: all.slice(start, start + size), hasMore: start + size < all.length }
}

/** The requested lifetime of a file, in milliseconds. */
function lifeIn(field: (name: string) => string | undefined): number {
  for (const name of ['expires_after[seconds]', 'expires_in_seconds']) {
    const seconds = field(name)
    if (seconds === undefined) continue
    if (!/^\d{1,8}$/.test(seconds) || Number(seconds) < 3600 || Number(seconds) * 1000 > usualLife)
      throw wrong(name, 'from 3600 to 2592000 seconds')
    return Number(seconds) * 1000
  }
  return usualLife
}

/** The complete file, with its content. A failure leaves nothing behind. */
async function stored({ files }: FileServices, tenant: string, id: string, source: AsyncIterable<Uint8Array>): Promise<KeptFile> {
  try {
    for await (const part of inPortions(source)) {
      const file = await files.add(tenant, id, part)
      if (part.isLast) return file
    }
    throw new Error('an upload without an end')
  } catch (thrown) {
    await files.remove(tenant, id)
    throw thrown
  }
}

async function create(services: FileServices, visit: Visit): Promise<Response> {
  const tenant = admit(services, visit).user.id
  const spoken = spokenIn(visit)
  const room = services.rooms.open(tenant, true)
  const { content, release } = await readForm(services, visit.request, undefined, room).catch((thrown: unknown) => {
    room.release()
    throw thrown
  })
  try {
    const field = (name: string) => content.parts.flatMap((part) => (part.name === name && 'value' in part ? [part.value] : []))[0]
    const sent = content.parts.find((part): part is FormFile => part.name === 'file' && 'open' in part)
    if (!sent) throw new GatewayError('missing_field', 'The field `file` is required.', { param: 'file' })
    const purpose = field('purpose') ?? (spoken === 'chat' ? undefined : 'user_data')
    if (purpose === undefined) throw new GatewayError('missing_field', 'The field `purpose` is required.', { param: 'purpose' })
    if (!purposes.includes(purpose)) throw wrong('purpose', `one of ${purposes.join(', ')}`)
    const name = fileName(sent.filename)
    const id = await services.files.begin(tenant, {
      name,
      type: fileType(sent.type, name),
      purpose,
      size: sent.size,
      lastsMs: lifeIn(field),
    })
    return json(writerFor(spoken).file(await stored(services, tenant, id, sent.open()), services.publicUrl.origin))
  } finally {
    release()
    room.release()
  }
}

/** A protocol that has files. */
type Spoken = keyof typeof fileWriters

const writerFor = (spoken: Spoken) => fileWriters[spoken]

/** The complete file that the address names. Throws `not_found`. */
export async function fileAt(
  services: Pick<FileServices, 'files' | 'accounts' | 'fileCopies'>,
  visit: Visit,
): Promise<{ tenant: string; file: KeptFile }> {
  const tenant = admit(services, visit).user.id
  const file = await services.files.find(tenant, await idIn(services, tenant, visit))
  if (!file?.isWhole) throw noFile()
  return { tenant, file }
}

/** The caller's files as a list, in this format. */
export async function list(services: FileServices, visit: Visit, spoken: Spoken): Promise<Response> {
  const tenant = admit(services, visit).user.id
  const query = visit.url.searchParams
  const purpose = query.get('purpose')
  const all = (await services.files.list(tenant)).filter((file) => purpose === null || file.purpose === purpose)
  if (query.get('order') === 'asc') all.reverse()
  const limit = query.get('limit') ?? query.get('pageSize')
  const after = query.get('after') ?? query.get('after_id') ?? query.get('page') ?? query.get('pageToken')
  const page = pageOf(all, limit, after, spoken === 'chat' ? 10_000 : 20)
  return json(writerFor(spoken).list(page, services.publicUrl.origin))
}

/** Deletes the file that the address names. */
export async function remove(services: FileServices, visit: Visit, spoken: Spoken): Promise<Response> {
  const { tenant, file } = await fileAt(services, visit)
  await services.files.remove(tenant, file.id)
  void services.fileCopies.remove(tenant, file.id)
  return json(writerFor(spoken).deleted(file.id))
}

const download = /:download$/

/** Whether the address is for the content, in the form of Google's clients: `{id}:download`. */
const asksContent = ({ params }: Visit) => download.test(params.id ?? '')

/** The file that the address names: its content if requested, otherwise its metadata. */
export async function shown(services: FileServices, visit: Visit, spoken: Spoken): Promise<Response> {
  if (!asksContent(visit)) return json(writerFor(spoken).file((await fileAt(services, visit)).file, services.publicUrl.origin))
  visit.params = { id: (visit.params.id ?? '').replace(download, '') }
  return content(services, visit)
}

async function content(services: FileServices, visit: Visit): Promise<Response> {
  const { tenant, file } = await fileAt(services, visit)
  const pieces = services.files.read(tenant, file.id)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void pieces.return(undefined),
  })
  return new Response(body, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(file.bytes),
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      'cache-control': 'no-store',
    },
  })
}

/** `/v1/files` and below. */
export function fileRoutes(services: FileServices): Route[] {
  const envelope = spokenIn
  const at = '/v1/files/:id'
  return [
    { method: 'POST', path: '/v1/files', envelope, slow: true, handle: (visit) => create(services, visit) },
    { method: 'GET', path: '/v1/files', envelope, handle: (visit) => list(services, visit, spokenIn(visit)) },
    { method: 'GET', path: at, envelope, slow: true, handle: (visit) => shown(services, visit, spokenIn(visit)) },
    { method: 'DELETE', path: at, envelope, handle: (visit) => remove(services, visit, spokenIn(visit)) },
    { method: 'GET', path: `${at}/content`, envelope, slow: true, handle: (visit) => content(services, visit) },
  ]
}
