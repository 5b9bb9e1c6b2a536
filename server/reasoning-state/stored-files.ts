/**
 * Files that users upload for their requests. Per tenant, sealed in pieces, with a turn of the event loop in between; kept until they
 * expire. Knows no wire field.
 */
import type { KeptFile } from '#canonical/kept-file'
import { fileMark } from '#canonical/kept-file'
import type { Clock, Random } from '#runtime/clock'
import type { Sealer } from '#runtime/secrets'
import { nextTurn } from '#runtime/turns'
import { type Quotas, usualQuotas } from '#shared/console/quota'
import { GatewayError } from '#shared/errors'
import {
  addFilePiece,
  deleteFile,
  type FileRecord,
  findFile,
  findFilePiece,
  insertFile,
  listFiles,
  sumFiles,
  sweepFiles,
} from '#store/accounts/stored-files'
import type { Store } from '#store/engine/store'

/** Metadata of a file before its upload. */
export interface NewFile extends Pick<KeptFile, 'name' | 'type' | 'purpose'> {
  /** Declared bytes. */
  size: number
  /** Milliseconds until it expires. */
  lastsMs: number
  /** Its user has paid for the content: no quota or size limit applies. */
  isOwed?: true
  /** Bytes that it must have when complete; absent: any number. */
  declared?: number
}

/** A file that is being uploaded, or is complete. */
export interface Upload extends KeptFile {
  isWhole: boolean
  /** The declared bytes. */
  declared?: number
}

/** Stored files. */
export interface StoredFiles {
  /** Begins an upload, for an hour. Rejects with `quota_exceeded`, and `request_too_large` for more than 25 MiB. */
  begin(tenant: string, file: NewFile): Promise<string>
  /**
   * Adds the next part, at this offset; `isLast`: the file is then complete. Rejects with `not_found`, `invalid_value` for another offset,
   * and as `begin` does, after which the file is deleted.
   */
  add(tenant: string, id: string, part: { offset?: number; bytes: Uint8Array; isLast: boolean }): Promise<Upload>
  /** A file, complete or not; undefined if the tenant has none of this id. */
  find(tenant: string, id: string): Promise<Upload | undefined>
  /** Complete files, newest first. */
  list(tenant: string): Promise<KeptFile[]>
  /** The content of a complete file, piece by piece. */
  read(tenant: string, id: string): AsyncGenerator<Uint8Array<ArrayBuffer>>
  /** False if the tenant has none of this id. */
  remove(tenant: string, id: string): Promise<boolean>
  /** How many files the tenant has, and their bytes. */
  stored(tenant: string): Promise<{ count: number; bytes: number }>
  /** Runs on a schedule: deletes expired files. */
  sweep(): Promise<number>
}

interface FileParts {
  store: Store
  sealer: Sealer
  clock: Clock
  random: Random
  /** Quotas of each tenant; absent: the defaults. */
  quotas?(): Pick<Quotas, 'files' | 'fileBytes'>
}

/** Bytes. */
const mostBytes = 25 * 1024 * 1024
const pieceBytes = 384 * 1024
/** Milliseconds that an upload may take. */
const uploadMs = 3_600_000

const identity = (tenant: string, id: string, place?: number) =>
  JSON.stringify(['stored file', tenant, id, ...(place === undefined ? [] : [place])])
const isId = (id: string) => /^parleyf[0-9a-f]{32}$/.test(id)

/** The sealed part of a row. */
interface Facts {
  name: string
  type: string
  lastsMs: number
  isOwed?: true
  declared?: number
}

