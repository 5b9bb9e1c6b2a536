/** Kept bodies: which requests are stored, and what the console shows of one. */
import { Exact, Int, type Static, Type } from '../typebox.ts'
import type { LossRow } from './log.ts'

/** Which requests are kept: all, none, only failed ones, or a share. */
export const KeepBodies = Type.Union([Type.Boolean(), Type.Literal('errors'), Type.Number({ minimum: 0, maximum: 1 })])
export type KeepBodies = Static<typeof KeepBodies>

/** The installation's settings for kept bodies. */
export interface BodySettings {
  /** What is stored whatever a key or group chooses. */
  keep: KeepBodies
  /** Days after which a body is deleted. */
  days: number
  /** Mebibytes in the folder of one instance; the oldest go first. */
  mebibytes: number
  /** Who may read a body: only the owner of its key, or administrators too. */
  readers: 'owners' | 'administrators'
  /** Whether `store: false` in a request keeps it from being stored. */
  heedStore: boolean
  /** Fields whose texts are blanked before anything is written, as paths: `metadata.user_id`, `*.password`. */
  redactFields: string[]
  /** Whether card and bank account numbers with valid check digits are blanked. */
  redactNumbers: boolean
}

/** Defaults where nothing was chosen. */
export const usualBodies: BodySettings = {
  keep: false,
  days: 30,
  mebibytes: 10_240,
  readers: 'administrators',
  heedStore: false,
  redactFields: [],
  redactNumbers: false,
}

/** Changes to those settings; omitted fields stay. */
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

/** Data set formats for the export of stored conversations. */
export const datasetForms = ['evals', 'fine-tuning'] as const
export type DatasetForm = (typeof datasetForms)[number]

/** Most requests that one page of such an export examines. */
export const datasetPage = 50

/** Headers of such a page: where the next page begins (absent on the last), and how many requests were left out for which reason. */
export const datasetHeaders = { next: 'x-parley-next', leftOut: 'x-parley-left-out' } as const

/**
 * Why a request was left out: not a conversation; several answers requested; question or answer stored only in part; refused or failed;
 * unreadable.
 */
export const leftOutReasons = ['not_chat', 'several_answers', 'incomplete', 'refused', 'unreadable'] as const
export type LeftOutReason = (typeof leftOutReasons)[number]

/** State of body storage on this instance, since its start. */
export interface BodiesState {
  /** Requests that were stored. */
  kept: number
  /** Requests that should have been stored and were not: no room, no disk, no database. */
  dropped: number
  /** Bytes in memory: of running requests and of those not written yet. */
  waitingBytes: number
  /** Why storage is stopped at the moment; null while it works. */
  stopped: { cause: string; since: string } | null
  /** Location: a folder, or `s3://bucket/prefix`. */
  place: string
  /** Bytes there, of this instance in a folder and of all instances in a bucket; null: not known yet. */
  bytes: number | null
  /** Bytes in the folder of this instance that are not in the bucket yet; null where there is no bucket. */
  notUploaded: number | null
  /** Why the bucket cannot be read or written at the moment; null while it works. */
  bucketFault: { cause: string; since: string } | null
}

/** GET /api/bodies/:requestId: a kept request at its borders. Key owners see the client's side, administrators also the upstreams'. */
export interface KeptBody {
  requestId: string
  at: string
  /** Whether something was blanked before it was written. */
  redacted: boolean
  /** Whether `parts` has the borders to upstreams. */
  whole: boolean
  parts: KeptPart[]
  /** With `as=chat`, for a conversation: the client's request as a chat request, and what the conversion lost. */
  chat?: { body: Record<string, unknown>; losses: LossRow[] }
}

/** Points at which bodies are recorded. */
export const borders = ['client-request', 'upstream-request', 'upstream-answer', 'client-answer'] as const
export type Border = (typeof borders)[number]

/** One body at one border. */
export interface KeptPart {
  border: Border
  /** Index of the upstream call, from 0; absent on the client's side. */
  call?: number
  to?: { channel: string; model: string; dialect: string }
  method?: string
  address?: string
  status?: number
  /** Values that may be credentials are `***`. */
  headers: (readonly [name: string, value: string])[]
  /** Milliseconds from the arrival of the request. */
  atMs: number
  /** Of a body in pieces: end offset (bytes) and arrival time (milliseconds; of frames to the microsecond) of each, alternating. */
  pieces?: number[]
  /** One direction of a session: every piece is a frame followed by a line feed, or empty where the frame was not stored. */
  frames?: boolean
  bytes: number
  /** Bytes of frames that were not stored. */
  leftBytes?: number
  leftOut?: boolean
  redacted?: boolean
  /** The code of the error that ended it early. */
  broken?: string
  /** The body, where it is text of up to a megabyte; all of it is at `/api/bodies/:requestId/:part`. */
  text?: string
}
