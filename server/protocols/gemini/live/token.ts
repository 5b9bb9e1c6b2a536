/**
 * Short-lived keys of live sessions: the request for one, and how it changes the first frame of its sessions. Read: @google/genai 3.1 and
 * Google's guide to ephemeral tokens.
 */
import { bodyNames } from '#protocols/codec/body-names'
import { invalidField } from '#protocols/codec/fields'
import { GatewayError } from '#shared/errors'
import { isRawNumber, parseAsWritten } from '#shared/exact-numbers'
import { isInstant } from '#shared/instant'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { readModelName } from '../path.ts'
import { type Body, camel, numeric, pick, pickObject, snake } from '../proto-json.ts'
import { readSetupBody } from './frame.ts'

/** How a session may be set up with such a key. */
export interface SetupLock {
  /** Fields of the first frame. */
  setup?: Body
  /** The fields that the key sets, as paths; absent: all of them, if there is a set-up. */
  fields?: string[]
}

/** A request for such a key. Times in milliseconds since the epoch. */
export interface AskedToken {
  /** How many sessions it opens; 0: any number. */
  uses: number
  /** Until when sessions run, and until when they begin. */
  until: number
  begins: number
  lock: SetupLock
  /** The model of the set-up, if it names one. */
  model?: string
}

const names = bodyNames(
  'google',
  [],
  'uses expireTime newSessionExpireTime bidiGenerateContentSetup fieldMask model generationConfig systemInstruction tools',
  snake,
)
const known = new Set(['uses', 'expireTime', 'newSessionExpireTime', 'bidiGenerateContentSetup', 'fieldMask'])
const minute = 60_000
const longest = 20 * 60 * minute
const mostUses = 2 ** 31 - 1
const fieldPath = /^\w{1,64}(?:\.\w{1,64}){0,7}$/

/** The body of `auth_tokens`; `now` in milliseconds since the epoch. Throws GatewayError 400. */
export function readTokenRequest(text: string, now: number): AskedToken {
  const { value } = text.trim() === '' ? { value: {} } : scanObject(text, names)
  const odd = Object.keys(value).find((name) => !known.has(camel(name)))
  if (odd !== undefined)
    throw new GatewayError('unknown_field', `A token has no field of this name. It has: ${[...known].join(', ')}.`, {
      param: odd.slice(0, 100),
    })
  const until = timeIn(value, 'expireTime', now) ?? now + 30 * minute
  const written = text.trim() === '' ? {} : (parseAsWritten(text) as Body)
  const setup = pick(written, 'bidiGenerateContentSetup')
  if (setup !== undefined && !isFields(setup)) throw invalidField('bidiGenerateContentSetup', 'an object')
  const fields = maskIn(value)
  return {
    uses: usesIn(value),
    until,
    begins: Math.min(until, timeIn(value, 'newSessionExpireTime', now) ?? now + minute),
    lock: { ...(setup && { setup }), ...(fields && { fields }) },
    ...(setup && modelOf(setup)),
  }
}

function modelOf(setup: Body): Pick<AskedToken, 'model'> {
  const model = pick(setup, 'model')
  if (model === undefined) return {}
  if (typeof model !== 'string') throw invalidField('bidiGenerateContentSetup.model', 'the name of a model')
  return { model: readModelName(model) }
}

function usesIn(value: Body): number {
  const uses = numeric(pick(value, 'uses') ?? 1)
  if (uses === undefined || !Number.isSafeInteger(uses) || uses < 0 || uses > mostUses) throw invalidField('uses', 'a whole number')
  return uses
}

function timeIn(value: Body, field: string, now: number): number | undefined {
  const raw = pick(value, field)
  if (raw === undefined) return undefined
  const time = typeof raw === 'string' && isInstant(raw) ? Date.parse(raw) : Number.NaN
  if (time > now && time <= now + longest) return time
  throw invalidField(field, 'a time (RFC 3339) within the next 20 hours')
}

function maskIn(value: Body): string[] | undefined {
  const raw = pick(value, 'fieldMask')
  const mask = isObject(raw) ? pick(raw, 'paths') : raw
  const paths = typeof mask === 'string' ? mask.split(',') : mask
  if (paths === undefined || mask === '') return undefined
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string' && fieldPath.test(path.trim()))) {
    throw invalidField('fieldMask', 'names of fields with commas between them')
  }
  return paths.map((path) => path.trim())
}

/**
 * The first frame of such a session, made from its client's: a key without a set-up only changes the fields that it names; with a set-up
 * and no fields, the client only chooses which session to resume. Throws GatewayError for anything but a set-up.
 */
export function lockedSetup(frame: string, { setup = {}, fields }: SetupLock): string {
  const frameBody = setupAsWritten(frame)
  const handle = pick(pickObject(frameBody, 'sessionResumption') ?? {}, 'handle')
  if (!fields && Object.keys(setup).length === 0) return frame
  const made = fields ? frameBody : (parseAsWritten(JSON.stringify(setup)) as Body)
  for (const path of fields ?? []) put(made, path.split('.').map(camel), valueAt(setup, path.split('.').map(camel)))
  const resumption = fieldsIn(made, 'sessionResumption')
  if (resumption && handle !== undefined) put(made, ['sessionResumption', 'handle'], handle)
  return JSON.stringify({ setup: made })
}

/** The body of the first frame, with its numbers as they were written. Throws GatewayError for any other frame. */
function setupAsWritten(frame: string): Body {
  readSetupBody(frame)
  return pickObject(parseAsWritten(frame) as Body, 'setup') ?? {}
}

const isFields = (value: unknown): value is Body => isObject(value) && !isRawNumber(value)

function fieldsIn(body: Body, name: string): Body | undefined {
  const found = pick(body, name)
  return isFields(found) ? found : undefined
}

const valueAt = (body: Body, path: readonly string[]): unknown =>
  path.reduce<unknown>((within, name) => (isFields(within) ? pick(within, name) : undefined), body)

/** Sets or removes the value there; Google's two spellings of a name count as one. */
function put(body: Body, [name = '', ...rest]: readonly string[], value: unknown): void {
  const within = fieldsIn(body, name)
  if (rest.length > 0 && within === undefined && value === undefined) return
  const inner = rest.length > 0 ? (within ?? {}) : value
  delete body[name]
  delete body[snake(name)]
  if (inner !== undefined) body[name] = inner
  if (rest.length > 0 && isFields(inner)) put(inner, rest, value)
}