/** Files in this store. */
export function createStoredFiles({ store, sealer, clock, random, quotas = () => usualQuotas }: FileParts): StoredFiles {
  const now = () => new Date(clock.now())

  const factsOf = ({ tenant, id, sealed }: FileRecord) => JSON.parse(sealer.open(sealed, identity(tenant, id))) as Facts

  function opened(row: FileRecord): Upload {
    const { id, bytes, purpose, createdAt, expiresAt, isWhole } = row
    const { name, type, declared } = factsOf(row)
    return { id, name, type, bytes, purpose, createdAt, expiresAt, isWhole, ...(declared !== undefined && { declared }) }
  }

  async function demandRoom(tenant: string, size: number): Promise<void> {
    const { files, fileBytes } = quotas()
    const { count, bytes } = await sumFiles(store, tenant, now())
    if (count >= files) throw full(`${files} files`)
    if (bytes + size > fileBytes) throw full(`${fileBytes} bytes`)
  }

  const find = (tenant: string, id: string) => (isId(id) ? findFile(store, tenant, id, now()) : undefined)

  /** Deletes a file that was refused during its upload. */
  async function refused(tenant: string, id: string, error: GatewayError): Promise<never> {
    await deleteFile(store, tenant, id, now())
    throw error
  }

  return {
    async begin(tenant, { size, lastsMs, name, type, purpose, isOwed, declared }) {
      if (size > mostBytes) throw tooLarge()
      if (!isOwed) await demandRoom(tenant, size)
      const id = `${fileMark}${random.hex(16)}`
      const createdAt = now()
      const sealed = sealer.seal(
        JSON.stringify({ name, type, lastsMs, ...(isOwed && { isOwed }), ...(declared && { declared }) } satisfies Facts),
        identity(tenant, id),
      )
      const expiresAt = new Date(createdAt.getTime() + Math.min(uploadMs, lastsMs))
      await insertFile(store, { tenant, id, createdAt, expiresAt, isWhole: false, bytes: 0, pieces: 0, purpose, sealed })
      return id
    },
    async add(tenant, id, { offset, bytes, isLast }) {
      const row = await find(tenant, id)
      if (!row || row.isWhole) throw noUpload()
      if (offset !== undefined && offset !== row.bytes) throw wrongOffset()
      const size = row.bytes + bytes.length
      const { lastsMs, isOwed } = factsOf(row)
      if (!isOwed) {
        if (size > mostBytes) return refused(tenant, id, tooLarge())
        const { fileBytes } = quotas()
        const all = await sumFiles(store, tenant, now())
        if (all.bytes + bytes.length > fileBytes) return refused(tenant, id, full(`${fileBytes} bytes`))
      }
      const until = isLast ? new Date(row.createdAt.getTime() + lastsMs) : undefined
      let place = row.pieces
      for (let from = 0; from < bytes.length || (from === 0 && isLast); from += pieceBytes) {
        if (from > 0) await nextTurn()
        const piece = bytes.subarray(from, from + pieceBytes)
        const sealed = sealer.seal(Buffer.from(piece).toString('base64'), identity(tenant, id, place))
        const ends = until && from + pieceBytes >= bytes.length ? { until } : {}
        if (!(await addFilePiece(store, { tenant, id, place, sealed }, { bytes: piece.length, ...ends }))) throw noUpload()
        place += 1
      }
      return { ...opened({ ...row, expiresAt: until ?? row.expiresAt }), bytes: size, isWhole: isLast }
    },
    async find(tenant, id) {
      const row = await find(tenant, id)
      return row && opened(row)
    },
    list: async (tenant) => (await listFiles(store, tenant, now())).map(opened),
    async *read(tenant, id) {
      for (let place = 0; ; place++) {
        const sealed = await findFilePiece(store, tenant, id, place)
        if (sealed === undefined) return
        yield new Uint8Array(Buffer.from(sealer.open(sealed, identity(tenant, id, place)), 'base64'))
        await nextTurn()
      }
    },
    remove: async (tenant, id) => isId(id) && deleteFile(store, tenant, id, now()),
    stored: (tenant) => sumFiles(store, tenant, now()),
    sweep: () => sweepFiles(store, now()),
  }
}

const full = (most: string) =>
  new GatewayError('quota_exceeded', `The quota for stored files of a user is ${most}. Delete some.`, { param: 'file' })
const tooLarge = () => new GatewayError('request_too_large', `A file may have ${mostBytes / 1024 / 1024} MiB.`, { param: 'file' })
const noUpload = () => new GatewayError('not_found', 'There is no such upload.')
const wrongOffset = () =>
  new GatewayError('invalid_value', 'The offset does not match the bytes uploaded so far.', { param: 'X-Goog-Upload-Offset' })
