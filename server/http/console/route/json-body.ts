/** JSON bodies of the console, checked for type, size, nesting, syntax and schema, in this order. Errors never repeat received values. */

import { decodeUtf8, readBody } from '#http/request/read-body'
import type { Clock } from '#runtime/clock'
import { nextTurn } from '#runtime/turns'
import type { Checker, Fault } from '#shared/check'
import { GatewayError } from '#shared/errors'
import { refuseDuplicates } from '#wire/json-scan'
import { createJsonScale } from '#wire/json-weight'

const maxBytes = 1024 * 1024
/** Bytes of a body that is parsed in one go, and bytes weighed between two yields to others. */
const smallBody = 64 * 1024
const sliceBytes = 256 * 1024
const maxNesting = 64
/** In the unit of `#wire/json-weight`: more would block other requests, and no list of an installation is that long. */
const maxWeight = 65_536
/** Most faults examined for the one to report: a list can have half a million. */
const mostFaults = 100

/** Throws 415 unless the type is `application/json`: browsers send forms and plain text without a preflight, so writes refuse both. */
export function demandJson(request: Request): void {
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  throw new GatewayError('unsupported_media_type', 'Send the body with the content type application/json.')
}

/** Whether the request's headers announce a body. */
export function announcesBody(request: Request): boolean {
  return request.headers.has('transfer-encoding') || Number(request.headers.get('content-length') ?? 0) > 0
}

/** The body, checked against the schema. Throws GatewayError: 400 with the path of the field, 413 or 415. */
export async function readJson<T>(request: Request, check: Checker<T>, clock: Clock): Promise<T> {
  demandJson(request)
  const body = await readBody(request, maxBytes, clock)
  // Each step through a large one takes milliseconds.
  const others = body.length > smallBody ? nextTurn : nobody
  await weigh(body, others)
  const text = decodeUtf8(body)
  const value = parsed(text)
  await others()
  refuseDuplicates(text, value)
  await others()
  if (!check.accepts(value)) throw refusal(firstOf(check.faults(value, mostFaults)))
  await others()
  refuseUnstorable(value)
  return value
}

const nobody = async () => undefined

/**
 * Throws for more nesting (`invalid_json`) or values (`request_too_large`) than a body may have: a value that is too deep overflows the
 * stack of what walks it.
 */
async function weigh(body: Uint8Array, others: () => Promise<void>): Promise<void> {
  const scale = createJsonScale({ depth: maxNesting, tooDeep: 'invalid_json', weight: maxWeight })
  for (let at = 0; at < body.length; at += sliceBytes) {
    scale.push(body.subarray(at, at + sliceBytes))
    await others()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new GatewayError('invalid_json', 'The body is not valid JSON.')
  }
}

/** The fault to report. Unknown fields come first: one is usually the misspelling of a missing field. */
function firstOf(faults: readonly Fault[]): Fault {
  const found = faults.find((fault) => fault.code === 'unknown_field') ?? faults[0]
  return found ?? { code: 'invalid_value', path: [], message: 'Expected another value' }
}

const plain = /^[\w.-]{1,120}$/

function refusal({ code, path, message }: Fault): GatewayError {
  const param = path.join('.')
  // The name of an unknown field is the caller's own text; it is returned only when it looks like a name.
  if (!plain.test(param)) {
    const outer = path.slice(0, -1).join('.')
    if (code !== 'unknown_field' || !plain.test(outer)) return new GatewayError(code, `${message}.`)
    return new GatewayError(code, `${outer}: It has a name that cannot be used here.`, { param: outer })
  }
  return new GatewayError(code, `${param}: ${message}.`, { param })
}

/** A step of the path to a value, from the inside out. */
interface Way {
  name: string
  outer: Way | undefined
}

/** Refuses what cannot be stored: NUL, lone surrogates, and an own `__proto__`, which would be dangerous when the object is copied. */
function refuseUnstorable(value: unknown, way?: Way): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw refusal({ code: 'invalid_value', path: pathOf(way), message: 'Expected text without NUL and broken characters' })
  }
  if (typeof value !== 'object' || value === null) return
  const isNamed = !Array.isArray(value)
  for (const [name, inner] of Object.entries(value)) {
    const within = { name, outer: way }
    if (name === '__proto__') throw refusal({ code: 'unknown_field', path: pathOf(within), message: 'Unexpected property' })
    if (isNamed) refuseUnstorable(name, way)
    refuseUnstorable(inner, within)
  }
}

function pathOf(way: Way | undefined): string[] {
  const path: string[] = []
  for (let at = way; at; at = at.outer) path.unshift(at.name)
  return path
}
