/** Kept bodies: which requests are kept, and what is told of one that was. */
import { Exact, Int, type Static, Type } from '../typebox.ts'
import type { LossRow } from './log.ts'

/** Which requests are kept: all, none, only those that failed, or this share of them. */
export const KeepBodies = Type.Union([Type.Boolean(), Type.Literal('errors'), Type.Number({ minimum: 0, maximum: 1 })])
export type KeepBodies = Static<typeof KeepBodies>

/** What the house says of kept bodies. */
export interface BodySettings {
  /** What is kept whatever a key or a group says. */
  keep: KeepBodies
  /** Days after which a body is deleted. */
  days: number
  /** Mebibytes in the folder of one instance; the oldest go first. */
  mebibytes: number
  /** Who reads a body: the owner of its key alone, or administrators too. */
  readers: 'owners' | 'administrators'
  /** A request that says `store: false` is not kept. */
  heedStore: boolean
  /** Fields whose texts are blanked before anything is written, as paths: `metadata.user_id`, `*.password`. */
  redactFields: string[]
  /** Numbers of cards and bank accounts whose check digits are right are blanked. */
  redactNumbers: boolean
}

/** What holds where nobody has chosen anything. */
export const usualBodies: BodySettings = {
  keep: false,
  days: 30,
  mebibytes: 10_240,
  readers: 'administrators',
  heedStore: false,
  redactFields: [],
  redactNumbers: false,
}

/** Changes of those settings; what is left out stays. */
export const BodySettingsPatch = Exact({
  keep: Type.Optional(KeepBodies),
  days: Type.Optional(Int(1, 3650)),
  mebibytes: Type.Optional(Int(1, 100_000_000)),
  readers: Type.Optional(Type.Union([Type.Literal('owners'), Type.Literal('administrators')])),
  redactFields: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f]+$' }), { maxItems: 100 }),
  ),
  heedStore: Type.Optional(Type.Boolean()),
  redactNumbers: Type.Optional(Type.Boolean()),
})
export type BodySettingsPatch = Static<typeof BodySettingsPatch>

/** Forms of data sets in which kept conversations are exported. */
export const datasetForms = ['evals', 'fine-tuning'] as const
export type DatasetForm = (typeof datasetForms)[number]

/** Requests that one page of such an export looks at, at most. */
export const datasetPage = 50

/** The headers of such a page: where the next one begins, absent on the last, and how many requests were left out for which reason. */
export const datasetHeaders = { next: 'x-parley-next', leftOut: 'x-parley-left-out' } as const

/**
 * Why a request is no example: it is no conversation; it asked for more than one answer; question or answer are not all here; it was refused or failed;
 * it cannot be read.
 */
export const leftOutReasons = ['not_chat', 'several_answers', 'incomplete', 'refused', 'unreadable'] as const
export type LeftOutReason = (typeof leftOutReasons)[number]

/** How keeping goes on this instance, since its start. */
export interface BodiesState {
  /** Requests that were kept. */
  kept: number
  /** Requests that were to be kept and were not: no room, no disk, no database. */
  dropped: number
  /** Bytes in memory, of requests that are being answered and of those that are not written yet. */
  waitingBytes: number
  /** Why nothing is kept at the moment; null: it is. */
  stopped: { cause: string; since: string } | null
  /** Where they lie: a folder, or `s3://bucket/prefix`. */
  place: string
  /** Bytes there, of this instance in a folder and of all instances in a bucket; null: not known yet. */
  bytes: number | null
  /** Bytes in the folder of this instance that are not in the bucket yet; null where there is no bucket. */
  notUploaded: number | null
  /** Why the bucket takes or gives nothing at the moment; null: it does. */
  bucketFault: { cause: string; since: string } | null
}

/** GET /api/bodies/:requestId: a kept request at its borders. Owners of a key see the client's two, administrators those to upstreams, too. */
export interface KeptBody {
  requestId: string
  at: string
  /** Something was blanked before it was written. */
  redacted: boolean
  /** Whether `parts` has the borders to upstreams. */
  whole: boolean
  parts: KeptPart[]
  /** With `as=chat`, of a conversation: what the client asked, as a chat request, and what is lost in it. */
  chat?: { body: Record<string, unknown>; losses: LossRow[] }
}

/** Where a body is seen. */
export const borders = ['client-request', 'upstream-request', 'upstream-answer', 'client-answer'] as const
export type Border = (typeof borders)[number]

/** One body at one border. */
export interface KeptPart {
  border: Border
  /** Which call of an upstream, from 0; absent at the client's side. */
  call?: number
  to?: { channel: string; model: string; dialect: string }
  method?: string
  address?: string
  status?: number
  /** Values that may be credentials are `***`. */
  headers: (readonly [name: string, value: string])[]
  /** Milliseconds from the arrival of the request. */
  atMs: number
  /** What came in pieces: where each ends (bytes) and when it came (milliseconds; of frames to the microsecond), one after the other. */
  pieces?: number[]
  /** One direction of a session: every piece is a frame and a line feed behind it, or nothing where the frame is not kept. */
  frames?: boolean
  bytes: number
  /** Bytes of frames that are not kept. */
  leftBytes?: number
  leftOut?: boolean
  redacted?: boolean
  /** The code of the error that ended it early. */
  broken?: string
  /** The body, where it is text of up to a megabyte; all of it is at `/api/bodies/:requestId/:part`. */
  text?: string
}
