/**
 * Files stored by Parley that an object is created from: each is copied once into the account of the object, under the upstream's own id.
 * Answers use the ids that the callers know.
 */
import { keptFileIn } from '#canonical/kept-file'
import { fileIdIn, fileIdsIn, idOf } from '#protocols/objects'
import type { UpstreamObject } from '#reasoning-state/upstream-objects'
import type { RelayParts } from '#relay/contract/ask'
import type { FileStore } from '#relay/conversation/kept-files'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import { type PhaseTimer, phaseLimits, phaseTimer } from '#upstream/timeouts'
import { call, noModel } from './sending.ts'

export type CopyParts = Pick<RelayParts, 'upstream' | 'signer' | 'version' | 'random' | 'reasoningState'> & {
  files: Pick<FileStore, 'find' | 'read'>
}

const noFile = () => new GatewayError('not_found', 'There is no file with this id.', { param: 'file_id' })

/** Rejects with `not_found` for a file that the tenant does not have. */
export async function demandFiles({ files }: CopyParts, tenant: string, named: readonly string[]): Promise<void> {
  for (const one of named) if (!(await files.find(tenant, keptFileIn(one) ?? ''))?.isWhole) throw noFile()
}

/** The id of each file's copy in this candidate's account, by file id; missing copies are made. */
export async function copiesFor(
  parts: CopyParts,
  tenant: string,
  candidate: Candidate,
  named: readonly string[],
  timer: PhaseTimer,
): Promise<Map<string, string>> {
  const copies = new Map<string, string>()
  for (const one of named) {
    const file = keptFileIn(one) ?? ''
    const made = await parts.reasoningState.objects.copiesOf(tenant, file)
    const there = made.find(({ keeper }) => keeper.channel === candidate.channel.id && keeper.key === (candidate.key?.id ?? null))
    copies.set(one, there?.id ?? (await copied(parts, tenant, candidate, file, timer)))
  }
  return copies
}

async function copied(parts: CopyParts, tenant: string, candidate: Candidate, id: string, timer: PhaseTimer): Promise<string> {
  const file = await parts.files.find(tenant, id)
  if (!file?.isWhole) throw noFile()
  const { name, type, bytes, purpose } = file
  const open = () => streamOf(parts.files.read(tenant, id))
  const fields = [
    { name: 'purpose', value: purpose },
    { name: 'file', filename: name, type, size: bytes, open },
  ]
  const content = { form: { parts: fields, size: bytes } }
  const { value } = await call(parts, candidate, { api: 'openai', method: 'POST', path: 'files', content, headers: new Headers() }, timer)
  const copy = idOf('openai', value)
  if (copy === undefined) throw new GatewayError('upstream_error', 'The upstream accepted a file without returning its id.')
  const keeper = { channel: candidate.channel.id, key: candidate.key?.id ?? null }
  await parts.reasoningState.objects.made(tenant, 'openai', { kind: 'file', id: copy }, keeper, id)
  return copy
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void pieces.return(undefined),
  })
}

/** The copies of files, for code that does not deal with the objects themselves. */
export interface FileCopies {
  /** The stored file of which this is the tenant's copy. */
  originalOf(tenant: string, copy: string): Promise<string | undefined>
  /** Deletes the copies of a file. Never rejects: failures are logged. */
  remove(tenant: string, file: string): Promise<void>
}

/** Timeout for deleting a copy, in seconds. */
const seconds = 30

export function createFileCopies(parts: CopyParts & Pick<RelayParts, 'channels' | 'clock' | 'log'>): FileCopies {
  const { channels, clock, log, reasoningState } = parts
  const { objects } = reasoningState

  async function removeOne(tenant: string, { kind, id, keeper }: UpstreamObject): Promise<void> {
    const channel = channels.get(keeper.channel)
    const key = channel?.keys.find((one) => one.id === keeper.key) ?? null
    const timer = phaseTimer(clock, phaseLimits({ firstEvent: seconds, total: seconds }))
    try {
      if (!channel) throw new GatewayError('no_channel_available', 'The channel no longer exists.')
      const asked = { api: 'openai', method: 'DELETE', path: `files/${encodeURIComponent(id)}`, headers: new Headers() } as const
      await call(parts, { channel, key, model: noModel, dialect: 'chat', native: true }, asked, timer)
      await objects.gone(tenant, { kind, id })
    } catch (thrown) {
      log.warn(
        { channel: keeper.channel, file: id, err: thrown },
        'the copy of a deleted file could not be removed from its upstream account',
      )
    } finally {
      timer.stop()
    }
  }

  return {
    originalOf: async (tenant, copy) => (await objects.among(tenant, [{ id: copy }]))[0]?.copyOf ?? undefined,
    async remove(tenant, file) {
      try {
        for (const copy of await objects.copiesOf(tenant, file)) await removeOne(tenant, copy)
      } catch (thrown) {
        log.warn({ err: thrown }, 'the copies of a deleted file could not be looked up')
      }
    },
  }
}

/** The text with these ids replaced. */
export function withIds(text: string, ids: ReadonlyMap<string, string>): string {
  let written = text
  for (const [from, to] of ids) written = written.replaceAll(JSON.stringify(from), JSON.stringify(to))
  return written
}

/** An answer with copies replaced by the file ids that the tenant knows. */
export async function inCallersIds({ reasoningState }: CopyParts, tenant: string, text: string): Promise<string> {
  const ids = fileIdsIn(text)
  const known =
    ids.length > 0
      ? await reasoningState.objects.among(
          tenant,
          ids.map((id) => ({ id })),
        )
      : []
  return withIds(text, new Map(known.flatMap(({ id, copyOf }) => (copyOf === null ? [] : [[id, fileIdIn('openai', copyOf)] as const]))))
}
